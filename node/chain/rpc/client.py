"""JSON-RPC client over ordered endpoints, which asks the next one where one fails."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import aiohttp
from pydantic import JsonValue

from node.chain.rpc.endpoint import Endpoint, EndpointHealth
from node.chain.rpc.wire import (
    CallRevertedError,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    hex_bytes,
)
from node.errors import StartupRefusedError
from node.settings.chain import RpcSettings

Answer = TypeVar("Answer")


class JsonRpc:
    """Calls over the first endpoint that answers, in the order given; those that failed lately are asked last.

    `session` is closed by the caller and should keep no cookies. `clock` is monotonic, in seconds. Raises
    StartupRefusedError (`rpc_endpoints`) when there is no endpoint or one is no http(s) URL.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoints: Sequence[str],
        settings: RpcSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not endpoints:
            raise StartupRefusedError("rpc_endpoints", "Name at least one JSON-RPC endpoint.")
        self.settings = settings or RpcSettings()
        self.endpoints: tuple[Endpoint, ...] = tuple(
            Endpoint(session, url, clock, self.settings.authorization_of(url)) for url in endpoints
        )
        self._clock = clock

    def __repr__(self) -> str:
        return f"JsonRpc({', '.join(endpoint.host for endpoint in self.endpoints)})"

    def health(self) -> tuple[EndpointHealth, ...]:
        """Return the health of each endpoint, in the order given."""
        return tuple(endpoint.health() for endpoint in self.endpoints)

    async def call(self, method: str, params: Sequence[JsonValue] = ()) -> JsonValue:
        """Return the result of one method.

        Raises RpcRefusedError when an endpoint answers a definitive error, RpcUnavailableError when none answers.
        """
        call = RpcCall(method, params)
        (outcome,) = await self.first(lambda endpoint, timeout_s: endpoint.send([call], timeout_s))
        if isinstance(outcome, RpcRefusedError):
            raise outcome
        return outcome

    async def first(self, ask: Callable[[Endpoint, float], Awaitable[Answer]]) -> Answer:
        """Return the answer of the first endpoint for which `ask(endpoint, timeout_s)` does not raise RpcUnavailableError.

        When all fail or `rpc_call_timeout_s` is over it raises the last RpcUnavailableError; any other error of `ask`
        is raised at once.
        """
        # The order given, not the fastest first: a question that builds on another (a nonce on a count, a receipt on a
        # sending) is best put to the same endpoint. Where several must agree, the better are asked first
        # (node/chain/quorum).
        deadline = self._clock() + self.settings.rpc_call_timeout_s
        last: RpcUnavailableError | None = None
        for endpoint in sorted(self.endpoints, key=lambda each: each.rests):
            timeout_s = min(self.settings.rpc_attempt_timeout_s, deadline - self._clock())
            if timeout_s <= 0:
                break
            try:
                return await ask(endpoint, timeout_s)
            except RpcUnavailableError as fault:
                last = fault
        raise last or RpcUnavailableError(self.endpoints[0].host, "no time was left to ask it")


def eth_call_of(
    to: str | None, data: bytes, block: JsonValue = "latest", *, sender: str | None = None, gas: int | None = None
) -> RpcCall:
    """Return the `eth_call` of `data` on the contract at `to`, as `sender` and with `gas` where they are given.

    Without `to` the data is a program that is run as if it made a contract; the answer is its return value.
    """
    transaction: dict[str, JsonValue] = {"data": "0x" + data.hex()}
    if to is not None:
        transaction["to"] = to
    if sender is not None:
        transaction["from"] = sender
    if gas is not None:
        transaction["gas"] = hex(gas)
    return RpcCall("eth_call", [transaction, block])


def returned_bytes(endpoint: Endpoint, outcome: RpcOutcome) -> bytes:
    """Return the bytes of an `eth_call` outcome.

    Raises CallRevertedError for a revert, RpcRefusedError for another definitive error, and
    RpcUnavailableError (counted against `endpoint`) when it answered something that is no bytes.
    """
    if isinstance(outcome, RpcRefusedError):
        data = outcome.revert_data
        if data is not None:
            raise CallRevertedError(data)
        raise outcome
    returned = hex_bytes(outcome) if isinstance(outcome, str) else None
    if returned is not None:
        return returned
    raise endpoint.fault("its eth_call answer is not hex data")
