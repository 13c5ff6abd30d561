"""What callers who do not pay can make the node ask of its RPC provider, counted at that provider."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from node.api.errors import as_node_error
from node.errors import DomainError
from node.http.rate import ClientAddresses
from node.settings.http import HttpSettings
from node.status.service import FAILED_MAX_AGE_S, MAX_AGE_S, RecentPayers
from node.values import new_key
from tests.support.clock import FakeClock
from tests.support.envelopes import Eoa
from tests.support.http_server import Reply
from tests.support.rpc_proxy import RpcProxy, honest, refusing
from tests.support.subjects import ENDLESS, Door, Subjects, subjects

pytestmark = pytest.mark.asyncio(loop_scope="module")

OF_ACCOUNT, OF_ADDRESS = 30, 75
FLOOD = 100
IN_WORK_TOGETHER = 10
LIMITS = HttpSettings(
    http_mints_per_minute_per_address=ENDLESS,
    http_unknown_keys_per_minute_per_address=ENDLESS,
    http_chain_reads_per_minute_per_account=OF_ACCOUNT,
    http_chain_reads_per_minute_per_address=OF_ADDRESS,
)


@dataclass
class Counted:
    """A node whose exchanges with its provider are counted by `proxy`; `clock` fills the buckets."""

    world: Subjects
    proxy: RpcProxy
    clock: FakeClock

    async def account(self, address: str = "198.51.100.1") -> str:
        """The key of a fresh account, known to the node, whose buckets are full."""
        key: str = (await self.world.post("/new_account", {"account_name": "free"}, X_Forwarded_For=address)).body[
            "api_key"
        ]
        assert (await self.world.get("/account_exists", key=key, X_Forwarded_For=address)).body is True
        self.clock.advance(60)
        return key

    async def exchanges(self, work: Callable[[], Awaitable[Any]], view: str | None = None) -> int:
        """How many exchanges there were while this was done, with calls of this view; of all but the upkeep's by default."""
        before = len(self.proxy.seen)
        await work()
        exchanges = [json.dumps(each) for each in self.proxy.seen[before:]]
        if view is not None:
            return sum(self._calldata(view) in each for each in exchanges)
        upkeep = (self._calldata("api_payers"), "eth_getBalance")
        computed = [each for each in exchanges if "eth_call" in each or "eth_estimateGas" in each]
        return sum("eth_estimateGas" in each or not any(part in each for part in upkeep) for each in computed)

    def _calldata(self, view: str) -> str:
        return self.world.chain.abi.encode_call(view, ()).hex()

    async def flood(self, path: str, key: str | None, body: object = None, **headers: str) -> list[Reply]:
        """So many requests, some of them at the same time."""
        together = asyncio.Semaphore(IN_WORK_TOGETHER)

        async def one() -> Reply:
            async with together:
                if body is None:
                    return await self.world.get(path, key=key, **headers)
                return await self.world.post(path, body, key=key, **headers)

        return list(await asyncio.gather(*(one() for _ in range(FLOOD))))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def counted(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Counted]:
    proxy, clock = RpcProxy(None), FakeClock()
    door = Door(LIMITS, clock, ClientAddresses(["127.0.0.1"]))
    async with subjects(tmp_path_factory.mktemp("counted"), proxy=proxy, door=door) as world:
        yield Counted(world, proxy, clock)


def assert_refused(reply: Reply, limit: str) -> None:
    assert (reply.status, reply.body["error"]) == (429, "too_many_requests")
    assert int(reply.headers["Retry-After"]) > 0
    assert reply.body["details"] == {"limit": limit}


UNKNOWN_WALLETS = [str(number) for number in range(1000, 1030)]
"""Running ids, each of which is looked up."""

FREE: dict[str, tuple[str, object]] = {
    "list_groups": ("/list_groups", None),
    "list_wallets": ("/list_wallets?page_size=100", None),
    "list_wallets_in_group": ("/list_wallets_in_group?group_id=7", None),
    "list_actions": ("/list_actions", None),
    "list_api_keys": ("/list_api_keys", None),
    "account_exists": ("/account_exists", None),
    "billing/balance": ("/billing/balance", None),
    "a write that would revert": ("/remove_group", {"group_id": 7}),
    "a wallet that is not there": ("/add_pkp_to_group", {"group_id": 7, "pkp_id": UNKNOWN_WALLETS[0]}),
    "thirty of them": ("/add_group", {"group_name": "g", "pkp_ids_permitted": UNKNOWN_WALLETS}),
    "an unknown usage key": ("/update_usage_api_key", {"usage_api_key": new_key(), "name": "n"}),
    "a removal of an unknown usage key": ("/remove_usage_api_key", {"usage_api_key": new_key()}),
    "a body that is refused": ("/add_group", {"nonsense": 1}),
}


@pytest.mark.parametrize(("path", "body"), FREE.values(), ids=FREE.keys())
async def test_a_free_account_makes_so_many_exchanges_and_no_more(counted: Counted, path: str, body: object) -> None:
    key, other = await counted.account(), await counted.account("203.0.113.9")
    replies: list[Reply] = []

    async def flood() -> None:
        replies.extend(await counted.flood(path, key, body, X_Forwarded_For="198.51.100.1"))

    # Requests that were let in together go on, and owe another bucket at most.
    assert await counted.exchanges(flood) <= 2 * OF_ACCOUNT + IN_WORK_TOGETHER
    assert {reply.status for reply in replies} <= {200, 400, 404, 429}
    assert {reply.status for reply in replies} > {429}
    assert_refused(replies[-1], "http_chain_reads_per_minute_per_account")
    for address in ("198.51.100.1", "203.0.113.9"):  # one account's flood leaves others alone, also behind its address
        assert (await counted.world.get("/list_groups", key=other, X_Forwarded_For=address)).status == 200
    counted.clock.advance(3600)
    assert (await counted.world.get("/list_groups", key=key, X_Forwarded_For="198.51.100.1")).status == 200


async def test_many_free_accounts_of_one_address_share_its_bucket(counted: Counted) -> None:
    keys = [await counted.account() for _ in range(6)]

    async def flood() -> None:
        for key in keys:
            await counted.flood("/list_groups", key, X_Forwarded_For="2001:db8::1")

    assert await counted.exchanges(flood) <= OF_ADDRESS + 3 * IN_WORK_TOGETHER
    of_network = await counted.world.get("/list_groups", key=keys[-1], X_Forwarded_For="2001:db8::2")
    assert_refused(of_network, "http_chain_reads_per_minute_per_address")
    elsewhere = await counted.world.get("/list_groups", key=keys[-1], X_Forwarded_For="2001:db8:0:1::1")
    assert elsewhere.status == 200


async def test_unknown_keys_and_forged_wallets_take_of_the_address(counted: Counted) -> None:
    admin = Eoa.of("signs for an account that is not there")
    now = int(counted.world.clock.now)
    mint = admin.request("CreateWallet", now) | {"signature": "0x" + "11" * 65}
    floods: list[tuple[str, str | None, object, dict[str, str]]] = [
        ("/account_exists", new_key(), None, {}),
        ("/billing/balance", None, None, {"X_Wallet_Auth": admin.header(now)}),
        ("/create_wallet_with_signature", None, mint, {}),
        ("/create_wallet_with_signature", None, admin.request("CreateWallet", now), {}),
    ]
    for number, (path, key, body, headers) in enumerate(floods):
        address = f"198.51.100.{100 + number}"
        replies: list[Reply] = []

        async def flood() -> None:
            replies.extend(await counted.flood(path, key, body, X_Forwarded_For=address, **headers))  # noqa: B023 - run at once

        assert await counted.exchanges(flood) <= OF_ADDRESS + 3 * IN_WORK_TOGETHER, path
        assert_refused(replies[-1], "http_chain_reads_per_minute_per_address")


async def test_writes_that_are_paid_for_take_nothing(counted: Counted) -> None:
    key = await counted.account()
    for number in range(OF_ADDRESS // 2):
        reply = await counted.world.post(
            "/add_group", {"group_name": f"{number}"}, key=key, X_Forwarded_For="192.0.2.1"
        )
        assert reply.status == 200, reply.body
    assert (await counted.world.get("/list_groups", key=key, X_Forwarded_For="192.0.2.1")).status == 200


async def test_the_payers_are_read_once_in_ten_seconds_however_many_ask(counted: Counted) -> None:
    clock = FakeClock()
    payers = RecentPayers(counted.world.reads, clock)

    known = counted.world.writes.payers

    async def ask() -> None:
        for _ in range(5):
            answers = await asyncio.gather(*(payers.api_payers() for _ in range(50)))
            assert {tuple(sorted(each)) for each in answers} == {tuple(sorted(known.addresses))}
            assert set(await asyncio.gather(*(payers.admin_api_payer() for _ in range(50)))) == {known.admin_address}

    for _ in range(2):
        # The upkeep of the payers may make a round of its own meanwhile.
        assert await counted.exchanges(ask, "adminApiPayerAccount") == 1
        assert await counted.exchanges(ask, "api_payers") <= 1
        clock.advance(MAX_AGE_S)


async def test_the_age_of_payers_counts_from_before_they_were_read(counted: Counted) -> None:
    clock, reads = FakeClock(), counted.world.reads
    asked_at: list[float] = []

    class SlowReads:
        async def api_payers(self) -> Sequence[str]:
            asked_at.append(clock())
            payers = await reads.api_payers()
            clock.advance(MAX_AGE_S - 1)
            return payers

        async def admin_api_payer(self) -> str:
            return await reads.admin_api_payer()

    payers = RecentPayers(SlowReads(), clock)
    for _ in range(2):
        await payers.api_payers()
    assert len(asked_at) == 1, "they are not old yet"
    clock.advance(1)
    await payers.api_payers()
    assert len(asked_at) == 2, "what was read so long ago may have changed since"


async def test_payers_that_cannot_be_read_are_asked_for_once_a_second(counted: Counted) -> None:
    clock = FakeClock()
    payers = RecentPayers(counted.world.reads, clock)

    async def ask() -> None:
        failures = await asyncio.gather(*(payers.api_payers() for _ in range(100)), return_exceptions=True)
        assert {as_node_error(each).code for each in failures if isinstance(each, DomainError)} == {"chain_unavailable"}
        assert all(isinstance(each, DomainError) for each in failures)

    once = await counted.exchanges(lambda: _failing(counted, ask), "api_payers")
    assert 1 <= once < 20  # a call of the node is tried more than once itself
    # The upkeep of the payers may make a round of its own meanwhile.
    assert await counted.exchanges(lambda: _failing(counted, ask), "api_payers") <= 1
    clock.advance(FAILED_MAX_AGE_S)
    assert await payers.api_payers() == await counted.world.reads.api_payers()


async def _failing(counted: Counted, work: Callable[[], Awaitable[None]]) -> None:
    counted.proxy.behaviour = refusing(-32005, "quota exhausted", status=200)
    try:
        await work()
    finally:
        counted.proxy.behaviour = honest
