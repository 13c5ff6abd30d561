"""Block headers: how endpoints report them, at which block to read, and which blocks reads have used already.

Headers come by eth_getBlockByNumber (Ethereum JSON-RPC). Later reads never use a block below the highest one that an
earlier read or write used, and every used block is checked for whether it is still canonical.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from node.chain.port import Head
from node.chain.quorum.tally import at_least
from node.chain.rpc import (
    BlockUnknownError,
    Endpoint,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    parse_quantity,
)

Voter = TypeVar("Voter", bound=Hashable)

OBSERVED_HEADS_MAX: Final = 4096
"""Used heads that are remembered: hours of blocks on most chains, and a megabyte."""

HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")

LATEST: Final = RpcCall("eth_getBlockByNumber", ["latest", False])
"""Request for the head; of the transactions only the hashes come with it."""


def header_at(number: int) -> RpcCall:
    """Return the request for the canonical block of that number; an endpoint below it answers null or an error."""
    return RpcCall("eth_getBlockByNumber", [hex(number), False], pinned=True)


def parse_head(block: object) -> Head | None:
    """Return the header in a block object; None for anything that is not a whole one."""
    if not isinstance(block, dict):
        return None
    number, timestamp = parse_quantity(block.get("number")), parse_quantity(block.get("timestamp"))
    block_hash, parent_hash = _hash(block.get("hash")), _hash(block.get("parentHash"))
    if number is None or timestamp is None or block_hash is None or parent_hash is None:
        return None
    return Head(number, block_hash, parent_hash, timestamp)


def reported_head(endpoint: Endpoint, outcome: RpcOutcome) -> Head | None:
    """Return the header that `endpoint` answered; None when it has no such block. Raises RpcUnavailableError."""
    if outcome is None or isinstance(outcome, BlockUnknownError):
        return None
    if isinstance(outcome, RpcRefusedError):
        raise RpcUnavailableError(outcome.host, f"refused a header with error {outcome.code}")
    head = parse_head(outcome)
    if head is None:
        raise endpoint.fault("its answer is no block header")
    return head


def height_of(heads: Sequence[Head], quorum: int) -> int | None:
    """Return the quorum-th highest number of the heads, which a quorum has reached; None for fewer heads than a quorum."""
    if len(heads) < quorum:
        return None
    return at_least([head.number for head in heads], quorum)


def candidate_heads(
    fresh: Mapping[Voter, Head], known: Mapping[Voter, Head], quorum: int, minimum: int, agreed: Head | None
) -> tuple[Head, ...]:
    """Return the blocks to seek agreement at, the best first; empty while a quorum has not reached `minimum`.

    `fresh` holds the heads reported now, `known` the last heads of endpoints without a fresh report, and `agreed` is the
    last head agreed on. The quorum-th highest head comes first. One endpoint may have lifted it to where no quorum can
    confirm it, so the lower ones reported now follow. Heads known from before are not followed downwards: otherwise a
    single endpoint could lead back to a block of the past.
    """
    heads = [*fresh.values(), *(head for voter, head in known.items() if voter not in fresh)]
    height = height_of(heads, quorum)
    if height is None:
        return ()
    now, ever = Counter(fresh.values()), Counter(heads)
    # Known heads at the height may count; below it only those reported now.
    eligible = {head for head in heads if head.number == height} | {head for head in now if head.number < height}
    ranked = sorted(
        (head for head in ever if head in eligible and head.number >= minimum),
        key=lambda head: (head.number, now[head], head == agreed, ever[head]),
        reverse=True,
    )
    return tuple(ranked)


def may_rise(asked: Sequence[Head], unasked: int, quorum: int, height: int | None) -> bool:
    """Return whether `unasked` more endpoints could lift the height above `height`, given the heads of the others."""
    if unasked == 0:
        return False
    at_best = height_of(asked, quorum - unasked) if unasked < quorum else None
    return height is None or at_best is None or at_best > height


def _hash(value: object) -> str | None:
    return value.lower() if isinstance(value, str) and HASH.fullmatch(value) else None


class MinimumBlock:
    """Lowest block that a read may use: the highest one that this process has used. Starts at 0; shared by all.

    The writer raises it to the block of each receipt, a read to each head it agrees on. It falls only with `may_fall`:
    a local chain with instant blocks loses some when it is killed, and then only when the chain holds all our writes
    again. Elsewhere a lower head is an endpoint that lags, or lies.
    """

    def __init__(self, *, may_fall: bool = False) -> None:
        self._value = 0
        self._may_fall = may_fall

    @property
    def value(self) -> int:
        """Lowest block number that a read may use."""
        return self._value

    def raise_to(self, block_number: int) -> None:
        """Raise it to `block_number`; a lower number changes nothing."""
        self._value = max(self._value, block_number)

    def rewind_to(self, block_number: int) -> None:
        """Lower it to `block_number`, at which every write of this process is known to be on chain.

        Changes nothing without `may_fall`.
        """
        if self._may_fall:
            self._value = min(self._value, block_number)


@dataclass(frozen=True, slots=True)
class ObservedSince:
    """Blocks used after a mark: the `heads`, oldest use first, and the `mark` to ask from the next time.

    Not `complete` when some have been forgotten: then any block may have been used.
    """

    mark: int
    heads: tuple[Head, ...]
    complete: bool


class ObservedBlocks:
    """Heads that reads used, at most `kept`. A mark counts the uses so far, from 0."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._mark = 0
        self._forgotten = 0
        self._marks: dict[Head, int] = {}

    def note(self, head: Head) -> None:
        """Note that a read used this head now."""
        self._mark += 1
        self._marks.pop(head, None)
        self._marks[head] = self._mark
        if len(self._marks) > self._kept:
            oldest = next(iter(self._marks))
            self._forgotten = self._marks.pop(oldest)

    def since(self, mark: int) -> ObservedSince:
        """Return the heads used after `mark` (0: ever), each head once, by its last use."""
        found: list[Head] = []
        for head, used in reversed(self._marks.items()):
            if used <= mark:
                break
            found.append(head)
        return ObservedSince(self._mark, tuple(reversed(found)), complete=self._forgotten <= mark)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of a check: reads after block `fork` are void (None: none are); `waiting` is checked again."""

    fork: int | None
    waiting: Sequence[Head]


class ObservedBlockCheck:
    """Compares the used blocks with one endpoint's chain until each is confirmed there or gone.

    Between two polls a read may use a block that is gone before the second: no earlier checkpoint shows that.
    """

    def __init__(self, source: ObservedBlocks, most: int) -> None:
        self._source = source
        self._most = most
        self._mark = 0
        self._waiting: Sequence[Head] = ()

    def gather(self) -> ObservedSince:
        """Return the blocks this endpoint has not confirmed yet; not `complete` either when there are more than `most`."""
        used = self._source.since(self._mark)
        heads = tuple({head.hash: head for head in (*self._waiting, *used.heads)}.values())
        return replace(used, heads=heads[-self._most :], complete=used.complete and len(heads) <= self._most)

    def check(
        self, unconfirmed: ObservedSince, hash_at: Callable[[int], str | None], cursor: int, lowest: int
    ) -> CheckResult:
        """Find the blocks that are gone from the chain of an endpoint, whose block of a number has the hash `hash_at`.

        `lowest` is the fork when some blocks were not remembered.
        """
        shown = {head.hash: hash_at(head.number) for head in unconfirmed.heads}
        gone = [head for head in unconfirmed.heads if shown[head.hash] not in {None, head.hash}]
        there = [head for head in unconfirmed.heads if shown[head.hash] == head.hash and head.number <= cursor]
        # A block beyond the cursor waits though it is there: before the cursor has passed it, nothing else shows its loss.
        waiting = [head for head in unconfirmed.heads if head not in gone and head not in there]
        forks = [max(0, head.number - 1) for head in gone]
        if unconfirmed.complete:
            return CheckResult(min(forks, default=None), waiting)
        # Waiting blocks are void with the rest. Kept, they would be too many in every later poll.
        return CheckResult(min(*forks, lowest) if forks else lowest, ())

    def settle(self, unconfirmed: ObservedSince, result: CheckResult) -> None:
        """Note that the result was acted on: only waiting blocks, and those used from now on, are checked again."""
        self._mark = unconfirmed.mark
        self._waiting = result.waiting
