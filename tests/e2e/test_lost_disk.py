"""A node loses its disk while a write is under way: another machine with its instance_id finishes that very transaction."""

import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.e2e.account import new_account
from tests.support.node import running_node
from tests.support.postgres import running_postgres
from tests.support.rpc_proxy import Forward, drop, honest
from tests.support.serving import lent_platform, serving, serving_process, unchecked
from tests.support.two_nodes import SETTLED, proxy_on_a_thread

SETTINGS = {
    **SETTLED,
    "instance_id": "of this machine",
    "payer_count": 1,
    "write_receipt_timeout_s": 2,
    "billing": "off",
}


async def takes_no_transaction(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    calls = asked if isinstance(asked, list) else [asked]
    sends = any(call["method"] == "eth_sendRawTransaction" for call in calls)
    return await (drop if sends else honest)(request, asked, forward)


@pytest.mark.exhaustive
def test_a_node_that_lost_its_disk_finishes_its_write_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    key = str(uuid.uuid4())
    with running_postgres() as server, running_node(tmp_path / "a", {"SVC_BILLING": "off"}) as lender:
        secrets = {"SVC_LEDGER_URL": server.url(server.new_role())}
        platform = lent_platform(lender, tmp_path / "a")
        with proxy_on_a_thread(lender.log_value("chain"), websocket=True) as proxy:
            settings = {**platform, **SETTINGS, "rpc_endpoints": [proxy.url]}
            with serving_process(tmp_path / "b", settings, secrets) as (url, process):
                account = new_account(unchecked(url))
                group = {"group_name": "under way"}
                proxy.behaviour = takes_no_transaction
                sent = account.client.post("add_group", group, Idempotency_Key=key).refused(504, "chain_timeout")
                process.kill()
                process.wait()
            shutil.rmtree(tmp_path / "b")
            (tmp_path / "b").mkdir()
            proxy.behaviour = honest
            with serving(tmp_path / "b", settings, secrets) as url:
                node = unchecked(url, account.key)
                answer = node.post("add_group", group, Idempotency_Key=key)
                assert answer.ok()["transaction_hash"] == sent["transaction_hash"]
                assert [each["name"] for each in node.get("list_groups").ok()] == ["under way"]
