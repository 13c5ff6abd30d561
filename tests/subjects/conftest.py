"""One world a module, one fresh account a test."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from node.values import hash_of_text
from tests.support.http_server import Reply
from tests.support.subjects import Subjects, subjects


@dataclass(frozen=True)
class Account:
    """An API-mode account."""

    world: Subjects
    key: str
    wallet_address: str

    @property
    def master_hash(self) -> int:
        return hash_of_text(self.key)

    async def ok(self, path: str, body: object = None, *, key: str | None = None, **headers: str) -> dict[str, Any]:
        """POST that must succeed; with the account key unless another is named."""
        reply = await self.world.post(path, body, key=key or self.key, **headers)
        assert reply.status == 200, (reply.status, reply.body)
        assert reply.body["success"] is True
        answer: dict[str, Any] = reply.body
        return answer

    async def refused(
        self, status: int, path: str, body: object = None, *, key: str | None = None, **headers: str
    ) -> dict[str, Any]:
        """POST that must be refused with this status, at no cost; the error's `details`."""
        before = await self.world.ledger.balance(self.master_hash)
        reply = await self.world.post(path, body, key=key or self.key, **headers)
        assert reply.status == status, (reply.status, reply.body)
        assert await self.world.ledger.balance(self.master_hash) == before
        details: dict[str, Any] = reply.body.get("details", {})
        return details

    async def listed(self, path: str, *, key: str | None = None) -> list[dict[str, Any]]:
        """A list as it is answered."""
        reply: Reply = await self.world.get(path, key=key or self.key)
        assert reply.status == 200, (reply.status, reply.body)
        items: list[dict[str, Any]] = reply.body
        return items

    async def usage_key(self, **settings: object) -> str:
        """A fresh usage key's value."""
        answer = await self.ok("/add_usage_api_key", {"name": "usage", **settings})
        return str(answer["usage_api_key"])

    async def group(self, **contents: object) -> str:
        """A fresh group's id."""
        return str((await self.ok("/add_group", {"group_name": "group", **contents}))["group_id"])

    async def wallet(self) -> str:
        """A fresh wallet's address."""
        return str((await self.ok("/create_wallet"))["wallet_address"])

    async def spent_cents(self) -> int:
        """What the account has paid since it was opened; nothing may be left reserved."""
        balance = await self.world.ledger.balance(self.master_hash)
        assert balance.reserved_microdollars == 0
        return 10_000 - balance.credit_microdollars // 10_000


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Subjects]:
    async with subjects(tmp_path_factory.mktemp("subjects")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def account(world: Subjects) -> Account:
    body = (await world.post("/new_account", {"account_name": "test"})).body
    return Account(world, body["api_key"], body["wallet_address"])


@pytest_asyncio.fixture(loop_scope="module")
async def stranger(world: Subjects) -> Account:
    body = (await world.post("/new_account", {"account_name": "stranger"})).body
    return Account(world, body["api_key"], body["wallet_address"])
