"""One attempt at agreement: who is asked what, and who said what."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from node.chain.port import Head
from node.chain.quorum.agreement import (
    agreed_answers,
    candidate_heads,
    contradicting,
    divided,
    height_of,
    may_rise,
    missing_votes,
)
from node.chain.quorum.answers import NOT_COMPUTED, Answer, ViewCall, answer_of
from node.chain.quorum.asking import Hedge, ask_best_first
from node.chain.quorum.heads import LATEST, header_at, reported_head
from node.chain.rpc import Endpoint, RpcCall, RpcOutcome, RpcUnavailableError


@dataclass(frozen=True, slots=True)
class Electorate:
    """Who may be asked, the best first, and what is known before anybody is: `size` of them are a quorum.

    `known` is the head each reported last, and is kept up to date; `agreed` is the head agreed on last.
    `timeout_s` tells how long the next exchange may take.
    """

    order: Sequence[Endpoint]
    size: int
    known: dict[Endpoint, Head]
    agreed: Head | None
    hedge: Hedge
    timeout_s: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a quorum says at one block."""

    head: Head
    answers: tuple[Answer, ...]


class Round:
    """Asks `calls` of the electorate; afterwards it tells who said what.

    `failed` says of those that gave no usable answer why, `fresh` of the others what their heads are.
    """

    def __init__(self, electorate: Electorate, calls: Sequence[ViewCall]) -> None:
        self._of = electorate
        self._calls = calls
        self._said: dict[Head, dict[Endpoint, tuple[Answer, ...] | None]] = {}
        self.failed: dict[Endpoint, str] = {}
        self.fresh: dict[Endpoint, Head] = {}

    @property
    def can_agree(self) -> bool:
        """Whether enough endpoints for a quorum have not failed."""
        return len(self._of.order) - len(self.failed) >= self._of.size

    @property
    def divided(self) -> set[Endpoint]:
        """Who stands against another about what the contract says at one and the same block."""
        apart = [votes for votes in map(self._votes, self._said) if divided(votes, len(self._calls))]
        return {endpoint for votes in apart for endpoint in votes}

    def contradicting(self, agreement: Agreement) -> set[Endpoint]:
        """Who gave other answers than the agreed ones."""
        return contradicting(self._votes(agreement.head), agreement.answers)

    def unacquainted(self, head: Head) -> set[Endpoint]:
        """Who was asked about this block and does not know it: not yet, or it has another one in its place."""
        return {endpoint for endpoint, answers in self._said.get(head, {}).items() if answers is None}

    async def agree(self, floor: int) -> Agreement | None:
        """What a quorum says at the highest block it stands behind, at `floor` or above; None when there is no such."""
        guess = candidate_heads({}, self._of.known, self._of.size, floor, self._of.agreed)[:1]
        await self._hear(guess[0] if guess else None)
        partial: Agreement | None = None
        tried: set[Head] = set()
        while len(self.fresh) >= self._of.size and (head := self._untried(floor, tried)) is not None:
            tried.add(head)
            agreement = await self._settle(head, hears=True)
            if agreement is not None and NOT_COMPUTED not in agreement.answers:
                return agreement
            partial = partial or agreement  # unless endpoints can compute it at a lower block
        return partial

    async def agree_at(self, head: Head) -> Agreement | None:
        """What a quorum says at this very block; None when no quorum stands behind it, or behind its answers."""
        return await self._settle(head, hears=False)

    def _untried(self, floor: int, tried: set[Head]) -> Head | None:
        candidates = candidate_heads(self.fresh, self._of.known, self._of.size, floor, self._of.agreed)
        return next((head for head in candidates if head not in tried), None)

    async def _hear(self, guess: Head | None) -> None:
        """Have a quorum of heads, and of the other endpoints those that could lift the height."""

        async def ask(endpoint: Endpoint) -> None:
            # The guess will most likely turn out to be the endpoint's head, and needs no header of its own then.
            await self._ask(endpoint, guess, hears=True, confirms=False)

        await ask_best_first(self._of.order, ask, lambda: self._of.size - len(self.fresh), self._of.hedge)
        rest = [each for each in self._of.order if each not in self.fresh and each not in self.failed]
        # Who was late or failed a moment ago is not waited for again: its last known head stands for it.
        prompt = [each for each in rest if not (each.rests or each.is_slow) or each not in self._of.known]
        if self._may_rise(prompt):
            hedge = replace(self._of.hedge, patience_s=self._of.hedge.delay_s)
            await ask_best_first(prompt, ask, lambda: sum(each not in self.fresh for each in prompt), hedge)

    async def _settle(self, head: Head, *, hears: bool) -> Agreement | None:
        """Ask about this block until a quorum gives the same answers, or everybody has been asked."""
        said = self._said.setdefault(head, {})
        order = [each for each in self._of.order if each not in said and each not in self.failed]
        order.sort(key=lambda each: each in self.fresh and self.fresh[each].number < head.number)
        calls, size = len(self._calls), self._of.size

        async def ask(endpoint: Endpoint) -> None:
            confirms = not self._vouches(endpoint, head)
            await self._ask(endpoint, head, hears=hears and endpoint not in self.fresh, confirms=confirms)

        await ask_best_first(order, ask, lambda: missing_votes(self._votes(head), calls, size), self._of.hedge)
        answers = agreed_answers(self._votes(head), calls, size)
        return None if answers is None else Agreement(head, answers)

    def _may_rise(self, unasked: Sequence[Endpoint]) -> bool:
        heads = {**self._of.known, **self.fresh}
        asked = [head for endpoint, head in heads.items() if endpoint not in unasked]
        return may_rise(asked, len(unasked), self._of.size, height_of(list(heads.values()), self._of.size))

    def _votes(self, head: Head) -> dict[Endpoint, tuple[Answer, ...]]:
        return {endpoint: answers for endpoint, answers in self._said.get(head, {}).items() if answers is not None}

    async def _ask(self, endpoint: Endpoint, head: Head | None, *, hears: bool, confirms: bool) -> None:
        """Note what the endpoint says at this block, all in one exchange.

        It `hears` what the endpoint's own head is, and `confirms` that it has this very header at that height.
        """
        asked = [LATEST] if hears else []
        if head is not None:
            asked += [header_at(head.number)] if confirms else []
            asked += [call.at(head) for call in self._calls]
        try:
            outcomes = await self._send(endpoint, asked)
            if hears:
                self._note_head(endpoint, outcomes.pop(0))
            if head is None:
                return
            if confirms and reported_head(endpoint, outcomes.pop(0)) != head:
                self._said[head][endpoint] = None
            elif confirms or self._vouches(endpoint, head):
                self._note_answers(endpoint, head, outcomes)
        except RpcUnavailableError as error:
            self.failed[endpoint] = error.why
            raise

    def _note_head(self, endpoint: Endpoint, outcome: RpcOutcome) -> None:
        head = reported_head(endpoint, outcome)
        if head is None:
            raise endpoint.fault("it has no head")
        self.fresh[endpoint] = self._of.known[endpoint] = head

    def _vouches(self, endpoint: Endpoint, head: Head) -> bool:
        """Whether the header needs no asking: it is this endpoint's head, or agreed on already.

        That a block agreed on is canonical still, the endpoint says by answering calls at it.
        """
        return self.fresh.get(endpoint) == head or (head == self._of.agreed and len(self._calls) > 0)

    def _note_answers(self, endpoint: Endpoint, head: Head, outcomes: Sequence[RpcOutcome]) -> None:
        answers = [answer_of(endpoint, call, outcome) for call, outcome in zip(self._calls, outcomes, strict=True)]
        known = tuple(answer for answer in answers if answer is not None)
        self._said.setdefault(head, {})[endpoint] = known if len(known) == len(answers) else None

    async def _send(self, endpoint: Endpoint, calls: Sequence[RpcCall]) -> list[RpcOutcome]:
        timeout_s = self._of.timeout_s()
        if timeout_s <= 0:
            raise RpcUnavailableError(endpoint.host, "no time was left to ask it")
        return await endpoint.send(calls, timeout_s) if calls else []
