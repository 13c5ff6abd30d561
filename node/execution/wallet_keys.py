"""From a `pkpId` to a key: the wallet must be registered, its use authorised, and the derived address its own."""

from collections.abc import Sequence

from pydantic import JsonValue

from node.chain.port import Authorisations, MayReread, WalletRecord
from node.engine.port import HostCallError
from node.forbidden import forbidden
from node.http.fields import parse_pkp_id
from node.keyring.port import Keyring, Sealer, SigningKey
from node.permissions.denial import Denial, Missing
from node.permissions.grants import Caller


class WalletKeys:
    """The wallets one running action may use: one caller, one action, decided at `min_block` or later.

    Every use is asked for anew and nothing is remembered here, so that what is revoked while an action runs ends.
    """

    def __init__(
        self,
        authorisations: Authorisations,
        keyring: Keyring,
        caller: Caller,
        action_hash: int,
        min_block: int,
        may_reread: MayReread,
    ) -> None:
        self._authorisations = authorisations
        self._keyring = keyring
        self._caller = caller
        self._action_hash = action_hash
        self._min_block = min_block
        self._may_reread = may_reread

    async def signing_key(self, pkp_id: JsonValue) -> SigningKey:
        """The wallet's key. Raises HostCallError when it is unknown, not permitted or not derivable here."""
        _, _, key = await self._authorised(pkp_id)
        return key

    async def sealer(self, pkp_id: JsonValue) -> tuple[Sealer, bytes]:
        """What encrypts for this wallet, and the context that binds a ciphertext to it. Raises as `signing_key`."""
        owner, wallet, _ = await self._authorised(pkp_id)
        return self._keyring.wallet_sealer(owner, wallet.derivation_path), bytes.fromhex(wallet.address[2:])

    async def _authorised(self, pkp_id: JsonValue) -> tuple[int, WalletRecord, SigningKey]:
        use = await self._authorisations.wallet_use(
            self._caller, self._action_hash, _parse(pkp_id), self._min_block, self._may_reread
        )
        if use.wallet is None:
            raise HostCallError("NotFound", "The account has no wallet of this pkpId.")
        if not use.allowed:
            denial = forbidden(Denial(Missing.WALLET_IN_GROUP), self._caller)
            raise HostCallError("Forbidden", f"{denial.message} {denial.fix}")
        return self._derive(use.wallet)

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
