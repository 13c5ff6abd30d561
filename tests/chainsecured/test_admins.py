"""Who administered an account, by providers some of which refuse, leave out, make up or lag: a real chain behind proxies."""

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
import structlog

from node.api.errors import ErrorCode, as_node_error
from node.chain.admins import AccountAdmins, AdminEvents
from node.errors import DomainError
from node.settings.chain import AuthorisationSettings
from node.values import hash_of_address, hash_of_text
from tests.chain.quorum.bench import Bench, quorum_bench
from tests.support.account_chain import AccountChain, account_chain, undone
from tests.support.contract import address_of
from tests.support.lies import Ask, Outcome, Tell, altering, answering, per_call
from tests.support.populated_account import ABI

pytestmark = pytest.mark.asyncio(loop_scope="module")

ADMINS = [address_of(f"admin {number}") for number in range(4)]
MASTER = hash_of_address(ADMINS[0])
VICTIM = address_of("somebody else")
REFUSED: Outcome = {"error": {"code": -32000, "message": "block range too large"}}
EMPTY_BLOCKS = 40


@dataclass
class Reading:
    """The room over providers behind proxies; `now` are seconds, `lag_s` the listener's."""

    bench: Bench
    settings: AuthorisationSettings = field(default_factory=AuthorisationSettings)
    now: float = 0.0
    lag_s: float | None = 0.0

    def __post_init__(self) -> None:
        events = AdminEvents.of(ABI, self.bench.chain.contract.address)
        views, client = self.bench.views, self.bench.client
        self.admins = AccountAdmins(views, client, events, lambda: self.lag_s, lambda: self.now, self.settings)

    def logs_asked(self) -> int:
        """Number of log requests to all providers since the last call."""
        seen = [call for proxy in self.bench.proxies for asked in proxy.seen for call in _calls(asked)]
        self.bench.requests()
        return sum(call["method"] == "eth_getLogs" for call in seen)

    async def unavailable(self) -> None:
        with pytest.raises(DomainError) as refused:
            await self.admins.read(MASTER)
        assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE


def _calls(asked: Any) -> list[Any]:
    return asked if isinstance(asked, list) else [asked]


def hashes(count: int) -> tuple[int, ...]:
    """Of the first so many admins, the last of them first."""
    return tuple(map(hash_of_address, ADMINS[:count][::-1]))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    """An account with three admins so far, some blocks between and after them."""
    async with account_chain() as made:
        for wallet in ADMINS:
            await made.rpc.ask("anvil_impersonateAccount", wallet)
            await made.rpc.ask("anvil_setBalance", wallet, hex(10**18))
        await made.write("newChainSecuredAccount", "account", "", sender=ADMINS[0])
        for number in range(2):
            await made.rpc.ask("anvil_mine", hex(EMPTY_BLOCKS))
            await transfer(made, number)
        await made.rpc.ask("anvil_mine", hex(EMPTY_BLOCKS))
        yield made


async def transfer(chain: AccountChain, number: int) -> int:
    """From this admin to the next; the block."""
    function = "transferChainSecuredAccountOwnership"
    return await chain.write(function, MASTER, ADMINS[number + 1], sender=ADMINS[number])


@pytest.fixture
def over(chain: AccountChain) -> Callable[[int], contextlib.AbstractAsyncContextManager[Reading]]:
    """So many providers, whatever happens on the chain taken back."""

    @contextlib.asynccontextmanager
    async def reading(providers: int) -> AsyncIterator[Reading]:
        async with undone(chain), quorum_bench(chain, providers) as bench:
            with structlog.testing.capture_logs():
                yield Reading(bench)

    return reading


Over = Callable[[int], contextlib.AbstractAsyncContextManager[Reading]]


async def test_every_admin_there_was_the_present_one_first(over: Over) -> None:
    async with over(1) as reading:
        assert await reading.admins.read(MASTER) == hashes(3)
        assert reading.logs_asked() == 1


async def test_an_alias_a_managed_account_and_nobodys_have_no_admins(over: Over) -> None:
    async with over(1) as reading:
        managed = hash_of_text("a managed account")
        await reading.bench.chain.write("newAccount", managed, True, "", "", address_of("its wallet"))
        for account in (managed, 4711, hash_of_address(ADMINS[1])):
            assert await reading.admins.read(account) == ()
        assert reading.logs_asked() == 0


async def test_a_converted_account_begins_with_its_first_admin(over: Over) -> None:
    async with over(1) as reading:
        chain, account = reading.bench.chain, hash_of_text("a converted account")
        await chain.write("newAccount", account, True, "", "", address_of("its managed wallet"))
        await chain.write("convertToChainSecuredAccount", account, ADMINS[3])
        assert await reading.admins.read(account) == (hash_of_address(ADMINS[3]),)


@pytest.mark.parametrize("most", [1, 7, 50, 129])
async def test_an_endpoint_that_gives_few_blocks_at_once_is_asked_in_parts(over: Over, most: int) -> None:
    async with over(1) as reading:
        reading.bench.proxies[0].behaviour = per_call(at_most(most))
        assert await reading.admins.read(MASTER) == hashes(3)
        asked = reading.logs_asked()
        reading.admins.reorganised(0)
        assert await reading.admins.read(MASTER) == hashes(3)
        assert reading.logs_asked() <= asked  # what it refused is remembered


def at_most(most: int) -> Tell:
    """Logs of so many blocks, and no more."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == "eth_getLogs":
            first, last = (int(params[0][name], 16) for name in ("fromBlock", "toBlock"))
            if last - first >= most:
                return REFUSED
        return await ask(method, *params)

    return tell


async def test_an_endpoint_without_logs_is_no_answer_alone_and_none_is_missed_of_three(over: Over) -> None:
    async with over(1) as reading:
        reading.bench.proxies[0].behaviour = per_call(answering({"eth_getLogs"}, lambda _: REFUSED))
        await reading.unavailable()
    async with over(3) as reading:
        reading.bench.prefer(0).behaviour = per_call(answering({"eth_getLogs"}, lambda _: REFUSED))
        assert await reading.admins.read(MASTER) == hashes(3)


def left_out(logs: Any) -> Any:
    return logs[:-1]


def made_up(logs: Any) -> Any:
    """The second admin was handed the account by the victim, who was given it at first."""
    victim = "0x" + "00" * 12 + VICTIM[2:].lower()
    for log in logs[1:2]:
        log["topics"][2] = victim
    logs[0]["topics"][2] = victim
    return logs


def shortened(logs: Any) -> Any:
    """The last transfer came from the first admin, and the second never was."""
    logs[-1]["topics"][2] = logs[0]["topics"][2]
    return logs


LIES = {
    "left out": left_out,
    "made up": made_up,
    "shortened": shortened,
    "nothing": lambda _: [],
    "nonsense": lambda _: {},
}


LINKED = {"made up", "shortened"}
"""Lies that are a whole history; the others are none, as a provider that is behind gives none."""


@pytest.mark.parametrize("lie", LIES)
async def test_one_liar_of_three_is_outvoted_and_of_two_ends_in_no_answer(over: Over, lie: str) -> None:
    for providers in (2, 3):
        async with over(providers) as reading:
            reading.bench.prefer(0).behaviour = per_call(altering({"eth_getLogs"}, LIES[lie]))
            if providers == 2:
                await reading.unavailable()
                assert reading.admins.kept(MASTER) is None
            else:
                assert await reading.admins.read(MASTER) == hashes(3)
            named = [reading.bench.host_of(place) for place in range(1 if providers == 3 else 2)]
            assert reading.bench.disagreements.hosts == (dict.fromkeys(named, 1) if lie in LINKED else {})


async def test_what_is_kept_is_void_by_news_time_and_a_silent_listener(over: Over) -> None:
    async with over(1) as reading:
        assert reading.admins.kept(MASTER) is None
        await reading.admins.read(MASTER)
        head = (await reading.bench.head()).number
        assert reading.admins.kept(MASTER) == hashes(3)
        reading.admins.account_changed(MASTER, head)  # told again of what was read already
        reading.admins.account_changed(MASTER + 1, head + 1)
        assert reading.admins.kept(MASTER) == hashes(3)
        for lag_s in (None, reading.settings.authorisation_stalled_after_s + 1):
            reading.lag_s = lag_s
            assert reading.admins.kept(MASTER) is None
        reading.lag_s = 0.0
        reading.now = reading.settings.authorisation_grant_ttl_s
        assert reading.admins.kept(MASTER) is None
        assert await reading.admins.read(MASTER) == hashes(3)
        assert reading.logs_asked() == 1  # the admin is the same: nothing is missing
        assert reading.admins.kept(MASTER) == hashes(3)
        reading.admins.account_changed(MASTER, head + 1)
        assert reading.admins.kept(MASTER) is None


async def test_a_new_admin_is_read_after_news_and_a_lost_one_after_a_reorganisation(over: Over) -> None:
    async with over(1) as reading:
        await reading.admins.read(MASTER)
        before = (await reading.bench.head()).number
        async with undone(reading.bench.chain):
            reading.admins.account_changed(MASTER, await transfer(reading.bench.chain, 2))
            assert await reading.admins.read(MASTER) == hashes(4)
        reading.admins.reorganised(before)
        await reading.bench.chain.rpc.ask("anvil_mine", hex(EMPTY_BLOCKS))
        assert reading.admins.kept(MASTER) is None
        assert await reading.admins.read(MASTER) == hashes(3)


@pytest.mark.parametrize("news", ["changed", "reorganised"])
async def test_news_that_comes_while_it_is_read_is_not_lost(over: Over, news: str) -> None:
    async with over(1) as reading:
        after = (await reading.bench.head()).number + 1

        async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
            if method == "eth_getLogs" and news == "changed":
                reading.admins.account_changed(MASTER, after)
            elif method == "eth_getLogs":
                reading.admins.reorganised(0)
            return await ask(method, *params)

        reading.bench.proxies[0].behaviour = per_call(tell)
        assert await reading.admins.read(MASTER) == hashes(3)
        assert reading.admins.kept(MASTER) is None


async def test_no_more_accounts_are_kept_than_the_limit(over: Over, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.chain.admins.ACCOUNTS_MAX", 1)
    async with over(1) as reading:
        small = Reading(reading.bench)
        await small.admins.read(MASTER)
        await reading.bench.chain.write("newChainSecuredAccount", "", "", sender=ADMINS[3])
        await small.admins.read(hash_of_address(ADMINS[3]))
        assert small.admins.kept(MASTER) is None
        assert small.admins.kept(hash_of_address(ADMINS[3])) == (hash_of_address(ADMINS[3]),)
