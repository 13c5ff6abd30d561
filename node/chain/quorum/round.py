"""Attempt to read views at a block that a quorum agrees on: which block, queries, and counting.

Two results are equal if their bytes are.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

from pydantic import JsonValue

from node.chain.abi import AbiDecodeError
from node.chain.port import Head
from node.chain.quorum.client import QuorumClient, Tally, at_least
from node.chain.rpc import (
    BlockUnknownError,
    CallRevertedError,
    Provider,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    eth_call_of,
    returned_bytes,
)
from node.chain.rpc.answers import LATEST, header_at, reported_head

DECODED_INLINE_BYTES: Final = 16 * 1024
"""Largest result decoded on the event loop, in a millisecond or two; larger ones in a thread."""

Voter = TypeVar("Voter", bound=Hashable)


def height_of(heads: Sequence[Head], quorum: int) -> int | None:
    """Returns the quorum-th highest number of the heads; None for fewer heads than a quorum."""
    if len(heads) < quorum:
        return None
    return at_least([head.number for head in heads], quorum)


def candidate_heads(
    fresh: Mapping[Voter, Head], known: Mapping[Voter, Head], quorum: int, minimum: int, agreed: Head | None
) -> tuple[Head, ...]:
    """Returns blocks to seek agreement at, the best first; none until a quorum reached `minimum`.

    `fresh` has the heads reported now, `known` the last heads of other providers, and `agreed` is
    the last head agreed on. The quorum-th highest head comes first. One provider may have lifted it
    beyond what a quorum confirms, so lower fresh heads follow. Lower heads known from before do not
    follow, since a single provider could then lead back to an old block.
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
    """Whether `unasked` more providers could lift the height above `height`, given the others."""
    if unasked == 0:
        return False
    at_best = height_of(asked, quorum - unasked) if unasked < quorum else None
    return height is None or at_best is None or at_best > height


OUT_OF_GAS: Final = "out of gas"
"""Error text of geth for a view that exceeds its limit; anvil gives a bare revert instead."""


@dataclass(frozen=True, slots=True)
class ViewCall:
    """View to call: calldata for the contract at `to`, and the decoder of its result.

    Without `to` the data is a program of this node's own, and `gas` is the most it may burn.
    `decode` raises AbiDecodeError for bytes that cannot be the view's result.
    """

    to: str | None
    data: bytes
    decode: Callable[[bytes], tuple[object, ...]]
    gas: int | None = None

    def at(self, head: Head) -> RpcCall:
        """Returns the `eth_call` at this block, refused if it is not canonical (EIP-1898)."""
        # By hash, not number: results of two providers on two forks must not be mixed.
        place: JsonValue = {"blockHash": head.hash, "requireCanonical": True}
        block = eth_call_of(self.to, self.data, place, gas=self.gas)
        return RpcCall(block.method, block.params, pinned=True)


def any_bytes(data: bytes) -> tuple[object, ...]:
    """Returns any bytes: the `decode` of a view whose result the caller checks itself."""
    return (data,)


@dataclass(frozen=True, slots=True)
class Returned:
    """Bytes that the view returned; `values` are decoded from them."""

    data: bytes
    values: tuple[object, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Reverted:
    """Revert of the view with this data, which is never empty."""

    data: bytes


@dataclass(frozen=True, slots=True)
class NotComputed:
    """Abort by the provider's own limits. It says nothing of the contract, which gives a reason."""


NOT_COMPUTED: Final = NotComputed()

Answer: TypeAlias = Returned | Reverted | NotComputed


async def answer_of(provider: Provider, call: ViewCall, outcome: RpcOutcome) -> Answer | None:
    """Return the answer in `outcome`; None when the provider does not know the block.

    Raises RpcUnavailableError for anything that is no answer; a malformed one counts as a fault.
    """
    try:
        data = returned_bytes(provider, outcome)
        inline = len(data) <= DECODED_INLINE_BYTES
        return Returned(data, call.decode(data) if inline else await asyncio.to_thread(call.decode, data))
    except BlockUnknownError:
        return None
    except CallRevertedError as reverted:
        # Contracts revert with a reason; an empty revert is a provider's own limit.
        return Reverted(reverted.data) if reverted.data else NOT_COMPUTED
    except RpcRefusedError as refused:
        if OUT_OF_GAS in refused.message.lower():
            return NOT_COMPUTED
        # Refusing one view says nothing about the provider's health.
        raise RpcUnavailableError(refused.host, f"refused a view with error {refused.code}") from None
    except AbiDecodeError:
        raise provider.fault("its answer to a view is not the contract's") from None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Answers of a quorum at one block."""

    head: Head
    answers: tuple[Answer, ...]


class QuorumRound:
    """Puts `calls` to the providers of `client`, until its clock shows `deadline`.

    `known` has the last reported head of each provider and is kept up to date; `agreed` is the last
    head agreed on. Afterwards `failed` has reasons for unusable results, `fresh` the other heads.
    """

    def __init__(
        self,
        client: QuorumClient,
        calls: Sequence[ViewCall],
        known: dict[Provider, Head],
        agreed: Head | None,
        deadline: float,
    ) -> None:
        self._client = client
        self._calls = calls
        self._known = known
        self._agreed = agreed
        self._deadline = deadline
        self._order = client.reputation.best_first(client.rpc.providers)
        self._votes: dict[Head, dict[Provider, tuple[Answer, ...]]] = {}
        self._lacking: dict[Head, set[Provider]] = {}
        self.failed: dict[Provider, str] = {}
        self.fresh: dict[Provider, Head] = {}

    @property
    def can_agree(self) -> bool:
        """Whether enough providers for a quorum have not failed."""
        return len(self._order) - len(self.failed) >= self._client.quorum

    @property
    def divided(self) -> set[Provider]:
        """Providers that contradict another one about the contract at the same block."""
        tallies = [tally for tally in map(self._tally, self._votes) if tally.is_divided]
        return {provider for tally in tallies for provider in tally.votes}

    def contradicting(self, agreement: Agreement) -> set[Provider]:
        """Returns the providers that gave other answers than the agreed ones."""
        return self._tally(agreement.head).contradicting(agreement.answers)

    def lacking(self, head: Head) -> set[Provider]:
        """Returns the providers that lack this block: not yet there, or another of its number."""
        return self._lacking.get(head, set())

    async def agree(self, minimum: int) -> Agreement | None:
        """Returns results at the highest block from `minimum` that a quorum confirms, or None."""
        guess = candidate_heads({}, self._known, self._client.quorum, minimum, self._agreed)[:1]
        await self._collect_heads(guess[0] if guess else None)
        partial: Agreement | None = None
        tried: set[Head] = set()
        # If results were counted across blocks, providers that lag would look like liars. If only
        # the highest head were tried, one provider that invents a head could stop every read.
        # Without `minimum`, a quorum that lags could return state from before this node's writes.
        while len(self.fresh) >= self._client.quorum and (head := self._untried(minimum, tried)) is not None:
            tried.add(head)
            agreement = await self._agree_on(head, asks_head=True)
            if agreement is not None and NOT_COMPUTED not in agreement.answers:
                return agreement
            # Providers may be able to compute it at a lower block.
            partial = partial or agreement
        return partial

    async def agree_at(self, head: Head) -> Agreement | None:
        """Returns results at this very block; None if no quorum confirms it or agrees on them."""
        return await self._agree_on(head, asks_head=False)

    def _untried(self, minimum: int, tried: set[Head]) -> Head | None:
        candidates = candidate_heads(self.fresh, self._known, self._client.quorum, minimum, self._agreed)
        return next((head for head in candidates if head not in tried), None)

    async def _collect_heads(self, guess: Head | None) -> None:
        """Asks for a quorum of heads, and for those of others that could lift the height."""

        async def ask(provider: Provider) -> None:
            # The guess is most likely the provider's head, and then needs no header of its own.
            await self._ask(provider, guess, asks_head=True, asks_header=False)

        await self._client.poll(self._order, ask, lambda: self._client.quorum - len(self.fresh))
        rest = [each for each in self._order if each not in self.fresh and each not in self.failed]
        # A provider late or failed a moment ago is not awaited again: its last known head counts.
        prompt = [each for each in rest if not (each.rests or each.is_slow) or each not in self._known]
        if self._may_rise(prompt):
            timeout_s = self._client.settings.rpc_hedge_delay_s
            await self._client.poll(
                prompt, ask, lambda: sum(each not in self.fresh for each in prompt), timeout_s=timeout_s
            )

    async def _agree_on(self, head: Head, *, asks_head: bool) -> Agreement | None:
        """Asks about this block until a quorum gives the same results, or all have been asked."""
        tally = self._tally(head)
        asked = {*tally.votes, *self.lacking(head), *self.failed}
        order = [each for each in self._order if each not in asked]
        # Providers below this block come last: they do not have it.
        order.sort(key=lambda each: each in self.fresh and self.fresh[each].number < head.number)

        async def ask(provider: Provider) -> None:
            asks_header = not self._needs_no_header(provider, head)
            await self._ask(provider, head, asks_head=asks_head and provider not in self.fresh, asks_header=asks_header)

        await self._client.poll(order, ask, lambda: tally.missing)
        return None if (answers := tally.agreed) is None else Agreement(head, answers)

    def _may_rise(self, unasked: Sequence[Provider]) -> bool:
        heads, quorum = {**self._known, **self.fresh}, self._client.quorum
        asked = [head for provider, head in heads.items() if provider not in unasked]
        return may_rise(asked, len(unasked), quorum, height_of(list(heads.values()), quorum))

    def _tally(self, head: Head) -> Tally[Provider, Answer]:
        """Counts the results at this block; one that was not computed contradicts no other."""
        return Tally(self._votes.setdefault(head, {}), self._client.quorum, len(self._calls), NOT_COMPUTED)

    async def _ask(self, provider: Provider, head: Head | None, *, asks_head: bool, asks_header: bool) -> None:
        """Note the answers of the provider at this block, all in one exchange.

        It also asks for the provider's own head (`asks_head`) and header there (`asks_header`).
        """
        asked = [LATEST] if asks_head else []
        if head is not None:
            asked += [header_at(head.number)] if asks_header else []
            asked += [call.at(head) for call in self._calls]
        try:
            outcomes = await self._send(provider, asked)
            if asks_head:
                self._note_head(provider, outcomes.pop(0))
            if head is None:
                return
            if asks_header and reported_head(provider, outcomes.pop(0)) != head:
                self._lacking.setdefault(head, set()).add(provider)
            # A result counts only if this provider confirms the block: header, head or pinned call.
            elif asks_header or self._needs_no_header(provider, head):
                await self._note_answers(provider, head, outcomes)
        except RpcUnavailableError as error:
            self.failed[provider] = error.why
            raise

    def _note_head(self, provider: Provider, outcome: RpcOutcome) -> None:
        head = reported_head(provider, outcome)
        if head is None:
            raise provider.fault("it has no head")
        self.fresh[provider] = self._known[provider] = head

    def _needs_no_header(self, provider: Provider, head: Head) -> bool:
        """Whether the header is known: it is this provider's head, or agreed on already.

        A provider whose call succeeds at an agreed block confirms it as canonical (EIP-1898).
        """
        return self.fresh.get(provider) == head or (head == self._agreed and len(self._calls) > 0)

    async def _note_answers(self, provider: Provider, head: Head, outcomes: Sequence[RpcOutcome]) -> None:
        answers = [
            await answer_of(provider, call, outcome) for call, outcome in zip(self._calls, outcomes, strict=True)
        ]
        known = tuple(answer for answer in answers if answer is not None)
        # A view met an unknown block: the provider lacks or lost it, and no result counts.
        if len(known) == len(answers):
            self._votes.setdefault(head, {})[provider] = known
        else:
            self._lacking.setdefault(head, set()).add(provider)

    async def _send(self, provider: Provider, calls: Sequence[RpcCall]) -> list[RpcOutcome]:
        timeout_s = min(self._client.rpc.settings.rpc_attempt_timeout_s, self._deadline - self._client.clock())
        if timeout_s <= 0:
            raise RpcUnavailableError(provider.host, "no time was left to ask it")
        return await provider.send(calls, timeout_s) if calls else []
