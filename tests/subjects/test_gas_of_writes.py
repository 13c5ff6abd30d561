"""What a caller can make the payers' gas cost: by texts, by lists, for nothing or for one cent."""

from typing import Any, Final

import pytest

from node.settings.chain import WriteSettings
from tests.subjects.conftest import Account
from tests.support.subjects import Subjects

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOUR_BYTES: Final = "\N{PILE OF POO}"
SIGN_UP_GAS_MAX: Final = 500_000
"""docs/operators.md: the dearest sign-up there is."""
CIDS: Final = [f"0x{number:064x}" for number in range(1, 101)]


async def gas_of(world: Subjects, answer: dict[str, Any]) -> int:
    """The gas a write burned, by its receipt."""
    receipt = await world.chain.rpc.call("eth_getTransactionReceipt", [answer["transaction_hash"]])
    assert isinstance(receipt, dict)
    return int(str(receipt["gasUsed"]), 16)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        pytest.param("x" * 256, "x" * 2048, id="longest for who pays"),
        pytest.param(FOUR_BYTES * 256, FOUR_BYTES * 2048, id="the same in characters"),
        pytest.param("x" * 256, "x", id="a byte too long"),
        pytest.param("x", FOUR_BYTES * 64, id="a byte too long in four-byte characters"),
        pytest.param("x" * 256, "", id="longest name"),
        pytest.param(FOUR_BYTES * 64, "", id="longest name in four-byte characters"),
        pytest.param("", FOUR_BYTES * 64, id="longest description"),
        pytest.param("x" * 128, "x" * 128, id="halves"),
        pytest.param("x" * 33, "\u00ff" * 111 + "x", id="one byte into a slot"),
    ],
)
async def test_no_text_makes_a_sign_up_dear(world: Subjects, name: str, description: str) -> None:
    reply = await world.post("/new_account", {"account_name": name, "account_description": description})
    if len((name + description).encode()) > 256:
        assert reply.status == 400, f"{await gas_of(world, reply.body):,} gas of an anonymous caller's"
        assert reply.body["details"]["fields"]
        return
    assert reply.status == 200, reply.body
    # Once more: the first account of a contract fills slots that every other one only changes.
    reply = await world.post("/new_account", {"account_name": name, "account_description": description})
    assert await gas_of(world, reply.body) <= SIGN_UP_GAS_MAX


def _texts(name: str, description: str) -> dict[str, tuple[str, dict[str, object]]]:
    """Every write of an account that puts texts on chain."""
    return {
        "add_group": ("/add_group", {"group_name": name, "group_description": description}),
        "update_group": (
            "/update_group",
            {
                "group_id": 1,
                "name": name,
                "description": description,
                "pkp_ids_permitted": [],
                "cid_hashes_permitted": [],
            },
        ),
        "add_action": (
            "/add_action",
            {
                "action_ipfs_cid": "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n",
                "name": name,
                "description": description,
            },
        ),
        "update_action_metadata": (
            "/update_action_metadata",
            {"hashed_cid": CIDS[0], "name": name, "description": description},
        ),
        "add_usage_api_key": ("/add_usage_api_key", {"name": name, "description": description}),
        "update_usage_api_key": (
            "/update_usage_api_key",
            {"api_key_hash": CIDS[0], "name": name, "description": description},
        ),
        "update_usage_api_key_metadata": (
            "/update_usage_api_key_metadata",
            {"api_key_hash": CIDS[0], "name": name, "description": description},
        ),
    }


@pytest.mark.parametrize("endpoint", sorted(_texts("", "")))
@pytest.mark.parametrize(
    ("name", "description"),
    [
        pytest.param(FOUR_BYTES * 65, "", id="name"),
        pytest.param("é" * 129, "", id="name of two-byte characters"),
        pytest.param("n", FOUR_BYTES * 513, id="description"),
    ],
)
async def test_texts_count_in_bytes_in_every_write(
    account: Account, endpoint: str, name: str, description: str
) -> None:
    path, body = _texts(name, description)[endpoint]
    details = await account.refused(400, path, body)
    assert "bytes of UTF-8" in str(details["fields"])


async def test_one_cent_buys_a_bounded_amount_of_gas(account: Account, world: Subjects) -> None:
    bound = WriteSettings().write_gas_limit_max
    body = {"group_name": FOUR_BYTES * 64, "group_description": FOUR_BYTES * 512, "cid_hashes_permitted": CIDS}
    before = await world.chain.rpc.call("eth_blockNumber")
    reply = await world.post("/add_group", body, key=account.key)
    assert reply.status == 400, f"{await gas_of(world, reply.body):,} gas for one cent"
    assert reply.body["details"]["limit"] == "write_gas_limit_max"
    assert reply.body["details"]["gas_max"] == bound
    assert reply.body["details"]["gas_needed"] > bound
    assert await account.spent_cents() == 0
    assert await world.chain.rpc.call("eth_blockNumber") == before
    fewer = await account.ok("/add_group", {**body, "cid_hashes_permitted": CIDS[:20]})
    assert await gas_of(world, fewer) <= bound


async def test_what_the_limits_of_texts_and_lists_promise_fits_into_the_bound(
    account: Account, world: Subjects
) -> None:
    name, description = FOUR_BYTES * 64, FOUR_BYTES * 512
    dearest = 0
    groups = [str(group) for group in range(2**63, 2**63 + 100)]
    usage = {"name": name, "description": description, "execute_in_groups": groups}
    for path, body in (
        ("/add_group", {"group_name": name, "group_description": description}),
        ("/add_usage_api_key", usage),
    ):
        dearest = max(dearest, await gas_of(world, await account.ok(path, body)))
    assert dearest <= WriteSettings().write_gas_limit_max
