"""From a `pkpId` to a key: the wallet must be registered, its use authorised, and the derived address its own."""

from collections.abc import Sequence

from pydantic import JsonValue

from node.chain.port import AccountReads, WalletRecord
from node.engine.port import HostCallError
from node.forbidden import forbidden
from node.http.fields import parse_pkp_id
from node.keyring.port import Keyring, Sealer, SigningKey
from node.permissions.denial import Denial, Missing
from node.permissions.grants import Caller


class WalletKeys:
    """The wallets one running action may use: one caller, one action. Every use is decided anew on chain."""

    def __init__(self, reads: AccountReads, keyring: Keyring, caller: Caller, action_hash: int) -> None:
        self._reads = reads
        self._keyring = keyring
        self._caller = caller
        self._action_hash = action_hash
        self._registered: dict[str | int, WalletRecord] = {}

    async def signing_key(self, pkp_id: JsonValue) -> SigningKey:
        """The wallet's key. Raises HostCallError when it is unknown, not permitted or not derivable here."""
        _, _, key = await self._authorised(pkp_id)
        return key

    async def sealer(self, pkp_id: JsonValue) -> tuple[Sealer, bytes]:
        """What encrypts for this wallet, and the context that binds a ciphertext to it. Raises as `signing_key`."""
        owner, wallet, _ = await self._authorised(pkp_id)
        return self._keyring.wallet_sealer(owner, wallet.derivation_path), bytes.fromhex(wallet.address[2:])

    async def _authorised(self, pkp_id: JsonValue) -> tuple[int, WalletRecord, SigningKey]:
        wallet = await self._registered_wallet(pkp_id)
        decision = await self._reads.authorisation(self._caller.key_hash, self._action_hash, [wallet.address])
        if not decision.may_execute or list(decision.wallets) != [True]:
            denial = forbidden(Denial(Missing.WALLET_IN_GROUP), self._caller)
            raise HostCallError("Forbidden", f"{denial.message} {denial.fix}")
        return self._derive(wallet)

    async def _registered_wallet(self, pkp_id: JsonValue) -> WalletRecord:
        wallet_ref = _parse(pkp_id)
        wallet = self._registered.get(wallet_ref) or await self._read(wallet_ref)
        if wallet is None:
            raise HostCallError("NotFound", "The account has no wallet of this pkpId.")
        # A registration is for good, so it is read once for an action; only the permission is asked each time.
        self._registered[wallet_ref] = wallet
        return wallet

    async def _read(self, wallet_ref: str | int) -> WalletRecord | None:
        account = self._caller.master_hash
        if isinstance(wallet_ref, int):
            return await self._reads.wallet_by_id(account, wallet_ref)
        return await self._reads.wallet(account, wallet_ref)

    def _derive(self, wallet: WalletRecord) -> tuple[int, WalletRecord, SigningKey]:
        for owner in derivation_owners(self._caller):
            key = self._keyring.wallet(owner, wallet.derivation_path)
            if key.address == wallet.address:
                return owner, wallet, key
        raise HostCallError("KeyUnavailable", "The registered address of this wallet is not one this node derives.")


def derivation_owners(caller: Caller) -> Sequence[int]:
    """Under whose hash a wallet of the caller's account may have been derived (decisions.md section 7)."""
    return (caller.master_hash,)


def _parse(pkp_id: JsonValue) -> str | int:
    try:
        return parse_pkp_id(pkp_id)
    except ValueError as error:
        raise HostCallError("BadRequest", f"pkpId {error}.") from None
