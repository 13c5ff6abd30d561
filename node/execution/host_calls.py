"""Host functions of `Svc.Actions`, and the wallet keys they use (spec 5.6).

`ActionCalls` reads the requests of a running action. `WalletKeys` authorises each use of a wallet: it must be registered, its use
permitted now, and the derived address its own. `Derivation` finds the owner under whose hash the wallet was derived.
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
"""The one object every function of `Svc.Actions` takes."""

ENCRYPT_BYTES_MAX: Final = 1024 * 1024
"""Largest message `Encrypt` takes: more would hold the event loop up for milliseconds."""
DERIVATIONS_REMEMBERED: Final = 4096
"""Wallets of which it is kept under which former admin they were derived, or that under none."""
_CHAIN_UNAVAILABLE: Final = (
    "The node could not read from the chain what decides this call, or the chain's endpoints could not compute it. "
    "Try again in a few seconds; if it stays so, give the key fewer groups."
)
"""Message for actions. That of the error is for HTTP clients: it says that nothing was charged."""


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
        # Spec 7.6: the master hash first, then each admin the account ever had on chain.
        key = self._keyring.wallet(account, wallet.derivation_path)
        # The registered path is anyone's to choose; only the path that gives the registered address is the wallet's.
        if key.address == wallet.address:
            return account, key
        # A payer names a managed account's wallet as it likes: as an owner, it could name a victim and use its keys.
        owner = None if caller.managed else await self._admin_of(account, wallet, may_reread)
        if owner is None:
            raise HostCallError("KeyUnavailable", "The registered address of this wallet is not one this node derives.")
        return owner, self._keyring.wallet(owner, wallet.derivation_path)

    def sealer_of(self, owner: int, wallet: WalletRecord) -> Sealer:
        """Return the sealer of a wallet whose owner `key_of` found."""
        return self._keyring.wallet_sealer(owner, wallet.derivation_path)

    async def _admin_of(self, account: int, wallet: WalletRecord, may_reread: MayReread) -> int | None:
        # Known admins first: to read them asks the endpoints for logs.
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
        # Anew for each use, beside the authorisation of the run: one group must list the action and the wallet (spec 4.5).
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
        # The block that the request names holds for wallets too: a write that the client saw is never contradicted.
        return await self._authorisations.wallet_use(
            self._caller, self._action_hash, wallet, self._min_block, self._may_reread
        )


class ActionCalls:
    """The `HostCalls` of one run. `stop` ends the run when it asks too often."""

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
        """Answer one call. Raises HostCallError for what the action did wrong, DomainError for what the node did."""
        # First, so that no call is free, however it is made.
        self._count()
        function = self._FUNCTIONS.get(name)
        request = arguments[0] if len(arguments) == 1 else None
        # The worker is not trusted: whoever broke out of its engine sends any name with any arguments.
        if function is None or not isinstance(request, dict):
            raise HostCallError("BadRequest", "Svc.Actions functions take one object.")
        try:
            return await function(self, request)
        except ChainUnavailableError:
            # An error that the action can catch: it lives, and what it ran is charged whoever is at fault (spec 5.5).
            raise HostCallError("ChainUnavailable", _CHAIN_UNAVAILABLE) from None
        except DomainError as error:
            # The engine makes it a `NodeFault` without its text, and logs it.
            if as_node_error(error).code in NODE_FAULTS:
                raise
            raise HostCallError("BadRequest", error.message) from None

    def _count(self) -> None:
        self.key_operations += 1
        if self.key_operations > self._key_operations_max:
            # Ended and not only refused: an action that catches the error would otherwise ask on and on.
            if not self._stop.done():
                self._stop.set_result(StopReason.KEY_LIMIT)
            raise HostCallError(StopReason.KEY_LIMIT, "The action made more key operations than it may.")

    async def _get_private_key(self, request: Request) -> JsonValue:
        _allow(request, "pkpId")
        return (await self._wallets.signing_key(request.get("pkpId"))).reveal()

    async def _get_action_private_key(self, request: Request) -> JsonValue:
        # Of the running code's CID, which the node computed itself: no permission is asked.
        _allow(request)
        return self._keyring.action_identity(self._cid).reveal()

    async def _get_action_public_key(self, request: Request) -> JsonValue:
        return "0x" + self._identity_of(request).public_key.hex()

    async def _get_action_wallet_address(self, request: Request) -> JsonValue:
        return self._identity_of(request).address

    def _identity_of(self, request: Request) -> SigningKey:
        _allow(request, "ipfsId")
        # Public parts of any action's key may be asked for; the private key is of the running code alone.
        return self._keyring.action_identity(parse_cid(_text(request, "ipfsId")))

    async def _encrypt(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "message")
        message = _utf8(_text(request, "message"))
        if len(message) > ENCRYPT_BYTES_MAX:
            raise HostCallError("BadRequest", f"Encrypt takes {ENCRYPT_BYTES_MAX} bytes at a time.")
        sealer, context = await self._wallets.sealer(request.get("pkpId"))
        # Hex needs no escapes: a message of a megabyte is copied into the answer, and not scanned.
        return PlainText("0x" + sealer.seal(message, context).hex())

    async def _decrypt(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "ciphertext")
        text = _text(request, "ciphertext")
        # Before the wallet is looked up: no honest ciphertext is longer.
        if len(text) > 2 + 2 * (ENCRYPT_BYTES_MAX + OVERHEAD_BYTES):
            raise HostCallError("DecryptionFailed", "The ciphertext is longer than any that Encrypt makes.")
        sealed = _bytes_of_hex(text, "ciphertext")
        sealer, context = await self._wallets.sealer(request.get("pkpId"))
        try:
            return sealer.open(sealed, context).decode()
        # One message for damage, another wallet and bad UTF-8: it tells an attacker nothing about which.
        except ValueError:
            raise HostCallError(
                "DecryptionFailed", "The ciphertext is damaged, or was not encrypted for this wallet."
            ) from None

    async def _sign_message(self, request: Request) -> JsonValue:
        _allow(request, "pkpId", "message")
        # Before the wallet: what cannot be signed costs no read of the chain.
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
        """Return the wallet's key, or the action's own where no wallet is named."""
        # Left out, not null: a script whose variable is unset must not sign with another key than it meant.
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
    # A misspelled `pkpid` would otherwise be ignored, and the action's own key would sign.
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
        # The prelude says which: JSON has no bytes, and a text "0x…" signs as the text it is.
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


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise HostCallError("BadRequest", "message holds half a surrogate pair: it has no UTF-8 form.") from None


def _parse(pkp_id: JsonValue) -> str | int:
    try:
        return parse_pkp_id(pkp_id)
    except ValueError as error:
        raise HostCallError("BadRequest", f"pkpId {error}.") from None
