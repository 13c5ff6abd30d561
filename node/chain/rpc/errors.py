"""What can go wrong between this node and an endpoint, by kind; no text here ever holds an endpoint's URL."""

import binascii
from typing import Final

from pydantic import JsonValue

from node.errors import ErrorCode, NodeError

RETRY_AFTER_S: Final = 2
"""What a client is told to wait, in whole seconds, when the chain is out of reach."""

REVERT_CODE: Final = 3
"""The JSON-RPC error code of a revert (geth, anvil and what follows them)."""


class RpcError(Exception):
    """Root of the room's JSON-RPC errors."""


class RpcUnavailableError(RpcError):
    """No usable answer: `host` is the endpoint asked last, `why` says what it did.

    Of a transaction that was being sent this says nothing: it may or may not have arrived.
    """

    def __init__(self, host: str, why: str) -> None:
        super().__init__(f"RPC endpoint {host}: {why}")
        self.host = host
        self.why = why


class RpcRefusedError(RpcError):
    """The endpoint answered a definitive JSON-RPC error; asking another one would give the same.

    `message` and `data` are the endpoint's own words (its credentials cut out), for this room to
    classify, not for a client: `str()` of this error shows the host and the code alone.
    """

    def __init__(self, host: str, code: int, message: str, data: JsonValue = None) -> None:
        super().__init__(f"RPC endpoint {host} answered error {code}")
        self.host = host
        self.code = code
        self.message = message
        self.data = data

    @property
    def revert_data(self) -> bytes | None:
        """What the contract reverted with (empty for a bare revert), None when this is no revert."""
        return revert_data(self.code, self.message, self.data)


class BlockUnknownError(RpcRefusedError):
    """The endpoint does not know the block a call was pinned to: not yet, or no longer. No fault of its health."""


class CallRevertedError(RpcError):
    """The contract reverted; `data` is what it reverted with: a selector and its ABI-encoded arguments, or empty."""

    def __init__(self, data: bytes) -> None:
        super().__init__(f"The contract reverted with {len(data)} bytes (selector 0x{data[:4].hex()})")
        self.data = data


def hex_bytes(text: str) -> bytes | None:
    """The bytes of `0x…`, also behind words of a server's (`Reverted 0x…`); None when it is not hex of whole bytes."""
    _, prefix, digits = text.rpartition("0x")
    try:
        return binascii.unhexlify(digits) if prefix else None
    except ValueError:
        return None


def revert_data(code: int, message: str, data: JsonValue) -> bytes | None:
    """The revert data of a JSON-RPC error object, None when it is not a revert.

    Clients differ: a hex string in `data` (geth, anvil, Erigon), `Reverted 0x…` (Nethermind), or an object
    with a `data` of its own (Hardhat, some proxies).
    """
    if isinstance(data, dict):
        data = data.get("data")
    if code != REVERT_CODE and "revert" not in message.lower():
        return None
    found = hex_bytes(data) if isinstance(data, str) else None
    return found or b""


def chain_unavailable(error: RpcError) -> NodeError:
    """The answer a client gets for `error`: 503, without naming the endpoint (decisions.md section 3)."""
    what = "cannot be reached" if isinstance(error, RpcUnavailableError) else "does not answer as it should"
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        f"The chain {what} just now; nothing was changed and nothing was charged.",
        fix="Try again in a few seconds.",
        retry_after_s=RETRY_AFTER_S,
    )
