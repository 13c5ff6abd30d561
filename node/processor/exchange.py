"""Complete calls to the processor: circuit breaker, time-out, form of the response, health."""

import asyncio
import functools
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

import structlog
from pydantic import BaseModel, ValidationError
from stripe import StripeClient, StripeResponse
from stripe.params import CustomerBalanceTransactionListParams

from node.processor.port import Fault, ProcessorError
from node.processor.shapes import (
    AnyShape,
    BalanceTransactionShape,
    ListShape,
)
from node.processor.transport import INLINE_BYTES, Heard, error_of

Answer = TypeVar("Answer", bound=BaseModel)

CALL_TIMEOUT_S: Final = 25.0
"""Time-out of a call with waits and repetitions, below the 30 s of common HTTP clients."""
LISTED_MAX: Final = 1_000_000
"""Maximum objects of one listing, to bound memory. A busy node's events of a month are fewer."""
FAILURES_TO_OPEN: Final = 5
"""Failures in a row that open the circuit breaker for OPEN_S."""
OPEN_S: Final = 10.0
FAILURES_TO_DEGRADE: Final = 3
"""Failures in a row until health reports them. A call or two fail in any deployment."""
SUCCESSES_TO_RECOVER: Final = 2
"""Responses in a row until health no longer reports failures."""

_log = structlog.get_logger(__name__)


class Answered(Protocol):
    """Object of the library. It is empty, so the response it was made from is read (`Heard`)."""

    @property
    def last_response(self) -> StripeResponse | None:
        """Response from which the object was made."""
        ...


Call = Callable[[], Awaitable[Answered | StripeResponse]]
PageAfter = Callable[[str | None], Awaitable[Answered | StripeResponse]]
PageBefore = Callable[[str], Awaitable[Answered]]


class CircuitBreaker:
    """Circuit breaker and health with hysteresis, from calls' outcomes. `monotonic` is in seconds.

    After FAILURES_TO_OPEN calls in a row without a response, callers fail at once for OPEN_S. Then
    one call is let through, and its outcome decides.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._open_until: float | None = None
        self._failures = 0
        self._successes = 0
        self._was_well = False
        self._problem: str | None = None

    @property
    def problem(self) -> str | None:
        """Public description of the problem; None while calls succeed, or before the first."""
        return self._problem

    def admit(self) -> None:
        """Admits a call. Raises ProcessorError `unavailable` while the circuit is open."""
        if self._open_until is None:
            return
        now = self._monotonic()
        if now < self._open_until:
            raise ProcessorError(Fault.UNAVAILABLE, "it did not answer lately and is left alone for some seconds")
        # Set before the call, so that other calls fail at once until this one has its response.
        self._open_until = now + OPEN_S

    def met(self, error: ProcessorError | None) -> None:
        """Counts the outcome of a call. A refusal is a response, not a failure."""
        if error is None or error.fault not in {Fault.UNAVAILABLE, Fault.UNAUTHORIZED}:
            self._answered()
        else:
            self._failed(error)

    def _answered(self) -> None:
        self._open_until = None
        self._failures = 0
        self._successes += 1
        if self._problem is None or self._successes >= SUCCESSES_TO_RECOVER:
            if self._problem is not None:
                _log.info("card_processor_recovered")
            self._was_well, self._problem = True, None

    def _failed(self, error: ProcessorError) -> None:
        self._successes = 0
        self._failures += 1
        # A refused key gets its response at once, so no caller would save time.
        if error.fault is Fault.UNAVAILABLE and self._failures >= FAILURES_TO_OPEN:
            self._open_until = self._monotonic() + OPEN_S
        # A node that never had a response is more likely misconfigured than unlucky.
        certain = error.fault is Fault.UNAUTHORIZED or not self._was_well
        if self._problem is None and (certain or self._failures >= FAILURES_TO_DEGRADE):
            _log.warning("card_processor_failing", fault=error.fault.value, why=error.reason)
        if self._problem is not None or certain or self._failures >= FAILURES_TO_DEGRADE:
            self._problem = f"card processor: {error.reason}"


def _read(body: bytes, answer: type[Answer]) -> Answer:
    return answer.model_validate(json.loads(body))


class Exchange:
    """Calls the processor. Every method raises ProcessorError."""

    def __init__(self, breaker: CircuitBreaker) -> None:
        self._breaker = breaker

    async def ask(self, call: Call, answer: type[Answer], timeout_s: float | None = None) -> Answer:
        """Returns the processor's response, parsed as `answer`."""
        self._breaker.admit()
        outcome = await self._outcome(call, answer, timeout_s or CALL_TIMEOUT_S)
        if isinstance(outcome, ProcessorError):
            self._breaker.met(outcome)
            raise outcome
        self._breaker.met(None)
        return outcome

    async def _outcome(self, call: Call, answer: type[Answer], timeout_s: float) -> Answer | ProcessorError:
        """Returns the response or the error of a call."""
        # Not raised here, or the library's error with request and response would be its context.
        try:
            async with asyncio.timeout(timeout_s):
                came = await call()
            response = came if isinstance(came, StripeResponse) else came.last_response
            body = response.headers.body if response is not None and isinstance(response.headers, Heard) else b"null"
            if len(body) <= INLINE_BYTES:
                return _read(body, answer)
            return await asyncio.to_thread(_read, body, answer)
        # The response is a proxy's page, or of an API of another version.
        except ValidationError:
            return ProcessorError(Fault.UNAVAILABLE, "its answer has an unexpected form")
        except Exception as error:  # noqa: BLE001 - on answers of unexpected forms the library raises whatever it happens to
            return error_of(error)

    async def newest_first(self, page_after: PageAfter, page: type[ListShape[AnyShape]]) -> list[AnyShape]:
        """Returns all that is listed. `page_after` reads the page after an id; None: the first."""
        found: list[AnyShape] = []
        more = True
        while more:
            cursor = found[-1].id if found else None
            listed = await self.ask(functools.partial(page_after, cursor), page)
            more = self._take(listed, listed.data, found)
        return found

    async def oldest_first(
        self, page_before: PageBefore, page: type[ListShape[AnyShape]], after: str
    ) -> list[AnyShape]:
        """Returns all objects newer than `after`. The page before an id is next to it."""
        found: list[AnyShape] = []
        more = True
        while more:
            cursor = found[-1].id if found else after
            listed = await self.ask(functools.partial(page_before, cursor), page)
            # The page is next to the cursor, newest first (https://docs.stripe.com/api/pagination).
            more = self._take(listed, listed.data[::-1], found)
        return found

    def _take(self, listed: ListShape[AnyShape], shapes: Sequence[AnyShape], found: list[AnyShape]) -> bool:
        # Without a last object there is no cursor, and the same page would be read without end.
        if listed.has_more and not shapes:
            raise ProcessorError(Fault.UNAVAILABLE, "its list promises more and gives nothing")
        found += shapes
        if len(found) > LISTED_MAX:
            raise ProcessorError(Fault.REFUSED, f"more than {LISTED_MAX} objects are listed")
        return listed.has_more


PAGE: Final = 100
"""Objects of a page, the processor's maximum."""


class Listings:
    """Lists objects since a time (unix seconds), oldest first. Every method raises ProcessorError.

    The lists are paged, since the processor's search index lags (https://docs.stripe.com/search).
    """

    def __init__(self, client: StripeClient, exchange: Exchange) -> None:
        self._client = client
        self._balances = client.v1.customers.balance_transactions
        self._exchange = exchange

    async def since(
        self, path: str, created_s: int, shape: type[ListShape[AnyShape]], **filters: list[str]
    ) -> Sequence[AnyShape]:
        """Returns the objects of the list at `path` that were made since."""

        async def page(cursor: str | None) -> StripeResponse:
            following = {} if cursor is None else {"starting_after": cursor}
            return await self._get(path, {"created": {"gte": created_s}, "limit": PAGE, **filters, **following})

        # Callers handle the oldest first, since later objects supersede earlier ones.
        return (await self._exchange.newest_first(page, shape))[::-1]

    async def require_readable(self, path: str, shape: type[BaseModel], timeout_s: float) -> None:
        """Checks that this key may read the list at `path`."""
        await self._exchange.ask(lambda: self._get(path, {"limit": 1}), shape, timeout_s)

    async def _get(self, path: str, asked: Mapping[str, object]) -> StripeResponse:
        # Raw, since the library would block the event loop for 25 ms to make a page's objects.
        answer: StripeResponse = await self._client.raw_request_async("get", path, **asked)
        return answer

    async def balance_transactions(self, customer: str) -> Sequence[BalanceTransactionShape]:
        """Returns all changes of a customer's balance."""

        async def page(cursor: str | None) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE}
            if cursor is not None:
                asked["starting_after"] = cursor
            return await self._balances.list_async(customer, asked)

        return (await self._exchange.newest_first(page, ListShape[BalanceTransactionShape]))[::-1]

    async def later_balance_transactions(self, customer: str, after: str) -> Sequence[BalanceTransactionShape]:
        """Returns the changes after one of them."""

        async def page(cursor: str) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE, "ending_before": cursor}
            return await self._balances.list_async(customer, asked)

        return await self._exchange.oldest_first(page, ListShape[BalanceTransactionShape], after)
