"""JSON-RPC providers with their health, and a client that asks ordered providers in turn.

If one provider fails, the next is asked. Every exchange is bounded in time and bytes.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import aiohttp
import structlog
from pydantic import JsonValue
from yarl import URL

from node.chain.rpc.websocket import WebsocketAddress, parse_url
from node.chain.rpc.wire import (
    BatchRefusedAnswerError,
    BatchRefusedError,
    BlockUnknownError,
    CallRevertedError,
    MalformedAnswerError,
    RefusedAnswer,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    encode_request,
    hex_bytes,
    parse_answers,
)
from node.errors import StartupRefusedError
from node.runtime.clock import Throttle
from node.runtime.http_client import FAILURES, bounded_body, no_response, request
from node.runtime.processor_time import require_few_values
from node.settings.chain import RpcSettings

ENDPOINT_REST_S: Final = 5.0
"""Time for which a failed provider is asked last: longer than a proxy's restart."""

LOG_INTERVAL_S: Final = 10.0
"""Interval in which the same trouble with a provider is logged at most once."""

RESPONSE_MAX_BYTES: Final = 16 * 1024 * 1024
"""Largest response that is read, decompressed: several pages of the longest list."""

RESPONSE_MAX_VALUES: Final = 200_000
"""Maximum JSON values in one response, some ten thousand logs. The C parser holds the GIL."""

RETURNED_MAX_BYTES: Final = 2 * 1024 * 1024
"""Maximum result of a view. A page of a hundred items with the longest texts takes an eighth."""

INLINE_BYTES: Final = 64 * 1024
"""Largest response parsed on the event loop, in some milliseconds; larger ones take a thread."""

FAILED: Final = "rpc_endpoint_failed"

READABLE_STATUSES: Final = frozenset({200, 400})
"""Statuses under which servers send JSON-RPC responses; 400 goes with an error object."""

SECRET_MIN_CHARACTERS: Final = 6
"""Minimum length of a credential. Shorter parts of a URL (`v2`, `rpc`) stay in error texts."""

LATENCY_WEIGHT: Final = 0.2
"""Weight of the latest exchange in the moving average of the latency."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ProviderHealth:
    """Health of a provider since the start.

    `latency_s` is a moving average that includes exchanges given up as slow; None before the first.
    """

    healthy: bool
    requests: int
    faults: int
    consecutive_faults: int
    latency_s: float | None


def _secrets_of(url: URL, authorization: str) -> tuple[str, ...]:
    parts = [
        authorization,
        *authorization.split(),
        url.user,
        url.password,
        *url.parts,
        *url.raw_parts,
        *url.query.values(),
        url.fragment,
    ]
    found = {part for part in parts if part and len(part) >= SECRET_MIN_CHARACTERS}
    # Longest first: a shorter part replaced first would leave the rest of a longer one.
    return tuple(sorted(found, key=len, reverse=True))


def _large_answers(body: bytes, first_id: int, count: int) -> list[JsonValue | RefusedAnswer]:
    """Returns the replies in a body of megabytes. Raises MalformedAnswerError."""
    try:
        require_few_values(body, RESPONSE_MAX_VALUES)
    except ValueError:
        raise MalformedAnswerError(f"its answer holds more than {RESPONSE_MAX_VALUES} values") from None
    return parse_answers(body, first_id, count)


def _fault_of(call: RpcCall, answer: JsonValue | RefusedAnswer) -> str | None:
    if not isinstance(answer, RefusedAnswer) or not answer.is_of_provider:
        return None
    # A pinned call's unknown block is a result: the provider is behind, or the block is gone.
    is_answer = (call.pinned and answer.is_unknown_block) or (call.optional and answer.is_unknown_method)
    text = answer.message.lower()
    return None if is_answer or any(word in text for word in call.answers) else f"answered error {answer.code}"


class Provider:
    """JSON-RPC server at one URL. The URL may hold a credential, so only its host is ever shown.

    `authorization` is a header sent to this server alone; if empty, none is sent.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        clock: Callable[[], float] = time.monotonic,
        authorization: str = "",
    ) -> None:
        self._session = session
        self._url = parse_url(url, "http", "https", "rpc_endpoints")
        self._secrets = _secrets_of(self._url, authorization)
        self._headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if authorization:
            self._headers["Authorization"] = authorization
        self._clock = clock
        self._next_id = 1
        self._requests = 0
        self._faults = 0
        self._consecutive_faults = 0
        self._failure_logged = False
        self._may_log = Throttle(LOG_INTERVAL_S, clock)
        self._latency_s: float | None = None
        self._rests_until = float("-inf")
        self._slow_until = float("-inf")
        host = f"[{self._url.host}]" if ":" in (self._url.host or "") else str(self._url.host)
        self.host: Final = host if self._url.is_default_port() else f"{host}:{self._url.port}"

    def __repr__(self) -> str:
        return f"Endpoint({self.host})"

    @property
    def rests(self) -> bool:
        """Whether the provider failed lately and is better asked last."""
        return self._clock() < self._rests_until

    @property
    def is_slow(self) -> bool:
        """Whether a response of the provider was given up lately for being late."""
        return self._clock() < self._slow_until

    @property
    def latency_s(self) -> float:
        """Moving average of an exchange's time; 0 before the first, so every provider is tried."""
        return self._latency_s or 0.0

    @property
    def score(self) -> tuple[bool, bool, float]:
        """Sort key, the best provider first: healthy ones before the others, then the faster."""
        return self.rests, self.is_slow, self.latency_s

    def websocket(self, url: str | None = None) -> WebsocketAddress:
        """Returns the address where the server announces heads: `url`, or its own with ws for http.

        Raises StartupRefusedError (`rpc_websocket_endpoints`) if `url` is no ws(s) URL.
        """
        own = self._url.with_scheme("ws" if self._url.scheme == "http" else "wss")
        named = None if url is None else parse_url(url, "ws", "wss", "rpc_websocket_endpoints")
        return WebsocketAddress(named or own, self.host)

    def health(self) -> ProviderHealth:
        """Returns the counters since the start, for /health and metrics."""
        return ProviderHealth(
            healthy=self._consecutive_faults == 0,
            requests=self._requests,
            faults=self._faults,
            consecutive_faults=self._consecutive_faults,
            latency_s=self._latency_s,
        )

    def passed_over(self, waited_s: float) -> None:
        """Records that a response was given up after `waited_s` seconds: late, but no fault."""
        self._slow_until = self._clock() + ENDPOINT_REST_S
        self._latency_s = max(self._latency_s or 0.0, waited_s)

    def fault(self, why: str) -> RpcUnavailableError:
        """Counts a fault of this provider, lets it rest, and returns the error to raise for it."""
        if self._consecutive_faults == 0 and self._may_log(FAILED):
            self._failure_logged = True
            _log.warning(FAILED, host=self.host, why=why)
        self._faults += 1
        self._consecutive_faults += 1
        self._rests_until = self._clock() + ENDPOINT_REST_S
        return RpcUnavailableError(self.host, why)

    async def send(self, calls: Sequence[RpcCall], timeout_s: float) -> list[RpcOutcome]:
        """Sends all `calls` in one HTTP exchange and returns their outcomes in order.

        Raises RpcUnavailableError if the exchange fails, the response is malformed, or a call met a
        provider's fault; BatchRefusedError if it takes no batches. Definitive errors are values.
        """
        # Fresh ids: a late reply to an earlier request cannot pass for a reply to this one.
        first_id, self._next_id = self._next_id, self._next_id + len(calls)
        started = self._clock()
        self._requests += 1
        outcome = await self._exchange(encode_request(calls, first_id), timeout_s)
        if isinstance(outcome, str):
            raise self.fault(outcome)
        answers = await self._parse(outcome, first_id, calls)
        self._well(self._clock() - started)
        return [
            self._refused(call, answer) if isinstance(answer, RefusedAnswer) else answer
            for call, answer in zip(calls, answers, strict=True)
        ]

    def _well(self, latency_s: float) -> None:
        if self._failure_logged:
            self._failure_logged = False
            _log.info("rpc_endpoint_recovered", host=self.host, after_faults=self._consecutive_faults)
        self._consecutive_faults = 0
        self._rests_until = float("-inf")
        self._slow_until = float("-inf")
        before = latency_s if self._latency_s is None else self._latency_s
        self._latency_s = before + LATENCY_WEIGHT * (latency_s - before)

    async def _parse(self, body: bytes, first_id: int, calls: Sequence[RpcCall]) -> list[JsonValue | RefusedAnswer]:
        answers: list[JsonValue | RefusedAnswer] = []
        try:
            if len(body) <= INLINE_BYTES:
                answers = parse_answers(body, first_id, len(calls))
            else:
                answers = await asyncio.to_thread(_large_answers, body, first_id, len(calls))
            faults = map(_fault_of, calls, answers)
            why = next((fault for fault in faults if fault is not None), None)
        except BatchRefusedAnswerError as refused:
            self.fault(str(refused))
            raise BatchRefusedError(self.host, str(refused)) from None
        except MalformedAnswerError as malformed:
            why = str(malformed)
        if why is not None:
            raise self.fault(why)
        return answers

    def _refused(self, call: RpcCall, answer: RefusedAnswer) -> RpcRefusedError:
        message = answer.message
        for secret in self._secrets:
            message = message.replace(secret, "***")
        kind = BlockUnknownError if call.pinned and answer.is_unknown_block else RpcRefusedError
        return kind(self.host, answer.code, message, answer.data)

    async def _exchange(self, body: bytes, timeout_s: float) -> bytes | str:
        """Returns the body, or a reason. The library's errors hold the URL and are not raised."""
        if self._session.closed:
            return "the node's client session is closed"
        try:
            async with asyncio.timeout(timeout_s):
                try:
                    return await self._post(body)
                except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionResetError) as dropped:
                    if isinstance(dropped, aiohttp.ClientConnectorError):
                        raise
                    # A server may close an idle connection that is still in the pool. A request
                    # may be sent twice: it is a read, or a transaction that is signed already.
                    return await self._post(body)
        except FAILURES as error:
            return no_response(error)

    async def _post(self, body: bytes) -> bytes | str:
        async with request(self._session, "POST", self._url, data=body, headers=self._headers) as response:
            if response.status not in READABLE_STATUSES:
                return f"answered HTTP {response.status}"
            return await bounded_body(response, RESPONSE_MAX_BYTES)


Answer = TypeVar("Answer")


class JsonRpc:
    """Calls the first provider that answers, in the order given; one that failed lately comes last.

    The caller closes `session`, which should keep no cookies. `clock` is monotonic, in seconds.
    Raises StartupRefusedError (`rpc_endpoints`) for no provider, or a URL that is not http(s).
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        providers: Sequence[str],
        settings: RpcSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not providers:
            raise StartupRefusedError("rpc_endpoints", "Name at least one JSON-RPC endpoint.")
        self.settings = settings or RpcSettings()
        self.providers: tuple[Provider, ...] = tuple(
            Provider(session, url, clock, self.settings.authorization_of(url)) for url in providers
        )
        self._clock = clock

    def __repr__(self) -> str:
        return f"JsonRpc({', '.join(provider.host for provider in self.providers)})"

    def health(self) -> tuple[ProviderHealth, ...]:
        """Returns the health of each provider, in the order given."""
        return tuple(provider.health() for provider in self.providers)

    async def call(self, method: str, params: Sequence[JsonValue] = ()) -> JsonValue:
        """Returns the result of one method.

        Raises RpcRefusedError for a definitive error, RpcUnavailableError if no provider answers.
        """
        call = RpcCall(method, params)
        (outcome,) = await self.first(lambda provider, timeout_s: provider.send([call], timeout_s))
        if isinstance(outcome, RpcRefusedError):
            raise outcome
        return outcome

    async def first(self, ask: Callable[[Provider, float], Awaitable[Answer]]) -> Answer:
        """Returns the first result of `ask(provider, timeout_s)` without RpcUnavailableError.

        If all fail or `rpc_call_timeout_s` is over, raises the last RpcUnavailableError. Any other
        error of `ask` is raised at once.
        """
        # The order given, not the fastest first: a query that builds on another (a nonce on a
        # count, a receipt on a sending) should go to the same provider. Where several must agree,
        # node/chain/quorum asks the better ones first.
        deadline = self._clock() + self.settings.rpc_call_timeout_s
        last: RpcUnavailableError | None = None
        for provider in sorted(self.providers, key=lambda each: each.rests):
            timeout_s = min(self.settings.rpc_attempt_timeout_s, deadline - self._clock())
            if timeout_s <= 0:
                break
            try:
                return await ask(provider, timeout_s)
            except RpcUnavailableError as fault:
                last = fault
        raise last or RpcUnavailableError(self.providers[0].host, "no time was left to ask it")


def eth_call_of(
    to: str | None, data: bytes, block: JsonValue = "latest", *, sender: str | None = None, gas: int | None = None
) -> RpcCall:
    """Returns the `eth_call` of `data` on the contract at `to`, with `sender` and `gas` if given.

    Without `to`, the data is run like the code that creates a contract; its result is the output.
    """
    transaction: dict[str, JsonValue] = {"data": "0x" + data.hex()}
    if to is not None:
        transaction["to"] = to
    if sender is not None:
        transaction["from"] = sender
    if gas is not None:
        transaction["gas"] = hex(gas)
    return RpcCall("eth_call", [transaction, block])


def returned_bytes(provider: Provider, outcome: RpcOutcome) -> bytes:
    """Returns the bytes of an `eth_call` outcome.

    Raises CallRevertedError for a revert, RpcRefusedError for another definitive error, and
    RpcUnavailableError (counted against `provider`) if the result is not bytes, or is too large.
    """
    if isinstance(outcome, RpcRefusedError):
        data = outcome.revert_data
        if data is not None:
            raise CallRevertedError(data)
        raise outcome
    if isinstance(outcome, str) and len(outcome) > 2 * RETURNED_MAX_BYTES + len("0x"):
        raise provider.fault(f"its eth_call answer is larger than {RETURNED_MAX_BYTES} bytes")
    returned = hex_bytes(outcome) if isinstance(outcome, str) else None
    if returned is not None:
        return returned
    raise provider.fault("its eth_call answer is not hex data")
