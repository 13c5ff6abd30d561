"""A single attempt to read at a block that a quorum agrees on: chooses what each endpoint is asked, and counts answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from node.chain.port import Head
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.heads import LATEST, candidate_heads, header_at, height_of, may_rise, reported_head
from node.chain.quorum.tally import Tally
from node.chain.quorum.view_calls import NOT_COMPUTED, Answer, ViewCall, answer_of
from node.chain.rpc import Endpoint, RpcCall, RpcOutcome, RpcUnavailableError


@dataclass(frozen=True, slots=True)
class Agreement:
    """The answers of a quorum at one block."""

    head: Head
    answers: tuple[Answer, ...]


class QuorumRound:
    """Asks `calls` of the endpoints of `client`, until its clock shows `deadline`.

    `known` is the head each endpoint reported last, and is kept up to date; `agreed` is the head agreed on last.
    Afterwards `failed` holds why an endpoint gave no usable answer, `fresh` the heads of the others.
    """

    def __init__(
        self,
        client: QuorumClient,
        calls: Sequence[ViewCall],
        known: dict[Endpoint, Head],
        agreed: Head | None,
        deadline: float,
    ) -> None:
        self._client = client
        self._calls = calls
        self._known = known
        self._agreed = agreed
        self._deadline = deadline
        self._order = client.reputation.best_first(client.rpc.endpoints)
        self._votes: dict[Head, dict[Endpoint, tuple[Answer, ...]]] = {}
        self._unacquainted: dict[Head, set[Endpoint]] = {}
        self.failed: dict[Endpoint, str] = {}
        self.fresh: dict[Endpoint, Head] = {}

    @property
    def can_agree(self) -> bool:
        """Whether enough endpoints for a quorum have not failed."""
        return len(self._order) - len(self.failed) >= self._client.quorum

    @property
    def divided(self) -> set[Endpoint]:
        """The endpoints that contradict another about what the contract says at one and the same block."""
        tallies = [tally for tally in map(self._tally, self._votes) if tally.is_divided]
        return {endpoint for tally in tallies for endpoint in tally.votes}

    def contradicting(self, agreement: Agreement) -> set[Endpoint]:
        """The endpoints that gave other answers than the agreed ones."""
        return self._tally(agreement.head).contradicting(agreement.answers)

    def unacquainted(self, head: Head) -> set[Endpoint]:
        """The endpoints that do not know this block: not yet, or they have another one in its place."""
        return self._unacquainted.get(head, set())

    async def agree(self, floor: int) -> Agreement | None:
        """The answers at the highest block that a quorum confirms, at `floor` or above; None when there is no such block."""
        guess = candidate_heads({}, self._known, self._client.quorum, floor, self._agreed)[:1]
        await self._hear(guess[0] if guess else None)
        partial: Agreement | None = None
        tried: set[Head] = set()
        while len(self.fresh) >= self._client.quorum and (head := self._untried(floor, tried)) is not None:
            tried.add(head)
            agreement = await self._settle(head, hears=True)
            if agreement is not None and NOT_COMPUTED not in agreement.answers:
                return agreement
            partial = partial or agreement  # unless endpoints can compute it at a lower block
        return partial

    async def agree_at(self, head: Head) -> Agreement | None:
        """The answers at this very block; None when no quorum confirms it, or gives the same answers."""
        return await self._settle(head, hears=False)

    def _untried(self, floor: int, tried: set[Head]) -> Head | None:
        candidates = candidate_heads(self.fresh, self._known, self._client.quorum, floor, self._agreed)
        return next((head for head in candidates if head not in tried), None)

    async def _hear(self, guess: Head | None) -> None:
        """Have a quorum of heads, and of the other endpoints those that could lift the height."""

        async def ask(endpoint: Endpoint) -> None:
            # The guess will most likely turn out to be the endpoint's head, and needs no header of its own then.
            await self._ask(endpoint, guess, hears=True, confirms=False)

        await self._client.poll(self._order, ask, lambda: self._client.quorum - len(self.fresh))
        rest = [each for each in self._order if each not in self.fresh and each not in self.failed]
        # An endpoint that was late or failed a moment ago is not waited for again: its last known head counts.
        prompt = [each for each in rest if not (each.rests or each.is_slow) or each not in self._known]
        if self._may_rise(prompt):
            patience_s = self._client.limits.rpc_hedge_delay_s
            await self._client.poll(
                prompt, ask, lambda: sum(each not in self.fresh for each in prompt), patience_s=patience_s
            )

    async def _settle(self, head: Head, *, hears: bool) -> Agreement | None:
        """Ask about this block until a quorum gives the same answers, or every endpoint has been asked."""
        tally = self._tally(head)
        asked = {*tally.votes, *self.unacquainted(head), *self.failed}
        order = [each for each in self._order if each not in asked]
        order.sort(key=lambda each: each in self.fresh and self.fresh[each].number < head.number)

        async def ask(endpoint: Endpoint) -> None:
            confirms = not self._vouches(endpoint, head)
            await self._ask(endpoint, head, hears=hears and endpoint not in self.fresh, confirms=confirms)

        await self._client.poll(order, ask, lambda: tally.missing)
        return None if (answers := tally.agreed) is None else Agreement(head, answers)

    def _may_rise(self, unasked: Sequence[Endpoint]) -> bool:
        heads, quorum = {**self._known, **self.fresh}, self._client.quorum
        asked = [head for endpoint, head in heads.items() if endpoint not in unasked]
        return may_rise(asked, len(unasked), quorum, height_of(list(heads.values()), quorum))

    def _tally(self, head: Head) -> Tally[Endpoint, Answer]:
        """Count the answers at this block; an endpoint that could not compute one contradicts nobody."""
        return Tally(self._votes.setdefault(head, {}), self._client.quorum, len(self._calls), NOT_COMPUTED)

    async def _ask(self, endpoint: Endpoint, head: Head | None, *, hears: bool, confirms: bool) -> None:
        """Note the answers of the endpoint at this block, all in one exchange.

        It also asks for the endpoint's own head (`hears`), and for its header at that height (`confirms`).
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
                self._unacquainted.setdefault(head, set()).add(endpoint)
            elif confirms or self._vouches(endpoint, head):
                self._note_answers(endpoint, head, outcomes)
        except RpcUnavailableError as error:
            self.failed[endpoint] = error.why
            raise

    def _note_head(self, endpoint: Endpoint, outcome: RpcOutcome) -> None:
        head = reported_head(endpoint, outcome)
        if head is None:
            raise endpoint.fault("it has no head")
        self.fresh[endpoint] = self._known[endpoint] = head

    def _vouches(self, endpoint: Endpoint, head: Head) -> bool:
        """Whether the header needs no asking: it is this endpoint's head, or agreed on already.

        That a block agreed on is canonical still, the endpoint says by answering calls at it.
        """
        return self.fresh.get(endpoint) == head or (head == self._agreed and len(self._calls) > 0)

    def _note_answers(self, endpoint: Endpoint, head: Head, outcomes: Sequence[RpcOutcome]) -> None:
        answers = [answer_of(endpoint, call, outcome) for call, outcome in zip(self._calls, outcomes, strict=True)]
        known = tuple(answer for answer in answers if answer is not None)
        if len(known) == len(answers):
            self._votes.setdefault(head, {})[endpoint] = known
        else:
            self._unacquainted.setdefault(head, set()).add(endpoint)

    async def _send(self, endpoint: Endpoint, calls: Sequence[RpcCall]) -> list[RpcOutcome]:
        timeout_s = min(self._client.rpc.limits.attempt_timeout_s, self._deadline - self._client.clock())
        if timeout_s <= 0:
            raise RpcUnavailableError(endpoint.host, "no time was left to ask it")
        return await endpoint.send(calls, timeout_s) if calls else []
