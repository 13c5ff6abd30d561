"""One provider lies in every way we know: beside two honest ones nobody notices, beside one there is no wrong answer."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
import structlog

from node.api.errors import ErrorCode, as_node_error
from node.chain.port import Authorisation
from node.errors import DomainError
from node.settings.chain import RpcSettings
from tests.chain.quorum.bench import RPC, Bench, quorum_bench
from tests.support.account_chain import AccountChain, undone
from tests.support.constants import replace_constants
from tests.support.lying_rpc import FLIPS, GARBAGE, HEAD_LIES, SILENCE, STATE_LIES, Lie, Stage
from tests.support.populated_account import ACTION, MASTER, OTHER_MASTER, SECOND_WALLET, USAGE
from tests.support.rpc_proxy import slow

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIES: dict[str, Lie] = {**STATE_LIES, **HEAD_LIES, **GARBAGE, **SILENCE, **FLIPS}
AT_ONCE = 3
IMPATIENT = RPC.model_copy(update={"rpc_attempt_timeout_s": 0.3, "rpc_call_timeout_s": 1})
"""Beside a liar one of two is often waited for in vain, and an honest one given up has said nothing wrong."""
HONEST_DELAY_S = 0.003
"""A liar that answers first is asked first."""


@contextlib.asynccontextmanager
async def after_a_revocation(
    chain: AccountChain, providers: int, lie: Lie, place: int, settings: RpcSettings = RPC
) -> AsyncIterator[Bench]:
    """A usage key was revoked a few blocks ago, its account's key was not; the provider at `place` lies from now on."""
    async with undone(chain), quorum_bench(chain, providers, settings) as bench:
        granted_at = (await bench.head()).number
        await chain.write("removeUsageApiKey", MASTER, USAGE)
        for _ in range(5):
            await bench.add_group()
        for proxy in bench.proxies:
            proxy.behaviour = slow(HONEST_DELAY_S)
        bench.proxies[place].behaviour = lie(Stage(granted_at, chain.contract.address, OTHER_MASTER, late_s=0.5))
        with structlog.testing.capture_logs():
            yield bench


async def decide(bench: Bench, key: int) -> list[Authorisation | DomainError]:
    """Several decisions at once, twice over, so that who was doubted in the first turn is so in the second."""
    asked = [bench.reader.authorisation(key, ACTION, [SECOND_WALLET]) for _ in range(2 * AT_ONCE)]
    outcomes = [
        *await asyncio.gather(*asked[:AT_ONCE], return_exceptions=True),
        *await asyncio.gather(*asked[AT_ONCE:], return_exceptions=True),
    ]
    decided: list[Authorisation | DomainError] = []
    for outcome in outcomes:
        assert isinstance(outcome, Authorisation | DomainError), outcome
        decided.append(outcome)
    return decided


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("name", LIES)
async def test_of_three_endpoints_one_lies_and_every_answer_is_the_truth(
    chain: AccountChain, name: str, place: int
) -> None:
    async with after_a_revocation(chain, 3, LIES[name], place) as bench:
        head = await bench.head()
        for key, master, may in ((USAGE, 0, False), (MASTER, MASTER, True)):
            for decision in await decide(bench, key):
                assert isinstance(decision, Authorisation), decision
                assert (decision.master_hash, decision.may_execute, list(decision.wallets)) == (master, may, [may])
                assert (decision.block_number, decision.block_timestamp) == (head.number, head.timestamp)
        assert bench.quorum.head == head
        assert bench.floor.value == head.number


@pytest.mark.parametrize("name", LIES)
async def test_of_two_endpoints_one_lies_and_no_answer_is_wrong(
    chain: AccountChain, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_constants(monkeypatch, "node.chain", BEHIND_TIMEOUT_S=0.1)
    async with after_a_revocation(chain, 2, LIES[name], 0, IMPATIENT) as bench:
        head = await bench.head()
        for key, master, may in ((USAGE, 0, False), (MASTER, MASTER, True)):
            for decision in await decide(bench, key):
                if isinstance(decision, DomainError):
                    assert as_node_error(decision).code is ErrorCode.CHAIN_UNAVAILABLE
                    assert decision.retry_after_s
                elif decision.block_number == head.number:
                    assert (decision.master_hash, decision.may_execute) == (master, may)
                else:
                    # What a liar of two can do: hold back the head, until it is too old (see test_blocks).
                    assert decision.block_number == head.number - 6
        assert bench.floor.value <= head.number
