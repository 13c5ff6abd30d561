"""One call to the processor from end to end: whether to ask, for how long, what came, and as what it counts."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError
from stripe import StripeResponse

from node.processor.faults import error_of
from node.processor.limits import ProcessorLimits
from node.processor.port import Fault, ProcessorError
from node.processor.shapes import AnyShape, ListShape
from node.processor.standing import Standing

Answer = TypeVar("Answer", bound=BaseModel)


class Answered(Protocol):
    """An object of the library; what it was made from is read, not the object itself, whose fields may be anything."""

    @property
    def last_response(self) -> StripeResponse | None:
        """The answer."""
        ...


Call = Callable[[], Awaitable[Answered | StripeResponse]]
PageAfter = Callable[[str | None], Awaitable[Answered | StripeResponse]]
PageBefore = Callable[[str], Awaitable[Answered]]


class Exchange:
    """Asks, within limits. Every method raises ProcessorError."""

    def __init__(self, standing: Standing, limits: ProcessorLimits) -> None:
        self._standing = standing
        self._limits = limits

    async def ask(self, call: Call, answer: type[Answer], timeout_s: float | None = None) -> Answer:
        """What the processor answers, in the form of `answer`."""
        self._standing.admit()
        outcome = await self._outcome(call, answer, timeout_s or self._limits.call_timeout_s)
        if isinstance(outcome, ProcessorError):
            self._standing.met(outcome)
            raise outcome
        self._standing.met(None)
        return outcome

    async def _outcome(self, call: Call, answer: type[Answer], timeout_s: float) -> Answer | ProcessorError:
        """Not raised here: the library's own errors hold what was sent and answered, and would be its context."""
        try:
            async with asyncio.timeout(timeout_s):
                came = await call()
            response = came if isinstance(came, StripeResponse) else came.last_response
            return answer.model_validate(None if response is None else response.data)
        except ValidationError:
            return ProcessorError(Fault.UNAVAILABLE, "its answer has an unexpected form")
        except Exception as error:  # noqa: BLE001 - on answers of unexpected forms the library raises whatever it happens to
            return error_of(error)

    async def newest_first(self, page_after: PageAfter, page: type[ListShape[AnyShape]]) -> list[AnyShape]:
        """All that is listed; `page_after` asks for what follows an id, None: for the first page."""
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
        """All that is newer than the object `after`; the page before an id is newest first, and next to it."""
        found: list[AnyShape] = []
        more = True
        while more:
            cursor = found[-1].id if found else after
            listed = await self.ask(functools.partial(page_before, cursor), page)
            more = self._take(listed, listed.data[::-1], found)
        return found

    def _take(self, listed: ListShape[AnyShape], shapes: Sequence[AnyShape], found: list[AnyShape]) -> bool:
        if listed.has_more and not shapes:
            raise ProcessorError(Fault.UNAVAILABLE, "its list promises more and gives nothing")
        found += shapes
        if len(found) > self._limits.listed_max:
            raise ProcessorError(Fault.REFUSED, f"more than {self._limits.listed_max} objects are listed")
        return listed.has_more
