"""Administering an account in the dashboard, end to end against a real node: what is done in the page is what the node has."""

from typing import Any

from tests.browser.dashboard import Dashboard
from tests.e2e.account import SIGNING_CODE, Account

EVERY_GROUP = "Every group, present and future"
ODD_S = 3_999_999_983
"""Unix seconds that are no whole minute."""
EVERY_WALLET = "0x" + "0" * 40


def listed(account: Account, path: str) -> list[dict[str, Any]]:
    """All items of a list, as the node has them."""
    found: list[dict[str, Any]] = account.client.get(path, page_size=100).ok()
    return found


async def make_wallet(dashboard: Dashboard, name: str) -> None:
    page = dashboard.page
    await dashboard.go("wallets")
    await page.click("button", "New wallet")
    await page.fill("Name", name)
    await page.fill("Description", f"{name} of the test")
    await page.click("button", "Create wallet")
    await page.until(f"document.querySelector('main table')?.textContent.includes('{name}')")


async def make_action(dashboard: Dashboard, name: str, code: str) -> None:
    page = dashboard.page
    await dashboard.go("actions")
    await page.click("button", "Register an action")
    await page.fill("Code", code)
    await page.until("[...document.querySelectorAll('dialog input')].some((each) => each.value.startsWith('Qm'))")
    await page.fill("Name (needed)", name)
    await page.click("button", "Register")
    await page.until(f"document.querySelector('main table')?.textContent.includes('{name}')")


async def make_group(dashboard: Dashboard, name: str, action: str, wallet: str) -> None:
    page = dashboard.page
    await dashboard.go("groups")
    await page.click("button", "New group")
    await page.fill("Name (needed)", name)
    await page.click("checkbox", action, within="Actions")
    await page.click("checkbox", wallet, within="Wallets that these actions may use")
    await page.click("button", "Create group")
    await page.until(f"document.querySelector('main table')?.textContent.includes('{name}')")


async def shown_secret(dashboard: Dashboard) -> str:
    """The secret of the dialog, which is closed by giving it back."""
    page = dashboard.page
    await page.until("document.querySelector('dialog .secret code')")
    secret: str = await page.value("document.querySelector('dialog .secret code').textContent")
    await page.fill("Paste it again from where you kept it (needed)", secret)
    await page.click("button", "I have kept it")
    await page.until("document.querySelector('dialog') === null")
    return secret


async def test_from_nothing_to_a_key_that_signs_and_back(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    await dashboard.sign_in(account.key)
    await make_wallet(dashboard, "Treasury")
    wallet = listed(account, "list_wallets")[1]
    assert (wallet["name"], wallet["description"]) == ("Treasury", "Treasury of the test")
    await make_action(dashboard, "Sign", SIGNING_CODE)
    action = listed(account, "list_actions")[0]
    assert action["action_ipfs_cid"] == account.client.post("get_svc_action_ipfs_id", SIGNING_CODE).ok()
    await make_group(dashboard, "Signers", "Sign", "Treasury")
    group = listed(account, "list_groups")[0]
    assert (group["cid_hashes_permitted"], group["pkp_ids_permitted"]) == (
        [action["hashed_cid"]],
        [wallet["wallet_address"]],
    )

    await dashboard.go("keys")
    await page.click("button", "New usage key")
    await page.fill("Name (needed)", "backend")
    await page.click("checkbox", "Signers", within="May run the actions of")
    await page.click("checkbox", "May create wallets")
    await page.change("DateTime", "Expires", "2090-01-02T03:04")
    await page.fill("Cap in dollars", "12.50")
    await page.click("button", "Create key")
    key = account.client.with_key(await shown_secret(dashboard))
    made = listed(account, "list_api_keys")[0]
    assert (made["name"], made["balance"], made["can_execute_in_groups"], made["can_create_pkps"]) == (
        "backend",
        1250,
        ["1"],
        True,
    )
    assert int(made["expiration"]) > 3_700_000_000
    run = {"code": SIGNING_CODE, "js_params": {"wallet": wallet["wallet_address"], "text": "hello"}}
    assert key.post("svc_action", run).ok()["response"].startswith("0x")

    await page.click("button", "What may it do? backend")
    for what, answer in (
        ("Run Sign", "Yes"),
        ("Sign with Treasury", "Yes"),
        ("Sign with master wallet", "No"),
        ("Run any other code", "No"),
    ):
        await page.element("button", f"{what}: {answer}")
    await page.click("button", "Sign with master wallet: No")
    await page.until_shown("Add the wallet to the group Signers.")
    await page.click("button", "Close")

    await page.click("button", "Change backend")
    await page.click("checkbox", "Signers", within="May run the actions of")
    await page.click("checkbox", EVERY_GROUP, within="May add wallets to")
    await page.click("button", "Save")
    await page.until_shown("backend was changed.")
    changed = listed(account, "list_api_keys")[0]
    assert (changed["can_execute_in_groups"], changed["can_add_pkp_to_groups"], changed["balance"]) == ([], ["0"], 1250)
    assert changed["expiration"] == made["expiration"]
    assert key.post("svc_action", run).refused(403, "forbidden")["missing"] == "execute_in_groups"

    await dashboard.go("keys")
    await page.click("button", "Remove backend")
    await page.click("button", "Cancel")
    assert len(listed(account, "list_api_keys")) == 1, "cancelling must remove nothing"
    await page.click("button", "Remove backend")
    await page.click("button", "Remove key")
    await page.until_shown("The key was removed.")
    assert listed(account, "list_api_keys") == []
    key.get("list_wallets").refused(401, "unauthorized")
    dashboard.assert_quiet()


async def test_what_a_form_cannot_hold_stays_as_it_is(dashboard: Dashboard, account: Account) -> None:
    account.usage_key(name="old", description="of before", balance=333, expiration=ODD_S, execute_in_groups=["0"])
    before = listed(account, "list_api_keys")[0]
    await dashboard.sign_in(account.key)
    await dashboard.go("keys")
    await dashboard.page.click("button", "Change old")
    await dashboard.page.fill("Description", "of after")
    await dashboard.page.click("button", "Save")
    await dashboard.page.until_shown("old was changed.")
    assert listed(account, "list_api_keys")[0] == before | {"description": "of after"}
    dashboard.assert_quiet()


async def test_groups_and_actions_are_changed_and_removed(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    account.action(SIGNING_CODE)
    wallet = account.wallet()
    account.group(group_name="Old")
    await dashboard.sign_in(account.key)
    await dashboard.go("groups")
    await page.click("button", "Change Old")
    await page.fill("Name (needed)", "New")
    await page.click("checkbox", "Any action", within="Actions")
    await page.click("checkbox", "Every wallet but the master wallet", within="Wallets that these actions may use")
    await page.click("button", "Save")
    await page.until_shown("The group was changed.")
    group = listed(account, "list_groups")[0]
    assert (group["group_name"] if "group_name" in group else group["name"]) == "New"
    assert group["pkp_ids_permitted"] == [EVERY_WALLET]
    assert await page.value("document.querySelector('main table').textContent.includes('any action')")
    explained = (
        account.usage_key(execute_in_groups=[group["id"]]).post("explain", {"code": "anything", "pkp_id": wallet}).ok()
    )
    assert explained["decision"] == "allow"

    await dashboard.go("actions")
    await page.click("button", "Rename action")
    await page.fill("Name (needed)", "Signer")
    await page.click("button", "Save")
    await page.until_shown("The action was renamed.")
    assert listed(account, "list_actions")[0]["name"] == "Signer"
    await page.click("button", "Compare code with Signer")
    await page.fill("Code", SIGNING_CODE)
    await page.until_shown("The CID is that of this code.")
    await page.fill("Code", SIGNING_CODE + " ")
    await page.until_shown("This code has another CID.")
    await page.click("button", "Close")
    await page.click("button", "Remove Signer")
    await page.click("button", "Remove action")
    await page.until_shown("The action was removed.")
    assert listed(account, "list_actions") == []

    await dashboard.go("groups")
    await page.click("button", "Remove New")
    await page.click("button", "Remove group")
    await page.until_shown("The group was removed.")
    assert listed(account, "list_groups") == []
    dashboard.assert_quiet()


async def test_a_usage_key_sees_what_it_may(dashboard: Dashboard, account: Account) -> None:
    page = dashboard.page
    account.action(SIGNING_CODE)
    group = account.group(group_name="Signers")
    usage = account.usage_key(name="backend", execute_in_groups=[group]).key
    assert usage is not None
    await dashboard.sign_in(usage)
    await page.until_shown("Usage key")
    await dashboard.go("keys")
    await page.until_shown("This is a usage key.")
    await page.click("button", "Ask")
    await page.until_shown("Refused: no group that the key runs lists this action.")
    assert account.key not in await page.value("document.documentElement.outerHTML")
    dashboard.assert_quiet()


async def test_the_overview_shows_what_was_spent(dashboard: Dashboard, account: Account) -> None:
    wallet = account.wallet()
    run = {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "x"}}
    charged = 1 + sum(account.client.post("svc_action", run).ok()["charged_cents"] for _ in range(2))
    await dashboard.sign_in(account.key)
    shown = await dashboard.page.value("document.querySelector('main').innerText")
    balance = account.client.get("billing/balance").ok()
    assert f"${balance['credit_cents'] / 100:,.2f}" in shown
    assert f"${charged / 100:.2f}" in shown, "two runs and a wallet"
    assert "Wallet created" in shown
    dashboard.assert_quiet()
