"""What a kill can do to the local chain's state file, and what a start makes of it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from devkit.chain_state import is_consistent, recover_state
from devkit.local_chain import LocalChainOptions, local_chain

State = dict[str, Any]


async def rpc(url: str, method: str, *parameters: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        return (await response.json())["result"]


@pytest.fixture
async def state_file(tmp_path: Path) -> Path:
    """The state of a real chain that has mined three transactions over two runs."""
    path = tmp_path / "chain.json"
    for transactions in (1, 2):
        async with local_chain(LocalChainOptions(state_file=path)) as chain:
            sender, receiver, *_ = await rpc(chain.url, "eth_accounts")
            for _ in range(transactions):
                await rpc(chain.url, "eth_sendTransactionSync", {"from": sender, "to": receiver, "value": "0x1"})
    return path


def without_a_transaction(state: State) -> None:
    state["transactions"].pop()


def without_a_block(state: State) -> None:
    state["blocks"].remove(max(state["blocks"], key=lambda block: int(block["header"]["number"], 16)))


def behind_its_blocks(state: State) -> None:
    state["best_block_number"] -= 1


def ahead_of_its_accounts(state: State) -> None:
    sender = state["transactions"][0]["info"]["from"]
    state["accounts"][sender]["nonce"] -= 1


DAMAGES = (without_a_transaction, without_a_block, behind_its_blocks, ahead_of_its_accounts)


async def test_a_whole_state_is_left_alone(state_file: Path) -> None:
    before = state_file.read_bytes()
    assert is_consistent(json.loads(before))
    recover_state(state_file)
    assert state_file.read_bytes() == before


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_a_state_that_contradicts_itself_gives_way_to_the_newest_good_copy(
    state_file: Path, damage: Callable[[State], None]
) -> None:
    good = state_file.read_bytes()
    spoilt = json.loads(good)
    damage(spoilt)
    state_file.write_text(json.dumps(spoilt))
    for age, text in enumerate((json.dumps(spoilt).encode(), good, b"older")):
        copy = state_file.with_name(f"chain.copy-{age}.json")
        copy.write_bytes(text)
        os.utime(copy, (1000 - age, 1000 - age))
    recover_state(state_file)
    assert state_file.read_bytes() == good
    async with local_chain(LocalChainOptions(state_file=state_file)) as chain:
        assert await rpc(chain.url, "eth_blockNumber") == "0x3"


async def test_half_a_file_without_a_copy_begins_anew(state_file: Path) -> None:
    state_file.write_bytes(state_file.read_bytes()[:-100])
    recover_state(state_file)
    assert not state_file.exists()
