"""The dashboard with a wallet that has a real key: ChainSecured accounts, conversion, and payments in tokens."""

from dataclasses import dataclass

import pytest_asyncio
from eth_account import Account as Keys

from devkit.local_chain import FUNDED_KEYS
from tests.browser.browser import Browser
from tests.browser.dashboard import Dashboard
from tests.browser.page import waited_for
from tests.browser.test_dashboard_account import shown_secret
from tests.browser.wallet import InjectedWallet, Wallet
from tests.e2e.account import SIGNING_CODE, Account
from tests.support.client import Client
from tests.support.node import NodeProcess

ETHER = hex(10**19)
SENT = "eth_sendTransaction"
SIGNED = "eth_signTypedData_v4"
TITLE = "[...document.querySelectorAll('dialog')].at(-1)?.querySelector('h2').textContent"
NEWEST = "document.querySelector('main ol li strong')?.textContent"


@dataclass
class Desk:
    """A dashboard, the wallet beside it, and the page's side of the wallet."""

    dashboard: Dashboard
    wallet: Wallet
    injected: InjectedWallet

    async def connect(self) -> None:
        """Choose the wallet in the dialog."""
        await self.dashboard.page.click("button", "Connect a wallet")
        await self.dashboard.page.click("button", self.wallet.announcement.name)

    async def send(self, title: str) -> None:
        """Agree to the transaction whose preview has this title."""
        await self.dashboard.page.until(f"{TITLE} === {title!r}")
        await self.dashboard.page.click("button", "Send with the wallet")
        await self.dashboard.page.until(f"{TITLE} !== {title!r}")

    async def open_account(self, name: str) -> None:
        """Connect the wallet and open its account."""
        await self.connect()
        await self.dashboard.page.fill("Name (needed)", name)
        await self.dashboard.page.click("button", "Open the account")
        await self.send("Open a ChainSecured account")
        await self.dashboard.page.until(
            "location.hash === '#/wallets' && document.querySelector('main .empty, main table')"
        )


async def desk_with(node: NodeProcess, browser: Browser, wallet: Wallet) -> Desk:
    page = await browser.new_page()
    injected = InjectedWallet(page, wallet)
    await injected.inject()
    dashboard = Dashboard(page, node.url)
    await dashboard.open()
    return Desk(dashboard, wallet, injected)


async def funded(node: NodeProcess) -> Wallet:
    """A wallet of a fresh key, with ether."""
    wallet = Wallet(node.log_value("chain"), Keys.create().key.hex())
    await wallet.rpc("anvil_setBalance", wallet.address, ETHER)
    return wallet


@pytest_asyncio.fixture
async def desk(node: NodeProcess, browser: Browser) -> Desk:
    return await desk_with(node, browser, await funded(node))


async def test_an_account_is_opened_and_administered_by_the_wallet(desk: Desk, anonymous: Client) -> None:
    page, wallet = desk.dashboard.page, desk.wallet
    await desk.open_account("a treasury")
    await page.click("button", "New wallet")
    await page.fill("Name", "Treasury")
    await page.click("button", "Create wallet")
    await desk.send("Register a wallet with the account")
    await page.until("document.querySelector('main table')?.textContent.includes('Treasury')")
    await desk.dashboard.go("actions")
    await page.click("button", "Register an action")
    await page.fill("Code", SIGNING_CODE)
    await page.until("[...document.querySelectorAll('dialog input')].some((each) => each.value.startsWith('Qm'))")
    await page.fill("Name (needed)", "Sign")
    await page.click("button", "Register")
    await desk.send("Register an action")
    await page.until("document.querySelector('main table')?.textContent.includes('Sign')")
    await desk.dashboard.go("groups")
    await page.click("button", "New group")
    await page.fill("Name (needed)", "Signers")
    await page.click("checkbox", "Sign", within="Actions")
    await page.click("checkbox", "Treasury", within="Wallets that these actions may use")
    await page.click("button", "Create group")
    await desk.send("Create a group")
    await page.until("document.querySelector('main table')?.textContent.includes('Signers')")
    await desk.dashboard.go("keys")
    await page.click("button", "New usage key")
    await page.fill("Name (needed)", "backend")
    await page.click("checkbox", "Signers", within="May run the actions of")
    await page.click("button", "Create key")
    await desk.send("Register a wallet with the account")
    await desk.send("Attach a usage key to the account")
    key = anonymous.with_key(await shown_secret(desk.dashboard))
    [group] = key.get("list_groups").ok()
    run = {
        "code": SIGNING_CODE,
        "js_params": {"wallet": group["pkp_ids_permitted"][0], "text": "hello"},
        "min_block": None,
    }
    answer = key.post("svc_action", {name: value for name, value in run.items() if value is not None})
    # The account has no credit of its own chain's: what is refused is the payment and not the permission.
    assert answer.status in {200, 402}, answer.body
    await desk.dashboard.go("chain")
    await page.until("document.querySelectorAll('main ol li').length === 6")
    await page.until(f"{NEWEST} === 'Attach a usage key to the account'")
    assert wallet.methods().count(SENT) == 6
    assert int(await wallet.rpc("eth_getTransactionCount", wallet.address, "latest"), 16) == 6
    desk.dashboard.assert_quiet()


async def test_what_is_declined_is_not_sent(desk: Desk) -> None:
    page, wallet = desk.dashboard.page, desk.wallet
    wallet.rejects = {"eth_requestAccounts"}
    await desk.connect()
    await page.until("document.querySelector('.toast.error')?.textContent.includes('declined')")
    wallet.rejects = set()
    await desk.connect()
    await page.fill("Name (needed)", "never")
    await page.click("button", "Open the account")
    await page.click("button", "Cancel")
    await page.until_shown("You declined. Nothing was sent.")
    assert SENT not in wallet.methods()
    wallet.rejects = {SENT}
    await page.click("button", "Open the account")
    await desk.send("Open a ChainSecured account")
    await page.until("[...document.querySelectorAll('main ol li')].length === 2")
    await page.until("document.querySelector('main ol .badge').textContent === 'declined, not sent'")
    assert int(await wallet.rpc("eth_getTransactionCount", wallet.address, "latest"), 16) == 0
    desk.dashboard.assert_quiet()


async def test_another_chain_is_left_and_another_account_ends_the_session(node: NodeProcess, browser: Browser) -> None:
    wallet = await funded(node)
    wallet.other_chain = True
    desk = await desk_with(node, browser, wallet)
    await desk.open_account("on the right chain")
    assert "wallet_switchEthereumChain" in wallet.methods()
    await desk.injected.emit("accountsChanged", ["0x" + "11" * 20])
    await desk.dashboard.page.until("document.querySelector('main h1').textContent === 'Sign in'")
    await desk.dashboard.page.until_shown("You were signed out.")
    desk.dashboard.assert_quiet()


async def test_a_wrong_account_contract_is_never_written_to(desk: Desk) -> None:
    """The wallet's provider shows other code at the contract's address."""
    code = desk.wallet.rpc

    async def other_code(method: str, *parameters: object) -> object:
        return "0x6001600155" if method == "eth_getCode" else await code(method, *parameters)

    desk.wallet.rpc = other_code  # type: ignore[method-assign]
    await desk.connect()
    await desk.dashboard.page.until_shown("This is not the node's account contract")
    assert SENT not in desk.wallet.methods()
    desk.dashboard.assert_quiet()


async def test_an_account_is_converted_for_good(desk: Desk, account: Account) -> None:
    page = desk.dashboard.page
    await desk.dashboard.sign_in(account.key)
    await desk.dashboard.go("chain")
    await page.click("button", "Convert this account")
    await page.click("button", desk.wallet.announcement.name)
    await page.click("button", "Convert for good")
    await page.until_shown("Type convert exactly.")
    await page.fill("Type convert to confirm (needed)", "convert")
    await page.click("button", "Convert for good")
    await page.until_shown("Transfer the account")
    account.client.post("create_wallet").refused(403, "forbidden")
    assert desk.wallet.methods().count(SIGNED) >= 1
    assert SENT not in desk.wallet.methods(), "the node sends the conversion"
    desk.dashboard.assert_quiet()


async def test_tokens_of_the_wallet_become_credit(node: NodeProcess, browser: Browser, account: Account) -> None:
    desk = await desk_with(node, browser, Wallet(node.log_value("chain"), FUNDED_KEYS[2]))
    page = desk.dashboard.page
    before = account.client.get("billing/balance").ok()["credit_cents"]
    await desk.dashboard.sign_in(account.key)
    await desk.dashboard.go("billing")
    await page.fill("Amount in tokens (needed)", "25")
    await page.click("button", "Pay with a wallet")
    await page.click("button", desk.wallet.announcement.name)
    await desk.send("Allow the deposit contract to take tokens")
    await desk.send("Pay tokens for the credit of an account")
    await page.until_shown("The deposit is on chain.")
    await desk.wallet.rpc("anvil_mine", hex(40))
    await page.click("button", "Look again")

    async def credited() -> bool:
        await page.click("button", "Look again")
        return bool(account.client.get("billing/balance").ok()["credit_cents"] == before + 2500)

    await waited_for(credited)
    await page.until("document.querySelector('main').textContent.includes('credited')")
    desk.dashboard.assert_quiet()
