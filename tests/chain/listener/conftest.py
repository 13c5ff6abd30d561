"""A fresh chain for every test: most of them tear it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.chain.listener.bench import Bench, bench_on
from tests.support.account_chain import AccountChain, account_chain
from tests.support.rpc_proxy import RpcProxy


@pytest.fixture
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as running:
        yield running


@pytest.fixture
async def bench(chain: AccountChain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    async with bench_on(chain, tmp_path / "node.db", monkeypatch) as made:
        yield made


@pytest.fixture
async def proxy(chain: AccountChain) -> AsyncIterator[RpcProxy]:
    async with RpcProxy(chain.url).running() as running:
        yield running
