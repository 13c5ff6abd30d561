"""Which endpoints count, and whether they agree. Pure: fetching asks it before it chooses a block, the checks afterwards.

One liar must neither choose an old block for all nor make honest endpoints look late. So an endpoint is measured by time
and by height: a height alone costs a liar nothing, and times are held against this machine's clock. No endpoint's word
excludes another by more than that: whoever remains alone is one endpoint, which decides nothing where two were named.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from svc_verifier.material import BlockHead, EndpointAnswers, Missing

CONFIRMATIONS: Final = 2
"""How far below the lowest head all endpoints are asked: heads differ for a moment even where nobody lies."""

LAG_S: Final = 120
"""By how much an endpoint's newest block may be older than another's. Balanced public endpoints differ by some blocks, of
12 s on the slowest chain in use; what is taken back on chain must not stay hidden for longer."""

FUTURE_S: Final = 60
"""How far a block's time may lie ahead of this machine's clock, which may be late. Less than `LAG_S`, so that a head of
the future cannot make honest ones late."""

BLOCK_MAX_AGE_S: Final = 3_600
"""A chain whose newest block is older than this is one of the past, or stands still."""


def head_problems(heads: Sequence[BlockHead | None], now_s: int | None) -> tuple[str, ...]:
    """Why each endpoint does not count by its newest block; empty where it does, or where its head is not known.

    `now_s` is this machine's clock; None does without it, for development chains whose time runs as a test likes.
    """
    # A head of the future would make every honest one look late.
    plausible = [head for head in heads if head is not None and not _is_of_the_future(head, now_s)]
    newest = max((_by_the_clock(head, now_s) for head in plausible), key=lambda head: head.time_s, default=None)
    return tuple("" if head is None else _head_problem(head, newest, now_s) for head in heads)


def answer_problems(answers: Sequence[EndpointAnswers], now_s: int | None) -> tuple[str, ...]:
    """Why each endpoint's answers do not count; empty where they do."""
    late = head_problems([answer.head for answer in answers], now_s)
    return tuple(problem or _block_problem(answer, now_s) for answer, problem in zip(answers, late, strict=True))


def differences(one: EndpointAnswers, other: EndpointAnswers) -> Iterator[str]:
    """In what two endpoints differ that were asked the same."""
    if (one.block_number, one.block_hash) != (other.block_number, other.block_hash):
        yield "the block"
    elif one.block_time_s != other.block_time_s:
        yield "the time of the block"
    if dict(one.code) != dict(other.code) or dict(one.storage) != dict(other.storage):
        yield "code or storage"
    if dict(one.calls) != dict(other.calls):
        yield "what contracts answer"
    # Many public endpoints refuse old events: that is no contradiction, and `governance.allowed-set` says what is missing.
    if one.logs != other.logs and not isinstance(one.logs, Missing) and not isinstance(other.logs, Missing):
        yield "the events"


def _head_problem(head: BlockHead, newest: BlockHead | None, now_s: int | None) -> str:
    if now_s is not None and _is_of_the_future(head, now_s):
        return f"its newest block is {head.time_s - now_s} s ahead of this machine's clock"
    if newest is not None and _is_behind(head, newest):
        return f"its newest block is {newest.time_s - head.time_s} s behind that of another endpoint"
    return ""


def _block_problem(answer: EndpointAnswers, now_s: int | None) -> str:
    """The block that all were asked about, by this endpoint's own word of it."""
    if now_s is not None and now_s - answer.block_time_s > BLOCK_MAX_AGE_S:
        return f"the newest block is {now_s - answer.block_time_s} s old"
    block = BlockHead(answer.block_number, answer.block_time_s)
    if answer.head is not None and _is_behind(block, answer.head):
        return f"it was asked at a block {answer.head.time_s - block.time_s} s behind its newest: another endpoint lags"
    return ""


def _is_behind(block: BlockHead, newest: BlockHead) -> bool:
    """By time and by height: on a chain with rare blocks, neighbours are minutes apart."""
    return newest.time_s - block.time_s > LAG_S and newest.number - block.number > CONFIRMATIONS


def _is_of_the_future(head: BlockHead, now_s: int | None) -> bool:
    return now_s is not None and head.time_s > now_s + FUTURE_S


def _by_the_clock(head: BlockHead, now_s: int | None) -> BlockHead:
    # Cut at the clock: within the tolerance a liar could otherwise still gain a minute on the others.
    return head if now_s is None else BlockHead(head.number, min(head.time_s, now_s))
