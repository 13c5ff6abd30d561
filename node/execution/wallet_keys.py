"""Wallet keys of a running action: the wallet must be registered, its use authorised, and the derived address its own."""

import functools
from collections.abc import Sequence
from typing import Final, Protocol

from pydantic import JsonValue

from node.chain.port import Authorisations, MayReread, WalletRecord, WalletUse
from node.engine.port import HostCallError
from node.http.errors import forbidden
from node.http.fields import parse_pkp_id
from node.keyring.port import Keyring, Sealer, SigningKey
from node.permissions.decisions import Denial, Missing
from node.permissions.grants import Caller

DERIVATIONS_REMEMBERED: Final = 4096
"""Wallets of which it is kept under which former admin they were derived, or that under none."""


class AdminHashes(Protocol):
    """The hashes of the wallets that administer or administered an account on chain, the present one first.

    Hashes of no other account's admins are ever among them, whoever lies: a key is derived under each.
    """

    def kept(self, account: int) -> Sequence[int] | None:
        """Return them as last read, where nothing is known to have changed; None where they must be read."""
        ...

    async def read(self, account: int) -> Sequence[int]:
        """Return them as of the head; none of a managed account. Raises NodeError `chain_unavailable`."""
        ...


class Derivation:
    """Finds the owner under whose hash a registered wallet was derived: the one that gives the wallet's address.

    Of `remembered` wallets it is kept which admin's hash that is, if any: who is refused must not make the node derive a
    key for every admin each time. Keys are not kept.
    """

    def __init__(self, keyring: Keyring, admins: AdminHashes, remembered: int = DERIVATIONS_REMEMBERED) -> None:
        self._keyring = keyring
        self._admins = admins
        self._owner = functools.lru_cache(remembered)(self._owner_of)

    async def key_of(self, caller: Caller, wallet: WalletRecord, may_reread: MayReread) -> tuple[int, SigningKey]:
        """Return the owner's hash and the key of a wallet of the caller's account.

        The account's own hash comes first, and costs no question. Raises HostCallError when no owner's key has the
        registered address: then a path, or an address, of somebody else's was registered; NodeError as `AdminHashes`.
        """
        account = caller.master_hash
        key = self._keyring.wallet(account, wallet.derivation_path)
        # The registered path is anyone's to choose; only the path that gives the registered address is the wallet's.
        if key.address == wallet.address:
            return account, key
        owner = None if caller.managed else await self._admin_of(account, wallet, may_reread)
        if owner is None:
            raise HostCallError("KeyUnavailable", "The registered address of this wallet is not one this node derives.")
        return owner, self._keyring.wallet(owner, wallet.derivation_path)

    def sealer_of(self, owner: int, wallet: WalletRecord) -> Sealer:
        """Return the sealer of a wallet whose owner `key_of` found."""
        return self._keyring.wallet_sealer(owner, wallet.derivation_path)

    async def _admin_of(self, account: int, wallet: WalletRecord, may_reread: MayReread) -> int | None:
        kept = self._admins.kept(account)
        owner = None if kept is None else self._owner(tuple(kept), wallet.derivation_path, wallet.address)
        # Bounded: a wallet that fits no admin would otherwise cost a read of the chain each time.
        if owner is None and (kept is None or may_reread()):
            read = await self._admins.read(account)
            owner = self._owner(tuple(read), wallet.derivation_path, wallet.address)
        return owner

    def _owner_of(self, owners: tuple[int, ...], derivation_path: int, address: str) -> int | None:
        under = (owner for owner in owners if self._keyring.wallet(owner, derivation_path).address == address)
        return next(under, None)


class WalletKeys:
    """The wallets one running action may use: one caller, one action, decided at `min_block` or later.

    Every use is asked for anew and no permission is remembered here, so that what is revoked while an action runs ends.
    """

    def __init__(
        self,
        authorisations: Authorisations,
        derivation: Derivation,
        caller: Caller,
        action_hash: int,
        min_block: int,
        may_reread: MayReread,
    ) -> None:
        self._authorisations = authorisations
        self._derivation = derivation
        self._caller = caller
        self._action_hash = action_hash
        self._min_block = min_block
        self._may_reread = may_reread
        self.used: set[str] = set()
        """Addresses of the wallets whose use was allowed."""

    async def may_use(self, address: str) -> bool:
        """Return whether the wallet of this address may be used now. Raises NodeError `chain_unavailable`."""
        return (await self._use(address)).allowed

    async def signing_key(self, pkp_id: JsonValue) -> SigningKey:
        """Return the wallet's key. Raises HostCallError when it is unknown, not permitted or not derivable here."""
        _, _, key = await self._authorised(pkp_id)
        return key

    async def sealer(self, pkp_id: JsonValue) -> tuple[Sealer, bytes]:
        """Return the wallet's sealer, and the context that binds a ciphertext to the wallet. Raises as `signing_key`."""
        owner, wallet, _ = await self._authorised(pkp_id)
        return self._derivation.sealer_of(owner, wallet), bytes.fromhex(wallet.address[2:])

    async def _authorised(self, pkp_id: JsonValue) -> tuple[int, WalletRecord, SigningKey]:
        use = await self._use(_parse(pkp_id))
        if use.wallet is None:
            raise HostCallError("NotFound", "The account has no wallet of this pkpId.")
        if not use.allowed:
            denial = forbidden(Denial(Missing.WALLET_IN_GROUP), self._caller)
            raise HostCallError("Forbidden", f"{denial.message} {denial.fix}")
        # Noted before the key is derived: a stored answer is authorised again for every wallet that was allowed.
        self.used.add(use.wallet.address)
        owner, key = await self._derivation.key_of(self._caller, use.wallet, self._may_reread)
        return owner, use.wallet, key

    async def _use(self, wallet: str | int) -> WalletUse:
        return await self._authorisations.wallet_use(
            self._caller, self._action_hash, wallet, self._min_block, self._may_reread
        )


def _parse(pkp_id: JsonValue) -> str | int:
    try:
        return parse_pkp_id(pkp_id)
    except ValueError as error:
        raise HostCallError("BadRequest", f"pkpId {error}.") from None
