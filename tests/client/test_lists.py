"""Lists whose things are removed, or added, while they are read: each thing is given once, and none is left out."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from pydantic import JsonValue

from svc_client import AsyncClient, Client
from tests.support.client_attacks import SECRET, Attack
from tests.support.instances import Instance, running_app

KEYS = 130
"""More than a page."""
PAGE = 100
FLAGS = ("can_create_groups", "can_delete_groups", "can_create_pkps")
GROUPS = (
    "can_manage_ipfs_ids_in_groups",
    "can_add_pkp_to_groups",
    "can_remove_pkp_from_groups",
    "can_execute_in_groups",
)


def usage_key(number: int) -> dict[str, JsonValue]:
    name = f"0x{number:064x}"
    own: dict[str, JsonValue] = {"id": name, "api_key_hash": name, "name": "", "description": ""}
    return {**own, "expiration": "0", "balance": 0, **dict.fromkeys(FLAGS, False), **{each: [] for each in GROUPS}}


def charge(number: int) -> dict[str, JsonValue]:
    own: dict[str, JsonValue] = {"id": str(number), "time": "2026-01-01T00:00:00Z", "service": "execution"}
    null: dict[str, JsonValue] = dict.fromkeys(("api_key_hash", "action_ipfs_cid", "operation", "request_id"))
    return {**own, **null, "charged_cents": 1, "duration_ms": 5}


def deposit(number: int) -> dict[str, JsonValue]:
    numbers = dict.fromkeys(("block_number", "confirmations_needed", "credited_microdollars", "seen_at"), 1)
    null = dict.fromkeys(
        ("reason", "confirmations", "symbol", "decimals", "amount_display", "microdollars_per_token"), None
    )
    texts = {"payer": "0x1", "token": "0x2", "amount": "1", "credited_display": "$0", "status": "pending"}
    # Two deposits of one transaction.
    return {"transaction_hash": f"0x{number // 2}", "log_index": number % 2, **numbers, **null, **texts}


@dataclass
class Keeping(Instance):
    """An accepted node whose usage keys can be removed, and whose other lists get a thing in front with each page."""

    keys: list[dict[str, JsonValue]] = field(default_factory=lambda: [usage_key(number) for number in range(KEYS)])
    others: dict[str, list[dict[str, JsonValue]]] = field(
        default_factory=lambda: {
            "usage": [charge(number) for number in range(1, KEYS + 1)],
            "token_payments": [deposit(number) for number in range(2, KEYS + 2)],
        }
    )

    def _response(self, request: web.BaseRequest) -> web.Response:
        if not request.path.startswith("/core/v1"):
            return super()._response(request)
        name = request.path.rpartition("/")[2]
        if name == "remove_usage_api_key":
            del self.keys[0]
            return web.json_response({"success": True})
        items = self.others.get(name, self.keys)
        start = int(request.query["page_number"]) * PAGE
        shown = items[start : start + PAGE]
        if name in self.others:
            items.insert(0, {"usage": charge, "token_payments": deposit}[name](0))
        return web.json_response(shown)


async def test_keys_that_are_removed_on_the_way_are_all_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Keeping("a")
    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            async for key in svc.usage_keys:
                await svc.usage_keys.remove(key.api_key_hash)
        assert node.keys == []


async def test_the_synchronous_client_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Keeping("a")

    def remove_all(origin: str) -> None:
        with Client(origin, SECRET, trust="of the test") as svc:
            for key in svc.usage_keys:
                svc.usage_keys.remove(key.api_key_hash)

    async with running_app(node) as app:
        Attack(app, tmp_path, monkeypatch)
        await asyncio.to_thread(remove_all, app.origin)
        assert node.keys == []


async def test_what_two_pages_repeat_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app(Keeping("a")) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            charges = [each.id async for each in svc.billing.usage()]
            deposits = [each.id async for each in svc.billing.token_payments()]
    assert charges == [str(number) for number in range(1, KEYS + 1)]
    assert deposits == [f"0x{number // 2}:{number % 2}" for number in range(2, KEYS + 2)]


async def test_a_statement_counts_once_what_two_pages_repeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_app(Keeping("a")) as app:
        Attack(app, tmp_path, monkeypatch)
        async with AsyncClient(app.origin, SECRET, trust="of the test") as svc:
            assert (await svc.billing.statement("", "")).charged_cents == KEYS
