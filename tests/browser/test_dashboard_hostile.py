"""Texts of strangers in every place that shows them: text, and nothing else."""

from typing import Final

import pytest

from tests.browser.browser import Browser
from tests.browser.dashboard import Dashboard
from tests.browser.hostile import PAYLOADS, Witness
from tests.e2e.account import Account, new_account
from tests.support.client import Client
from tests.support.node import NodeProcess

PROTOTYPE: Final = (
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "toString": 1, "then": 1}'
)
DEEP: Final = "[" * 500 + "]" * 500


@pytest.fixture(scope="module")
def hostile(anonymous: Client) -> Account:
    """An account in which everything has a hostile name and another hostile description."""
    account = new_account(anonymous)
    for number, name in enumerate(PAYLOADS):
        other = PAYLOADS[(number + 7) % len(PAYLOADS)]
        account.client.post("create_wallet", {"name": name, "description": other}).ok()
        cid = account.client.post("get_svc_action_ipfs_id", f"function main() {{ return {number} }}").ok()
        account.client.post("add_action", {"action_ipfs_cid": cid, "name": name, "description": other}).ok()
        account.group(group_name=name, group_description=other)
        account.usage_key(name=name, description=other, execute_in_groups=["1"])
    return account


async def test_names_and_descriptions_are_text(node: NodeProcess, browser: Browser, hostile: Account) -> None:
    dashboard = Dashboard(await browser.new_page(), node.url)
    witness = Witness(dashboard.page)
    await dashboard.open()
    await witness.watch()
    await dashboard.sign_in(hostile.key)
    for name in ("wallets", "groups", "actions", "keys"):
        await dashboard.go(name)
        missing = set(await witness.missing())
        await witness.assert_text_alone()
        await dashboard.page.click("button", "Next")
        await witness.assert_text_alone()
        assert missing & set(await witness.missing()) == set(), name
    await dashboard.go("overview")
    await witness.assert_text_alone()
    dashboard.assert_quiet()
