"""Nothing that the processor answers holds the event loop, whatever is asked and whatever the status of the answer."""

import itertools
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator

import pytest

from node.processor.port import ProcessorError
from node.processor.stripe_processor import StripeProcessor
from tests.processor.stripe_parts import ACCOUNT, FAST, stripe_at
from tests.support.hostile_provider import Answer, Upstream, answers
from tests.support.loop_meter import STALL_MAX_S, metered_loop

SAMPLE = ("body: escapes of 15000000", "list of empty objects of 500000", "Content-Type: quoted")
"""What `make test` tries."""
QUESTIONS: dict[str, Callable[[StripeProcessor], Awaitable[object]]] = {
    "create_customer": lambda processor: processor.create_customer(ACCOUNT, None, "customer-of-a11ce"),
    "intent": lambda processor: processor.intent("pi_1"),
    "events_since": lambda processor: processor.events_since(0),
    "balance_transactions": lambda processor: processor.balance_transactions("cus_1"),
}
STATUSES = (200, 400)
ASKED_ALWAYS = {**FAST, "failures_to_open": math.inf}
"""A circuit breaker that opened would spare it the rest."""


def in_lists(hostile: dict[str, Answer]) -> Iterator[tuple[str, Answer]]:
    """Each answer, and those that are JSON as the list and as the error that the processor would send."""
    for what, answer in hostile.items():
        yield what, answer
        kind, _, shape = what.partition(": ")
        if kind == "body":
            yield f"list of {shape}", wrapped(b'{"object":"list","has_more":false,"data":[', answer, b"]}")
            yield f"error of {shape}", wrapped(b'{"error":{"type":"invalid_request_error","message":', answer, b"}}")


def wrapped(before: bytes, answer: Answer, after: bytes) -> Answer:
    def sent(asked: object) -> tuple[bytes, dict[str, str]]:
        body, headers = answer(asked)
        return before + body + after, dict(headers)

    return sent


ANSWERS = dict(
    in_lists({what: each for what, each in answers().items() if not what.startswith(("result", "message", "data"))})
)


async def faults_of(tried: Iterable[tuple[str, Answer]]) -> list[str]:
    faults = []
    upstream = Upstream("")
    with upstream.before("") as url:
        async with stripe_at(url, ASKED_ALWAYS) as processor, metered_loop() as meter:
            for what, hostile in tried:
                for status, (name, ask) in itertools.product(STATUSES, QUESTIONS.items()):
                    upstream.answer, upstream.status, upstream.asked = hostile, status, 0
                    meter.restart()
                    with pytest.raises(ProcessorError):
                        await ask(processor)
                    if meter.longest_s > STALL_MAX_S:
                        faults.append(f"{meter.longest_s * 1000:.0f} ms: {name}, {status}: {what}")
                    assert upstream.asked
    return faults


async def test_a_sample_of_hostile_answers_holds_nothing() -> None:
    assert await faults_of((what, ANSWERS[what]) for what in SAMPLE) == []


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
async def test_no_hostile_answer_of_the_processor_holds_anything() -> None:
    assert await faults_of(ANSWERS.items()) == []
