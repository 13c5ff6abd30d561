"""The JSON-RPC client of the chain room: ordered endpoints, the next one where one fails."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import aiohttp
from pydantic import JsonValue

from node.chain.rpc.endpoint import Endpoint, EndpointHealth
from node.chain.rpc.errors import CallRevertedError, RpcRefusedError, RpcUnavailableError, hex_bytes
from node.chain.rpc.limits import RpcLimits
from node.chain.rpc.wire import RpcCall, RpcOutcome
from node.errors import StartupRefusedError

Answer = TypeVar("Answer")


class JsonRpc:
    """Calls over the first endpoint that answers, in the order given; those that failed lately are asked last.

    `session` is the caller's to close; it should keep no cookies. Raises StartupRefusedError
    (`rpc_endpoints`) when there is no endpoint or one is no http(s) URL.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoints: Sequence[str],
        limits: RpcLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not endpoints:
            raise StartupRefusedError("rpc_endpoints", "Name at least one JSON-RPC endpoint.")
        self.limits = limits or RpcLimits()
        self.endpoints: tuple[Endpoint, ...] = tuple(Endpoint(session, url, self.limits, clock) for url in endpoints)
        self._clock = clock

    def __repr__(self) -> str:
        return f"JsonRpc({', '.join(endpoint.host for endpoint in self.endpoints)})"

    def health(self) -> tuple[EndpointHealth, ...]:
        """How each endpoint has been doing, in the order given."""
        return tuple(endpoint.health() for endpoint in self.endpoints)

    async def call(self, method: str, params: Sequence[JsonValue] = ()) -> JsonValue:
        """The result of one method.

        Raises RpcRefusedError when an endpoint answers a definitive error, RpcUnavailableError when none answers.
        """
        call = RpcCall(method, params)
        (outcome,) = await self.first(lambda endpoint, timeout_s: endpoint.send([call], timeout_s))
        if isinstance(outcome, RpcRefusedError):
            raise outcome
        return outcome

    async def first(self, ask: Callable[[Endpoint, float], Awaitable[Answer]]) -> Answer:
        """The answer of the first endpoint for which `ask(endpoint, timeout_s)` does not raise RpcUnavailableError.

        When all fail or `call_timeout_s` is over it raises the last RpcUnavailableError; any other error of `ask`
        is raised at once.
        """
        # The order given, not the fastest first: what one question builds on another (a nonce on a count, a receipt on
        # a sending) is best asked where that was asked. Where several must say the same, the better are asked first
        # (node/chain/quorum).
        deadline = self._clock() + self.limits.call_timeout_s
        last: RpcUnavailableError | None = None
        for endpoint in sorted(self.endpoints, key=lambda each: each.rests):
            timeout_s = min(self.limits.attempt_timeout_s, deadline - self._clock())
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
    """The `eth_call` of `data` on the contract at `to`, as `sender` and with `gas` where they are given.

    Without `to` the data is a program that is run as if it made a contract: what it returns is the answer.
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
    """The bytes an `eth_call` outcome stands for.

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
