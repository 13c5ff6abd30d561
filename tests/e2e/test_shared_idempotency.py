"""Two real nodes on one PostgreSQL: a request repeated with its Idempotency-Key may reach either (spec 2.7)."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.e2e.account import Account, new_account
from tests.support.client import Answer, Client
from tests.support.node import running_node
from tests.support.postgres import running_postgres
from tests.support.rpc_proxy import Forward
from tests.support.serving import lent_platform, serving, serving_process, unchecked
from tests.support.two_nodes import SETTLED, TwoNodes, proxy_on_a_thread, two_nodes

pytestmark = pytest.mark.exhaustive

ROUNDS = 20
A_SECOND = "function main() { const end = Date.now() + 1000; while (Date.now() < end); return Math.random(); }"
SETTINGS = {"http_idempotency_lease_s": 3}
WITHOUT_END = {"write_receipt_timeout_s": 10}
"""For writes that nobody ends: the client is told so after this."""
"""So that a node that was killed is missed soon."""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoNodes]:
    with running_postgres() as server:
        ledger = {"SVC_LEDGER_URL": server.url(server.new_role()), "SVC_DEV_STARTER_CENTS": "1000"}
        with two_nodes(tmp_path_factory.mktemp("nodes"), SETTINGS, ledger=ledger) as running:
            yield running


@pytest.fixture
def account(nodes: TwoNodes) -> Account:
    account = new_account(nodes.a)
    account.client.get("billing/balance").ok()
    return account


def at(node: Client, account: Account) -> Client:
    return node.with_key(account.key)


def mint(client: Client, key: str) -> Answer:
    return client.post("create_wallet", Idempotency_Key=key)


def replayed(answer: Answer) -> bool:
    return answer.headers.get("Idempotency-Replayed") == "true"


def spent(client: Client) -> int:
    return 1000 - int(client.get("billing/balance").ok()["credit_cents"])


def at_both(nodes: TwoNodes, account: Account, ask: Callable[[Client], Answer]) -> list[Answer]:
    """The same request at both nodes, at the same moment."""
    together = threading.Barrier(2)

    def asked(node: Client) -> Answer:
        together.wait()
        return ask(at(node, account))

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(asked, (nodes.a, nodes.b)))


@pytest.mark.parametrize("first_at_a", [True, False])
def test_the_other_node_gives_the_first_answer_again(nodes: TwoNodes, account: Account, first_at_a: bool) -> None:
    order = (nodes.a, nodes.b) if first_at_a else (nodes.b, nodes.a)
    key = str(uuid.uuid4())
    first, again = (mint(at(node, account), key) for node in order)
    assert (first.ok(), replayed(first), replayed(again)) == (again.ok(), False, True)
    assert len(account.client.get("list_wallets").ok()) == 2
    assert spent(account.client) == 1


def test_another_body_is_a_conflict_at_the_other_node(nodes: TwoNodes, account: Account) -> None:
    key = str(uuid.uuid4())
    at(nodes.a, account).post("add_group", {"group_name": "one"}, Idempotency_Key=key).ok()
    other = at(nodes.b, account).post("add_group", {"group_name": "two"}, Idempotency_Key=key)
    other.refused(409, "conflict")
    assert [group["name"] for group in account.client.get("list_groups").ok()] == ["one"]


def test_a_one_time_secret_is_shown_again_by_the_other_node(nodes: TwoNodes, account: Account) -> None:
    key, body = str(uuid.uuid4()), {"name": "kept"}
    first = at(nodes.a, account).post("add_usage_api_key", body, Idempotency_Key=key)
    again = at(nodes.b, account).post("add_usage_api_key", body, Idempotency_Key=key)
    assert (again.ok(), replayed(again)) == (first.ok(), True)


def test_a_mint_asked_for_at_both_nodes_at_once_is_one_mint(nodes: TwoNodes, account: Account) -> None:
    for _ in range(ROUNDS):
        key = str(uuid.uuid4())
        answers = at_both(nodes, account, lambda client, key=key: mint(client, key))  # type: ignore[misc]  # bound now
        assert answers[0].ok() == answers[1].ok()
        assert sorted(map(replayed, answers)) == [False, True]
    assert len(account.client.get("list_wallets", page_size=100).ok()) == 1 + ROUNDS
    assert spent(account.client) == ROUNDS


def test_an_execution_asked_for_at_both_nodes_at_once_runs_and_is_charged_once(
    nodes: TwoNodes, account: Account
) -> None:
    charged = 0
    for _ in range(ROUNDS):
        run = {"code": A_SECOND, "js_params": None}
        key = str(uuid.uuid4())
        answers = at_both(
            nodes,
            account,
            lambda client, key=key, run=run: client.post("svc_action", run, Idempotency_Key=key),  # type: ignore[misc]  # bound now
        )
        assert answers[0].ok() == answers[1].ok(), "what is random is the same"
        assert sorted(map(replayed, answers)) == [False, True]
        charged += answers[0].ok()["charged_cents"]
    assert len(account.client.get("billing/usage", page_size=100).ok()) == ROUNDS
    assert spent(account.client) == charged


class Halt:
    """A way to the chain that ends with a call of this method: it arrives, or not, and no answer comes."""

    def __init__(self, method: str, *, arrives: bool) -> None:
        self.reached = threading.Event()
        self._method = method
        self._arrives = arrives

    async def __call__(self, _: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        calls = asked if isinstance(asked, list) else [asked]
        if any(call["method"] == self._method for call in calls):
            if self._arrives:
                await forward()
            self.reached.set()
            await asyncio.Event().wait()
        return web.json_response(await forward())


@dataclass(frozen=True)
class Killed:
    """Node B is gone in the middle of a keyed mint; `account` speaks to node A, `restarted` brings B back."""

    account: Account
    key: str
    restarted: Callable[[], AbstractContextManager[object]]


@contextmanager
def killed_at(directory: Path, halt: Halt) -> Iterator[Killed]:
    (directory / "b").mkdir()
    with running_postgres() as server:
        secrets = {"SVC_LEDGER_URL": server.url(server.new_role())}
        lease = {f"SVC_{name.upper()}": str(value) for name, value in {**SETTLED, **SETTINGS, **WITHOUT_END}.items()}
        with running_node(directory / "a", {**secrets, **lease, "SVC_DEV_STARTER_CENTS": "1000"}) as a:
            chain = a.log_value("chain")
            settings = {**lent_platform(a, directory / "a"), "billing": "", **SETTLED, **SETTINGS}
            account, key = new_account(unchecked(a.url)), str(uuid.uuid4())
            assert spent(account.client) == 0
            with (
                proxy_on_a_thread(chain, websocket=True) as proxy,
                serving_process(directory / "b", {**settings, "rpc_endpoints": [proxy.url]}, secrets) as (b, process),
            ):
                proxy.behaviour = halt
                with ThreadPoolExecutor(1) as threads:
                    lost = threads.submit(mint, unchecked(b, account.key), key)
                    assert halt.reached.wait(60)
                    process.kill()
                    assert isinstance(lost.exception(60), OSError)
            yield Killed(account, key, lambda: serving(directory / "b", settings, secrets))


def assert_one_mint(killed: Killed, answer: Answer) -> None:
    again = mint(killed.account.client, killed.key)
    assert (again.ok(), replayed(again)) == (answer.ok(), True)
    wallets = [wallet["wallet_address"] for wallet in killed.account.client.get("list_wallets").ok()]
    assert len(wallets) == 2
    assert answer.ok()["wallet_address"] in wallets
    assert spent(killed.account.client) == 1


def test_what_a_killed_node_had_not_sent_is_done_by_the_other(tmp_path: Path) -> None:
    with killed_at(tmp_path, Halt("eth_estimateGas", arrives=False)) as killed:
        answer = mint(killed.account.client, killed.key)
        assert not replayed(answer)
        assert_one_mint(killed, answer)


@pytest.mark.parametrize("arrives", [True, False])
def test_what_a_killed_node_had_journaled_is_never_done_again(tmp_path: Path, arrives: bool) -> None:
    """Only the node that signed it can end it: until it is back the other tells the transaction."""
    with killed_at(tmp_path, Halt("eth_sendRawTransaction", arrives=arrives)) as killed:
        details = mint(killed.account.client, killed.key).refused(504, "chain_timeout")
        assert details["transaction_hash"].startswith("0x")
        with killed.restarted():
            answer = mint(killed.account.client, killed.key)
            assert replayed(answer)
            assert_one_mint(killed, answer)
