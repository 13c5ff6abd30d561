"""Two hundred writes at once over four payers: each lands once, and no payer leaves a gap."""

import asyncio
from collections import Counter

import aiohttp
import pytest

from tests.e2e.account import new_account
from tests.support.client import Client
from tests.support.node import NodeProcess

WRITES = 200


async def add_groups(node: NodeProcess, key: str) -> list[dict[str, object]]:
    async with aiohttp.ClientSession(headers={"X-Api-Key": key}) as session:

        async def add(number: int) -> dict[str, object]:
            async with session.post(f"{node.api}/add_group", json={"group_name": f"group {number}"}) as response:
                body: dict[str, object] = await response.json()
                assert response.status == 200, body
                return body

        return await asyncio.gather(*(add(number) for number in range(WRITES)))


def listed_groups(client: Client) -> dict[str, str]:
    pages = (client.get("list_groups", page_number=page, page_size=100).ok() for page in range(3))
    return {group["id"]: group["name"] for page in pages for group in page}


@pytest.mark.exhaustive
async def test_all_land_once_and_each_is_told_its_own_group(node: NodeProcess, anonymous: Client) -> None:
    account = await asyncio.to_thread(new_account, anonymous)
    answers = await add_groups(node, account.key)
    groups = await asyncio.to_thread(listed_groups, account.client)
    assert sorted(int(group) for group in groups) == list(range(1, WRITES + 1))
    assert {str(answer["group_id"]): f"group {number}" for number, answer in enumerate(answers)} == groups
    transactions = Counter(str(answer["transaction_hash"]) for answer in answers)
    assert len(transactions) == WRITES


async def senders(chain: str, transactions: list[str]) -> dict[str, list[int]]:
    async with aiohttp.ClientSession() as session:
        found: dict[str, list[int]] = {}
        for transaction in transactions:
            body = {"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionByHash", "params": [transaction]}
            async with session.post(chain, json=body) as response:
                result = (await response.json())["result"]
            found.setdefault(result["from"], []).append(int(result["nonce"], 16))
        return found


@pytest.mark.exhaustive
async def test_the_work_is_spread_over_all_payers_without_a_nonce_gap(node: NodeProcess, anonymous: Client) -> None:
    account = await asyncio.to_thread(new_account, anonymous)
    answers = await add_groups(node, account.key)
    by_sender = await senders(node.log_value("chain"), [str(answer["transaction_hash"]) for answer in answers])
    payers = await asyncio.to_thread(lambda: anonymous.get("get_api_payers").ok())
    assert set(by_sender) == {payer.lower() for payer in payers}
    assert len(payers) == 4
    for nonces in by_sender.values():
        ordered = sorted(nonces)
        assert ordered == list(range(ordered[0], ordered[0] + len(ordered)))


async def test_a_new_account_is_one_transaction(node: NodeProcess, anonymous: Client) -> None:
    async def block_number() -> int:
        body = {"jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber", "params": []}
        async with aiohttp.ClientSession() as session, session.post(node.log_value("chain"), json=body) as response:
            return int((await response.json())["result"], 16)

    before = await block_number()
    account = await asyncio.to_thread(new_account, anonymous)
    assert await block_number() == before + 1, "with instant blocks, a block is a transaction"
    wallets = await asyncio.to_thread(lambda: account.client.get("list_wallets").ok())
    assert [(wallet["id"], wallet["wallet_address"]) for wallet in wallets] == [("0", account.wallet_address)]
