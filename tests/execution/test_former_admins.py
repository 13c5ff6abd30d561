"""Wallets of ChainSecured accounts: derived under whichever admin they were minted for, and for nobody else's account."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
import pytest_asyncio
from pydantic import JsonValue

from node.values import hash_of_address, hash_of_text
from tests.execution.bench import SIGN, Bench, recovered
from tests.support.contract import address_of
from tests.support.lies import answering, per_call
from tests.support.rpc_proxy import honest

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIRST, SECOND, THIRD = (address_of(f"the {which} admin") for which in ("first", "second", "third"))
OTHER = address_of("the admin of another account")
PATH = 4711


@dataclass(frozen=True)
class Owned:
    """An unmanaged account of `admin`'s, and the hash of its usage key, which may use every wallet listed."""

    bench: Bench
    master: int
    key: int

    async def write(self, sender: str, function: str, *arguments: object) -> None:
        """A write to this account, of which a listener tells at once."""
        block_number = await self.bench.world.chain.write(function, self.master, *arguments, sender=sender)
        self.bench.news.account_changed(self.master, block_number)

    async def transfer(self, sender: str, to: str) -> None:
        await self.write(sender, "transferChainSecuredAccountOwnership", to)

    async def register(self, sender: str, address: str, path: int) -> None:
        await self.write(sender, "registerWalletDerivation", address, path, "", "")
        await self.write(sender, "addPkpToGroup", 1, address)

    async def sign(self, address: str) -> tuple[JsonValue, str | None]:
        """What the action answers: a signature, or the name of an error."""
        answer = await self.bench.run(self.key, SIGN, {"pkpId": address, "message": "m"})
        return answer.response, None if answer.error is None else answer.error.name

    async def signs_as(self, address: str) -> bool:
        response, error = await self.sign(address)
        return error is None and recovered("m", response) == address


Open = Callable[[str], Awaitable[Owned]]


@pytest_asyncio.fixture(loop_scope="module")
async def opened(bench: Bench) -> Open:
    """Opens an account of an admin: its first wallet, which no wildcard matches, and group 1 of every action."""

    async def open_account(admin: str) -> Owned:
        chain = bench.world.chain
        for wallet in (FIRST, SECOND, THIRD, OTHER):
            await chain.rpc.ask("anvil_impersonateAccount", wallet)
            await chain.rpc.ask("anvil_setBalance", wallet, hex(10**18))
        await chain.write("newChainSecuredAccount", "account", "", sender=admin)
        owned = Owned(bench, hash_of_address(admin), hash_of_text(f"usage key of {admin}"))
        flags = (False, False, False)
        await owned.write(admin, "setUsageApiKey", owned.key, 0, 0, "key", "", *flags, [], [], [], [1])
        await owned.write(admin, "addGroup", "every action", "", [0], [])
        return owned

    return open_account


def derived(bench: Bench, owner: str, path: int = PATH) -> str:
    """The wallet minted for `owner` while it administers nothing."""
    return bench.world.keyring.wallet(hash_of_address(owner), path).address


async def test_a_wallet_minted_before_its_admin_received_the_account_signs(bench: Bench, opened: Open) -> None:
    account, wallet = await opened(FIRST), derived(bench, SECOND)
    await account.register(FIRST, wallet, PATH)
    assert await account.sign(wallet) == (None, "KeyUnavailable")  # the second admin is none yet
    await account.transfer(FIRST, SECOND)
    assert await account.signs_as(wallet)


async def test_wallets_of_every_admin_that_was_sign_after_transfers(bench: Bench, opened: Open) -> None:
    account = await opened(FIRST)
    admins = (FIRST, SECOND, THIRD)
    wallets = [derived(bench, admin, PATH + number) for number, admin in enumerate(admins)]
    for number, wallet in enumerate(wallets):
        await account.register(FIRST, wallet, PATH + number)
    for number in range(3):
        signing = [await account.signs_as(wallet) for wallet in wallets]
        assert signing == [each <= number for each in range(3)]
        if number < 2:
            await account.transfer(admins[number], admins[number + 1])


async def test_ciphertexts_of_such_a_wallet_open_after_a_transfer(bench: Bench, opened: Open) -> None:
    account, wallet = await opened(FIRST), derived(bench, SECOND)
    await account.register(FIRST, wallet, PATH)
    await account.transfer(FIRST, SECOND)
    code = "async function main({ name, request }) { return Svc.Actions[name](request); }"

    async def call(name: str, **request: JsonValue) -> JsonValue:
        params: dict[str, JsonValue] = {"name": name, "request": {"pkpId": wallet, **request}}
        answer = await bench.run(account.key, code, params)
        assert answer.error is None, answer
        return answer.response

    sealed = await call("Encrypt", message="secret")
    await account.transfer(SECOND, THIRD)
    assert await call("Decrypt", ciphertext=sealed) == "secret"


async def test_a_copied_address_and_path_give_the_second_account_no_key(bench: Bench, opened: Open) -> None:
    owner, thief = await opened(FIRST), await opened(OTHER)
    await owner.transfer(FIRST, SECOND)
    for path, victim in enumerate((FIRST, SECOND), start=PATH):
        wallet = derived(bench, victim, path)
        await owner.register(SECOND, wallet, path)
        await thief.register(OTHER, wallet, path)
        assert await owner.signs_as(wallet)
        assert await thief.sign(wallet) == (None, "KeyUnavailable")
    await thief.transfer(OTHER, THIRD)
    assert await thief.sign(wallet) == (None, "KeyUnavailable")


async def test_the_admin_wallet_of_a_managed_account_lends_no_key_after_conversion(bench: Bench, opened: Open) -> None:
    """A payer names it as it likes: were it an owner, a payer could name a victim, convert, and use the victim's keys."""
    chain, victim = bench.world.chain, await opened(FIRST)
    wallet = derived(bench, FIRST)
    await victim.register(FIRST, wallet, PATH)
    stolen = Owned(bench, hash_of_text("a managed account of a thief"), hash_of_text("the thief's usage key"))
    await chain.write("newAccount", stolen.master, True, "thief", "", FIRST)
    await chain.write("convertToChainSecuredAccount", stolen.master, OTHER)
    await stolen.write(OTHER, "setUsageApiKey", stolen.key, 0, 0, "", "", False, False, False, [], [], [], [1])
    await stolen.write(OTHER, "addGroup", "every action", "", [0], [])
    await stolen.write(OTHER, "registerWalletDerivation", address_of("the first takes id 0"), 1, "", "")
    await stolen.register(OTHER, wallet, PATH)
    assert await stolen.sign(wallet) == (None, "KeyUnavailable")
    assert await victim.signs_as(wallet)


async def test_what_was_read_of_the_admins_is_used_until_news_comes(bench: Bench, opened: Open) -> None:
    account, wallet = await opened(FIRST), derived(bench, SECOND)
    await account.register(FIRST, wallet, PATH)
    await account.transfer(FIRST, SECOND)
    assert await account.signs_as(wallet)
    order = await bench.order(account.key, SIGN, {"pkpId": wallet, "message": "m"})
    bench.world.proxy.seen.clear()
    answer = (await bench.service.run(order)).answer
    assert recovered("m", answer.response) == wallet
    assert bench.world.proxy.seen == []
    later = derived(bench, THIRD, PATH + 1)
    await account.register(SECOND, later, PATH + 1)
    await account.transfer(SECOND, THIRD)
    assert await account.signs_as(later)
    assert await account.signs_as(wallet)


async def test_without_logs_such_a_wallet_is_an_error_inside_the_action(bench: Bench, opened: Open) -> None:
    account, wallet = await opened(FIRST), derived(bench, SECOND)
    await account.register(FIRST, wallet, PATH)
    await account.transfer(FIRST, SECOND)
    own = bench.world.keyring.wallet(account.master, PATH + 1).address
    await account.register(SECOND, own, PATH + 1)
    refused = {"error": {"code": -32601, "message": "the method is not available"}}
    bench.world.proxy.behaviour = per_call(answering({"eth_getLogs"}, lambda _: refused))
    assert await account.sign(wallet) == (None, "ChainUnavailable")
    assert await bench.spent_cents(account.master) == 1
    assert await account.signs_as(own)  # the account's own hash asks nobody
    bench.world.proxy.behaviour = honest
    assert await account.signs_as(wallet)


async def test_a_mismatch_is_read_once_more_only_while_the_client_may(bench: Bench, opened: Open) -> None:
    account, wallet = await opened(FIRST), derived(bench, SECOND)
    await account.register(FIRST, wallet, PATH)
    assert await account.sign(wallet) == (None, "KeyUnavailable")
    bench.world.proxy.seen.clear()
    order = await bench.order(account.key, SIGN, {"pkpId": wallet, "message": "m"})
    bench.world.proxy.seen.clear()
    answer = (await bench.service.run(order._replace(may_reread=lambda: False))).answer
    assert answer.error is not None
    assert answer.error.name == "KeyUnavailable"
    assert bench.world.proxy.seen == []
