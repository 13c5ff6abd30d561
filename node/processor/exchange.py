"""Calls to the processor from end to end: circuit breaker, time-out, form of the response, health."""

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
"""Time-out of a call with its waits and repetitions: below the 30 s after which common HTTP clients give up."""
LISTED_MAX: Final = 1_000_000
"""Objects that one listing gathers: bounds memory; a month of events of a busy node is less."""
FAILURES_TO_OPEN: Final = 5
"""Failures in a row after which nothing is asked for OPEN_S."""
OPEN_S: Final = 10.0
FAILURES_TO_DEGRADE: Final = 3
"""Failures in a row until health reports them: a call or two fail in any deployment of the processor."""
SUCCESSES_TO_RECOVER: Final = 2
"""Responses in a row until health takes that back."""

_log = structlog.get_logger(__name__)


class Answered(Protocol):
    """Object of the library. The response it was made from is read, not the object itself, which is empty (`Heard`)."""

    @property
    def last_response(self) -> StripeResponse | None:
        """Response that the object was made from."""
        ...


Call = Callable[[], Awaitable[Answered | StripeResponse]]
PageAfter = Callable[[str | None], Awaitable[Answered | StripeResponse]]
PageBefore = Callable[[str], Awaitable[Answered]]


class CircuitBreaker:
    """Circuit breaker, and health with hysteresis, both from the outcomes of calls. `monotonic` is in seconds.

    After FAILURES_TO_OPEN calls in a row without a response nothing is asked for OPEN_S; then one call is let through and
    decides. Meanwhile callers fail at once instead of waiting.
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
        """Public description of what is wrong; None while calls succeed, or before the first."""
        return self._problem

    def admit(self) -> None:
        """Pass when it may be asked now. Raises ProcessorError `unavailable`."""
        if self._open_until is None:
            return
        now = self._monotonic()
        if now < self._open_until:
            raise ProcessorError(Fault.UNAVAILABLE, "it did not answer lately and is left alone for some seconds")
        # Moved on before the call: the others fail at once until the one that is let through has its answer.
        self._open_until = now + OPEN_S

    def met(self, error: ProcessorError | None) -> None:
        """Note the outcome of a call. A refusal is a response, and no failure."""
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
        # A refused key is answered at once: nobody waits, so there is nothing to spare anybody.
        if error.fault is Fault.UNAVAILABLE and self._failures >= FAILURES_TO_OPEN:
            self._open_until = self._monotonic() + OPEN_S
        # A node that never had an answer is misconfigured, more likely than unlucky.
        certain = error.fault is Fault.UNAUTHORIZED or not self._was_well
        if self._problem is None and (certain or self._failures >= FAILURES_TO_DEGRADE):
            _log.warning("card_processor_failing", fault=error.fault.value, why=error.reason)
        if self._problem is not None or certain or self._failures >= FAILURES_TO_DEGRADE:
            self._problem = f"card processor: {error.reason}"


def _read(body: bytes, answer: type[Answer]) -> Answer:
    return answer.model_validate(json.loads(body))


class Exchange:
    """Asks the processor. Every method raises ProcessorError."""

    def __init__(self, breaker: CircuitBreaker) -> None:
        self._breaker = breaker

    async def ask(self, call: Call, answer: type[Answer], timeout_s: float | None = None) -> Answer:
        """Return the response of the processor, in the form of `answer`."""
        self._breaker.admit()
        outcome = await self._outcome(call, answer, timeout_s or CALL_TIMEOUT_S)
        if isinstance(outcome, ProcessorError):
            self._breaker.met(outcome)
            raise outcome
        self._breaker.met(None)
        return outcome

    async def _outcome(self, call: Call, answer: type[Answer], timeout_s: float) -> Answer | ProcessorError:
        """Return the response or the error of a call."""
        # Not raised here: the library's errors, which hold the request and the response, would be its context.
        try:
            async with asyncio.timeout(timeout_s):
                came = await call()
            response = came if isinstance(came, StripeResponse) else came.last_response
            body = response.headers.body if response is not None and isinstance(response.headers, Heard) else b"null"
            if len(body) <= INLINE_BYTES:
                return _read(body, answer)
            return await asyncio.to_thread(_read, body, answer)
        # No answer in effect: a proxy's page, or an API of another version.
        except ValidationError:
            return ProcessorError(Fault.UNAVAILABLE, "its answer has an unexpected form")
        except Exception as error:  # noqa: BLE001 - on answers of unexpected forms the library raises whatever it happens to
            return error_of(error)

    async def newest_first(self, page_after: PageAfter, page: type[ListShape[AnyShape]]) -> list[AnyShape]:
        """Return all that is listed; `page_after` asks for what follows an id, None: for the first page."""
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
        """Return all that is newer than the object `after`; the page before an id is newest first, and next to it."""
        found: list[AnyShape] = []
        more = True
        while more:
            cursor = found[-1].id if found else after
            listed = await self.ask(functools.partial(page_before, cursor), page)
            # `ending_before` gives the page next to the cursor, newest first (https://docs.stripe.com/api/pagination).
            more = self._take(listed, listed.data[::-1], found)
        return found

    def _take(self, listed: ListShape[AnyShape], shapes: Sequence[AnyShape], found: list[AnyShape]) -> bool:
        # Without a last object there is no cursor: the same page would be asked for without end.
        if listed.has_more and not shapes:
            raise ProcessorError(Fault.UNAVAILABLE, "its list promises more and gives nothing")
        found += shapes
        if len(found) > LISTED_MAX:
            raise ProcessorError(Fault.REFUSED, f"more than {LISTED_MAX} objects are listed")
        return listed.has_more


PAGE: Final = 100
"""Largest page that the processor lists."""


class Listings:
    """Lists everything since a time, oldest first; times are unix seconds. Every method raises ProcessorError.

    The lists are read page by page: the processor's search index lags (https://docs.stripe.com/search).
    """

    def __init__(self, client: StripeClient, exchange: Exchange) -> None:
        self._client = client
        self._balances = client.v1.customers.balance_transactions
        self._exchange = exchange

    async def since(
        self, path: str, created_s: int, shape: type[ListShape[AnyShape]], **filters: list[str]
    ) -> Sequence[AnyShape]:
        """Return what was made since of the list at `path`."""

        async def page(cursor: str | None) -> StripeResponse:
            following = {} if cursor is None else {"starting_after": cursor}
            return await self._get(path, {"created": {"gte": created_s}, "limit": PAGE, **filters, **following})

        # Callers handle the oldest first: what a later object says supersedes an earlier one.
        return (await self._exchange.newest_first(page, shape))[::-1]

    async def require_readable(self, path: str, shape: type[BaseModel], timeout_s: float) -> None:
        """Pass when the list at `path` may be read with this key."""
        await self._exchange.ask(lambda: self._get(path, {"limit": 1}), shape, timeout_s)

    async def _get(self, path: str, asked: Mapping[str, object]) -> StripeResponse:
        # Raw: the library would block the event loop for 25 ms to make objects of a page of events.
        answer: StripeResponse = await self._client.raw_request_async("get", path, **asked)
        return answer

    async def balance_transactions(self, customer: str) -> Sequence[BalanceTransactionShape]:
        """Return all changes of a customer's balance."""

        async def page(cursor: str | None) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE}
            if cursor is not None:
                asked["starting_after"] = cursor
            return await self._balances.list_async(customer, asked)

        return (await self._exchange.newest_first(page, ListShape[BalanceTransactionShape]))[::-1]

    async def later_balance_transactions(self, customer: str, after: str) -> Sequence[BalanceTransactionShape]:
        """Return the changes after one of them."""

        async def page(cursor: str) -> Answered:
            asked: CustomerBalanceTransactionListParams = {"limit": PAGE, "ending_before": cursor}
            return await self._balances.list_async(customer, asked)

        return await self._exchange.oldest_first(page, ListShape[BalanceTransactionShape], after)
