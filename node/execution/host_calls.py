"""Host functions of `Svc.Actions`, and the wallet keys they use (spec 5.6).

`ActionCalls` reads the requests of a running action. `WalletKeys` authorises each use: the wallet
must be registered and permitted now, and its derived address equal. `Derivation` finds its owner.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar, Final, Protocol

from pydantic import JsonValue

from node.api.errors import NODE_FAULTS, as_node_error, forbidden
from node.api.fields import parse_pkp_id
from node.chain.errors import ChainUnavailableError
from node.chain.port import Authorisations, MayReread, WalletRecord, WalletUse
from node.engine.cid import parse_cid
from node.engine.frames import PlainText
from node.engine.port import HostCallError, StopReason
from node.errors import DomainError
from node.keyring.enclave import OVERHEAD_BYTES
from node.keyring.port import Keyring, Sealer, SigningKey
from node.keyring.signing import sign_message, sign_typed_data
from node.keyring.transactions import sign_transaction
from node.permissions.grants import Caller, Denial, Missing

Request = Mapping[str, JsonValue]
"""The object that every function of `Svc.Actions` takes."""

ENCRYPT_BYTES_MAX: Final = 1024 * 1024
"""Maximum message of `Encrypt`. More would block the event loop for milliseconds."""
DERIVATIONS_REMEMBERED: Final = 4096
"""Wallets of which it is kept under which former admin they were derived, or that under none."""
_CHAIN_UNAVAILABLE: Final = (
    "The node could not read from the chain what decides this call, or the chain's endpoints could not compute it. "
    "Try again in a few seconds; if it stays so, give the key fewer groups."
)
"""Message for actions. The error's own text says that nothing was charged."""


class AdminHashes(Protocol):
    """Hashes of the wallets that are or were an account's admins on chain, the present one first.

    Never contains another account's admin, even if a provider lies, as each derives a key.
    """

    def kept(self, account: int) -> Sequence[int] | None:
        """Returns the cached hashes; None if they must be read."""
        ...

    async def read(self, account: int) -> Sequence[int]:
        """Returns the hashes at the head, none if managed. Raises NodeError `chain_unavailable`."""
        ...


class Derivation:
    """Finds the owner whose hash derives a registered wallet's address.

    Remembers the owner, or its absence, for `remembered` wallets, so that a refused caller does not
    cost a derivation per admin each time. Keys are not kept.
    """

    def __init__(self, keyring: Keyring, admins: AdminHashes, remembered: int = DERIVATIONS_REMEMBERED) -> None:
        self._keyring = keyring
        self._admins = admins
        self._owner = functools.lru_cache(remembered)(self._owner_of)

    async def key_of(self, caller: Caller, wallet: WalletRecord, may_reread: MayReread) -> tuple[int, SigningKey]:
        """Returns the owner's hash and the key of a wallet of the caller's account.

        The account's own hash is tried first, without I/O. Raises HostCallError if no owner derives
        the address, which is then another account's, and NodeError as `AdminHashes`.
        """
        account = caller.master_hash
        # Spec 7.6: the master hash first, then each admin the account ever had on chain.
        key = self._keyring.wallet(account, wallet.derivation_path)
        # Anyone can register any path; only the registered address proves the path.
        if key.address == wallet.address:
            return account, key
        # A payer registers a managed account's wallets and could choose a victim as owner.
        owner = None if caller.managed else await self._admin_of(account, wallet, may_reread)
        if owner is None:
            raise HostCallError("KeyUnavailable", "The registered address of this wallet is not one this node derives.")
        return owner, self._keyring.wallet(owner, wallet.derivation_path)

    def sealer_of(self, owner: int, wallet: WalletRecord) -> Sealer:
        """Returns the sealer of a wallet whose owner `key_of` found."""
        return self._keyring.wallet_sealer(owner, wallet.derivation_path)

    async def _admin_of(self, account: int, wallet: WalletRecord, may_reread: MayReread) -> int | None:
        # Cached admins first, since reading them requests logs.
        kept = self._admins.kept(account)
        owner = None if kept is None else self._owner(tuple(kept), wallet.derivation_path, wallet.address)
        # Limited, since a wallet without an owner would read the chain each time.
        if owner is None and (kept is None or may_reread()):
            read = await self._admins.read(account)
            owner = self._owner(tuple(read), wallet.derivation_path, wallet.address)
        return owner

    def _owner_of(self, owners: tuple[int, ...], derivation_path: int, address: str) -> int | None:
        under = (owner for owner in owners if self._keyring.wallet(owner, derivation_path).address == address)
        return next(under, None)


class WalletKeys:
    """The wallets that one run may use, decided at `min_block` or later.

    Each use is authorised again, so that a revocation takes effect while the action runs.
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
        """Returns whether this wallet may be used now. Raises NodeError `chain_unavailable`."""
        return (await self._use(address)).allowed

    async def signing_key(self, pkp_id: JsonValue) -> SigningKey:
        """Returns the wallet's key. Raises HostCallError if unknown, forbidden or not derivable."""
        _, _, key = await self._authorised(pkp_id)
        return key

    async def sealer(self, pkp_id: JsonValue) -> tuple[Sealer, bytes]:
        """Returns the wallet's sealer and its ciphertexts' context. Raises as `signing_key`."""
        owner, wallet, _ = await self._authorised(pkp_id)
        return self._derivation.sealer_of(owner, wallet), bytes.fromhex(wallet.address[2:])

    async def _authorised(self, pkp_id: JsonValue) -> tuple[int, WalletRecord, SigningKey]:
        # Authorised for each use, since one group must list action and wallet (spec 4.5).
        try:
            wallet = parse_pkp_id(pkp_id)
        except ValueError as error:
            raise HostCallError("BadRequest", f"pkpId {error}.") from None
        use = await self._use(wallet)
        if use.wallet is None:
            raise HostCallError("NotFound", "The account has no wallet of this pkpId.")
        if not use.allowed:
            denial = forbidden(Denial(Missing.WALLET_IN_GROUP), self._caller)
            raise HostCallError("Forbidden", f"{denial.message} {denial.fix}")
        # Note it first: a stored response is authorised again for every allowed wallet.
        self.used.add(use.wallet.address)
        owner, key = await self._derivation.key_of(self._caller, use.wallet, self._may_reread)
        return owner, use.wallet, key

    async def _use(self, wallet: str | int) -> WalletUse:
        # `min_block` holds for wallets too, so that no write a client saw is contradicted.
        return await self._authorisations.wallet_use(
            self._caller, self._action_hash, wallet, self._min_block, self._may_reread
        )


class ActionCalls:
    """The `HostCalls` of one run. `stop` ends the run if it makes too many calls."""

    def __init__(
        self,
        wallets: WalletKeys,
        keyring: Keyring,
        cid: str,
        key_operations_max: int,
        stop: "asyncio.Future[StopReason]",
    ) -> None:
        self._wallets = wallets
        self._keyring = keyring
        self._cid = cid
        self._key_operations_max = key_operations_max
        self._stop = stop
        self.key_operations = 0

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        """Runs one call. Raises HostCallError for its own fault, DomainError for the node's."""
        # Count first, so that every call is counted.
        self.key_operations += 1
        if self.key_operations > self._key_operations_max:
            # End the run, since an action that catches the error could call forever.
            if not self._stop.done():
                self._stop.set_result(StopReason.KEY_LIMIT)
            raise HostCallError(StopReason.KEY_LIMIT, "The action made more key operations than it may.")
        function = self._FUNCTIONS.get(name)
        request = arguments[0] if len(arguments) == 1 else None
        # A compromised engine could send any name with any arguments.
        if function is None or not isinstance(request, dict):
            raise HostCallError("BadRequest", "Svc.Actions functions take one object.")
        try:
            return await function(self, request)
        except ChainUnavailableError:
            # The action can catch it and continues; what it ran is charged in any case (spec 5.5).
            raise HostCallError("ChainUnavailable", _CHAIN_UNAVAILABLE) from None
        except DomainError as error:
            # The engine makes it a `NodeFault` without its text, and logs it.
            if as_node_error(error).code in NODE_FAULTS:
                raise
            raise HostCallError("BadRequest", error.message) from None

    async def _get_private_key(self, request: Request) -> JsonValue:
        _allow(request, "pkpId")
        return (await self._wallets.signing_key(request.get("pkpId"))).reveal()

    async def _get_action_private_key(self, request: Request) -> JsonValue:
        # The key of the running code's CID, which the node computed, needs no permission.
        _allow(request)
        return self._keyring.action_identity(self._cid).reveal()

    async def _get_action_public_key(self, request: Request) -> JsonValue:
        return "0x" + self._identity_of(request).public_key.hex()

    async def _get_action_wallet_address(self, request: Request) -> JsonValue:
        return self._identity_of(request).address

    def _identity_of(self, request: Request) -> SigningKey:
        _allow(request, "ipfsId")
        # The public part of any action's key is public; the private key is the running code's.
        return self._keyring.action_identity(parse_cid(_text(request, "ipfsId")))

    async def _encrypt(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "message")
        try:
            message = _text(request, "message").encode()
        except UnicodeEncodeError:
            raise HostCallError("BadRequest", "message holds half a surrogate pair: it has no UTF-8 form.") from None
        if len(message) > ENCRYPT_BYTES_MAX:
            raise HostCallError("BadRequest", f"Encrypt takes {ENCRYPT_BYTES_MAX} bytes at a time.")
        sealer, context = await self._wallets.sealer(request.get("pkpId"))
        # Hex needs no escapes, so a megabyte is copied and not scanned.
        return PlainText("0x" + sealer.seal(message, context).hex())

    async def _decrypt(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "ciphertext")
        text = _text(request, "ciphertext")
        # Check before the wallet look-up, since `Encrypt` makes no longer ciphertext.
        if len(text) > 2 + 2 * (ENCRYPT_BYTES_MAX + OVERHEAD_BYTES):
            raise HostCallError("DecryptionFailed", "The ciphertext is longer than any that Encrypt makes.")
        sealed = _bytes_of_hex(text, "ciphertext")
        sealer, context = await self._wallets.sealer(request.get("pkpId"))
        try:
            return sealer.open(sealed, context).decode()
        # One message for all causes tells an attacker nothing about the cause.
        except ValueError:
            raise HostCallError(
                "DecryptionFailed", "The ciphertext is damaged, or was not encrypted for this wallet."
            ) from None

    async def _sign_message(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "message")
        # Check first, so that an unsignable message costs no read of the chain.
        message = _message(request.get("message"))
        return "0x" + sign_message(await self._signer(request), message).hex()

    async def _sign_typed_data(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "domain", "types", "value")
        domain, types, value = (_object(request, name) for name in ("domain", "types", "value"))
        return "0x" + sign_typed_data(await self._signer(request), domain, types, value).hex()

    async def _sign_transaction(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "transaction")
        transaction = _object(request, "transaction")
        return "0x" + sign_transaction(await self._signer(request), transaction).hex()

    async def _signer(self, request: Request) -> SigningKey:
        """Returns the wallet's key, or the action's own key if no wallet is named."""
        # null is not absent: a script with an unset variable must not sign with another key.
        if "pkpId" not in request:
            return self._keyring.action_identity(self._cid)
        return await self._wallets.signing_key(request["pkpId"])

    _FUNCTIONS: ClassVar[Mapping[str, Callable[["ActionCalls", Request], Awaitable[JsonValue]]]] = {
        "getPrivateKey": _get_private_key,
        "getSvcActionPrivateKey": _get_action_private_key,
        "getSvcActionPublicKey": _get_action_public_key,
        "getSvcActionWalletAddress": _get_action_wallet_address,
        "Encrypt": _encrypt,
        "Decrypt": _decrypt,
        "signMessage": _sign_message,
        "signTypedData": _sign_typed_data,
        "signTransaction": _sign_transaction,
    }


def _allow(request: Request, *names: str) -> None:
    # A misspelled `pkpid` would otherwise let the action's own key sign.
    unknown = [name for name in request if name not in names]
    if unknown:
        takes = ", ".join(names) or "no fields"
        raise HostCallError("BadRequest", f"The request has a field that is not known; this function takes {takes}.")


def _text(request: Request, name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str):
        raise HostCallError("BadRequest", f"{name} must be a string.")
    return value


def _object(request: Request, name: str) -> Request:
    value = request.get(name)
    if not isinstance(value, dict):
        raise HostCallError("BadRequest", f"{name} must be an object.")
    return value


def _message(value: JsonValue) -> str | bytes:
    match value:
        # The prelude tags the type, as JSON has no bytes and a text "0x…" is signed as text.
        case {"text": str() as text, **rest} if not rest:
            return text
        case {"bytes": str() as text, **rest} if not rest:
            return _bytes_of_hex(text, "message")
        case _:
            raise HostCallError("BadRequest", "message must be a string or a Uint8Array.")


def _bytes_of_hex(text: str, name: str) -> bytes:
    try:
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        raise HostCallError("BadRequest", f"{name} must be hex.") from None
