"""The voting engine under every question: lying, late, lagging, failing, refusing providers in every place, and their reputation."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

import aiohttp
import pytest

from node.chain.quorum import client as client_module
from node.chain.quorum.client import DISAGREE, OUTVOTED, BehindError, QuorumClient
from node.chain.rpc import JsonRpc, Provider, RpcCall, RpcOutcome, RpcRefusedError, RpcUnavailableError
from node.settings.chain import RpcSettings
from tests.chain.quorum.bench import Counted
from tests.support.clock import FakeClock
from tests.support.constants import replace_constants

CALL = RpcCall("eth_blockNumber")
RPC = RpcSettings(rpc_attempt_timeout_s=0.2, rpc_call_timeout_s=0.5, rpc_hedge_delay_s=0.01)
TRUTH, LIE = "0x64", "0x270f"

Kind: TypeAlias = Literal["true", "lies", "lies too", "late", "hangs", "behind", "fails", "refuses", "nonsense"]
"""How a provider answers. `late`: after the hedge delay, with the truth; `hangs`: until its time is over."""


@pytest.fixture(autouse=True)
def _tie_break(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_constants(monkeypatch, "node.chain", TIE_BREAK_TIMEOUT_S=0.05)


class Scripted(Provider):
    """Answers by its kind, with no network."""

    def __init__(self, place: int, kind: Kind) -> None:
        super().__init__(cast("aiohttp.ClientSession", None), f"http://{place}.example/")
        self.kind = kind
        self.asked = 0

    async def send(self, calls: Sequence[RpcCall], timeout_s: float) -> list[RpcOutcome]:
        self.asked += 1
        outcome: dict[Kind, RpcOutcome] = {"lies": LIE, "lies too": "0x0", "nonsense": "one hundred"}
        match self.kind:
            case "late":
                await asyncio.sleep(2 * RPC.rpc_hedge_delay_s)
            case "hangs":
                await asyncio.sleep(timeout_s)
                raise self.fault("did not answer in time")
            case "behind":
                raise BehindError(self.host)
            case "fails":
                raise self.fault("broken")
            case "refuses":
                raise RpcRefusedError(self.host, -32000, "no")
            case _:
                pass
        return [outcome.get(self.kind, TRUTH)] * len(calls)


def client_over(
    kinds: Sequence[Kind], quorum: int, settings: RpcSettings = RPC, observer: Counted | None = None
) -> tuple[QuorumClient, list[Scripted]]:
    providers = [Scripted(place, kind) for place, kind in enumerate(kinds)]
    rpc = JsonRpc(cast("aiohttp.ClientSession", None), ["http://placeholder/"], settings)
    rpc.providers = tuple(providers)
    return QuorumClient(rpc, settings.model_copy(update={"rpc_quorum": quorum}), observer), providers


async def answered(provider: Provider, timeout_s: float) -> str:
    """A question whose answers must be the same: a refusal is no answer to it."""
    try:
        (outcome,) = await provider.send([CALL], timeout_s)
    except RpcRefusedError as refused:
        raise RpcUnavailableError(refused.host, "refused it") from None
    return cast("str", outcome)


VOTES: list[tuple[list[Kind], int, bool, bool]] = [
    (["true"], 1, True, False),
    (["fails"], 1, False, False),
    (["true", "true"], 2, True, False),
    (["true", "lies"], 2, False, True),
    (["true", "fails"], 2, False, False),
    (["true", "hangs"], 2, False, False),
    (["true", "true", "lies"], 2, True, False),
    (["true", "true", "hangs"], 2, True, False),
    (["true", "true", "behind"], 2, True, False),
    (["true", "true", "refuses"], 2, True, False),
    (["true", "late", "lies"], 2, True, False),
    (["true", "late", "hangs"], 2, True, False),
    (["late", "late", "lies"], 2, True, False),
    (["true", "lies", "lies too"], 2, False, True),
    (["true", "lies", "hangs"], 2, False, True),
    (["true", "lies", "fails"], 2, False, True),
    (["true", "refuses", "fails"], 2, False, False),
    (["true", "true", "lies"], 3, False, True),
    (["true", "true", "fails"], 3, False, False),
    (["true", "true", "true", "lies"], 3, True, False),
    (["true", "late", "true", "hangs"], 3, True, False),
    (["true", "true", "true", "lies", "lies"], 3, True, False),
    (["true", "true", "late", "lies", "hangs"], 3, True, False),
]
"""Providers, how many are a quorum; whether the truth is agreed on, and if not whether they contradict each other."""


@pytest.mark.parametrize(("kinds", "quorum", "agreed", "divided"), VOTES)
async def test_a_vote_is_the_truth_or_nothing_in_whatever_order_endpoints_are_asked(
    kinds: list[Kind], quorum: int, agreed: bool, divided: bool
) -> None:
    for order in sorted(set(itertools.permutations(kinds)))[:12]:
        client, providers = client_over(order, quorum)
        tally = await client.vote(answered, RPC.rpc_hedge_delay_s)
        assert tally.agreed == ((TRUTH,) if agreed else None)
        assert max(provider.asked for provider in providers) == 1, "each is asked once"
        if agreed:
            liars = {each for each in tally.votes if cast("Scripted", each).kind in {"lies", "lies too"}}
            assert tally.contradicting([TRUTH]) == liars, "a silent or late endpoint contradicts nobody"
        else:
            assert tally.is_divided == divided


async def test_a_vote_asks_no_more_endpoints_than_it_takes() -> None:
    client, providers = client_over(["true", "true", "lies", "true", "fails"], 2)
    await client.vote(answered, hedge_delay_s=60)
    assert [provider.asked for provider in providers] == [1, 1, 0, 0, 0]


NUMBERS: list[tuple[list[Kind], int, list[int]]] = [
    (["true", "true"], 2, [100, 100]),
    (["true", "lies"], 2, [100, 9999]),
    (["true", "true", "lies"], 2, [100, 100]),
    (["true", "true", "hangs"], 2, [100, 100]),
    (["true", "true", "behind"], 2, [100, 100]),
    (["true", "true", "refuses"], 2, [100, 100]),
    (["true", "true", "nonsense"], 2, [100, 100]),
    (["true", "true", "true", "lies", "lies too"], 3, [100, 100]),
]
"""Providers, how many are a quorum; the highest number that a quorum reaches and the lowest that it does not exceed."""


@pytest.mark.parametrize(("kinds", "quorum", "bounds"), NUMBERS)
async def test_a_number_lies_between_those_of_two_honest_endpoints_unless_all_must_agree(
    kinds: list[Kind], quorum: int, bounds: list[int]
) -> None:
    for order in sorted(set(itertools.permutations(kinds)))[:12]:
        client, _ = client_over(order, quorum)
        (numbers,) = await client.numbers([CALL])
        assert len(numbers) >= quorum
        assert [client.at_least(numbers), client.at_most(numbers)] == bounds


@pytest.mark.parametrize("lie", ["lies", "lies too"])
@pytest.mark.parametrize("slow", ["late", "hangs"])
async def test_a_liar_and_a_slow_endpoint_together_move_no_number_past_the_honest_one(lie: Kind, slow: Kind) -> None:
    """The slow one may be given up: then nothing is settled, and the lie bounds the number on one side only."""
    for order in itertools.permutations(["true", slow, lie]):
        client, _ = client_over(cast("list[Kind]", order), 2)
        (numbers,) = await client.numbers([CALL])
        assert client.at_least(numbers) <= int(TRUTH, 16) <= client.at_most(numbers)


async def test_beside_a_liar_a_hanging_endpoint_is_waited_for_no_longer_than_the_dispute_may_last() -> None:
    unhurried = RPC.model_copy(update={"rpc_attempt_timeout_s": 3600})
    client, providers = client_over(["lies", "true", "hangs"], 2, unhurried)
    async with asyncio.timeout(30):
        (numbers,) = await client.numbers([CALL])
    assert sorted(numbers) == [100, 9999], "given up unsettled"
    assert [provider.asked for provider in providers] == [1, 1, 1]
    assert providers[2].is_slow
    assert asyncio.all_tasks() == {asyncio.current_task()}


FAILURES: list[tuple[list[Kind], type[Exception]]] = [
    (["true", "fails", "fails"], RpcUnavailableError),
    (["true", "behind", "fails"], BehindError),
    (["true", "fails", "behind"], BehindError),
    (["true", "refuses", "refuses"], RpcRefusedError),
    (["true", "nonsense", "nonsense"], RpcUnavailableError),
]


@pytest.mark.parametrize(("kinds", "error"), FAILURES)
async def test_fewer_answers_than_a_quorum_are_the_reason_of_one_that_gave_none(
    kinds: list[Kind], error: type[Exception]
) -> None:
    client, providers = client_over(kinds, 2)
    with pytest.raises(error):
        await client.numbers([CALL])
    faulty = {"fails", "nonsense"}
    assert [provider.rests for provider in providers] == [provider.kind in faulty for provider in providers]


async def test_a_quorum_of_one_asks_in_the_order_given_and_takes_a_refusal_for_an_answer() -> None:
    client, providers = client_over(["fails", "refuses", "true"], 1)
    with pytest.raises(RpcRefusedError):
        await client.numbers([CALL])
    assert [provider.asked for provider in providers] == [1, 1, 0]


async def test_nothing_is_left_running_when_a_caller_gives_up() -> None:
    client, _ = client_over(["hangs", "hangs", "hangs"], 2, RPC.model_copy(update={"rpc_attempt_timeout_s": 3600}))
    for asking in (client.vote(answered, 60), client.numbers([CALL])):
        caller = asyncio.ensure_future(cast("Any", asking))
        await asyncio.sleep(0)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("event", [OUTVOTED, DISAGREE])
async def test_who_dissents_in_one_question_is_asked_last_in_every_other_for_a_while(event: str) -> None:
    clock, counted = FakeClock(), Counted()
    _, providers = client_over(["true", "true", "true"], 2)
    rpc = JsonRpc(cast("aiohttp.ClientSession", None), ["http://placeholder/"], RPC)
    rpc.providers = tuple(providers)
    client = QuorumClient(rpc, RPC, counted, clock)
    client.reputation.disagreed(providers[0], event, what="deposits", first=1, last=2)
    assert counted.hosts == Counter({"0.example": 1})
    await client.vote(answered, 60)
    await client.numbers([CALL])
    assert [provider.asked for provider in providers] == [0, 2, 2]
    clock.advance(client_module.DISSENTER_REST_S)
    await client.vote(answered, 60)
    assert providers[0].asked == 1
