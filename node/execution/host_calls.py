"""Host functions of `Svc.Actions`: requests of a running action, and their answers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar, Final

from pydantic import JsonValue

from node.chain.errors import ChainUnavailableError
from node.engine.cid import parse_cid
from node.engine.frames import PlainText
from node.engine.port import HostCallError, StopReason
from node.execution.wallet_keys import WalletKeys
from node.http.errors import DomainError, as_node_error
from node.keyring.enclave import OVERHEAD_BYTES
from node.keyring.port import Keyring, SigningKey
from node.keyring.signing import sign_message, sign_typed_data
from node.keyring.transactions import sign_transaction

Request = Mapping[str, JsonValue]
"""The one object every function of `Svc.Actions` takes."""

ENCRYPT_BYTES_MAX: Final = 1024 * 1024
"""Largest message `Encrypt` takes: more would hold the event loop up for milliseconds."""
_NODE_FAULTS_FROM: Final = 500
_CHAIN_UNAVAILABLE: Final = (
    "The node could not read from the chain what decides this call, or the chain's endpoints could not compute it. "
    "Try again in a few seconds; if it stays so, give the key fewer groups."
)
"""Message for actions. That of the error is for HTTP clients: it says that nothing was charged."""


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
        self._count()  # first, so that no call is free, however it is made
        function = self._FUNCTIONS.get(name)
        request = arguments[0] if len(arguments) == 1 else None
        if function is None or not isinstance(request, dict):
            raise HostCallError("BadRequest", "Svc.Actions functions take one object.")
        try:
            return await function(self, request)
        except ChainUnavailableError:
            raise HostCallError("ChainUnavailable", _CHAIN_UNAVAILABLE) from None
        except DomainError as error:
            if as_node_error(error).status >= _NODE_FAULTS_FROM:
                raise
            raise HostCallError("BadRequest", error.message) from None

    def _count(self) -> None:
        self.key_operations += 1
        if self.key_operations > self._key_operations_max:
            if not self._stop.done():
                self._stop.set_result(StopReason.KEY_LIMIT)
            raise HostCallError(StopReason.KEY_LIMIT, "The action made more key operations than it may.")

    async def _get_private_key(self, request: Request) -> JsonValue:
        _allow(request, "pkpId")
        return (await self._wallets.signing_key(request.get("pkpId"))).reveal()

    async def _get_action_private_key(self, request: Request) -> JsonValue:
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
        """Return the wallet's key, or the action's own where no wallet is named (null is a wallet that does not exist)."""
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
        case str():
            return value
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
