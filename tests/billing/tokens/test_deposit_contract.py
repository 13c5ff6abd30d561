"""The deposit contract: who may do what, for whom can be paid, and tokens that do everything they should not."""

import time
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from node.keyring.port import SigningKey
from node.keyring.signing_key import key_from_hex
from tests.support.contract import Revert, address_of, key_hash, wallet_hash
from tests.support.deposits import (
    CREDIT_DEPOSIT,
    TOKENS,
    TREASURY,
    Deployed,
    Payments,
    deploy,
    deposited,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

HONEST, RETURNS_FALSE, TAKES_FEE, TAKES_ALL, REENTERS, REVERTS, LIES_SILENTLY, GIVES_MORE, DRAINS = range(9)
ZERO = "0x" + "00" * 20
OTHER = address_of("somebody else")


async def refusal(payments: Payments, sender: str, function: str, *arguments: object) -> tuple[str, tuple[Any, ...]]:
    with pytest.raises(Revert) as refused:
        await payments.contract.send(sender, function, *arguments)
    return refused.value.name, refused.value.arguments


async def test_a_payment_goes_to_the_treasury_and_names_the_account(payments: Payments) -> None:
    account = await payments.account("one")
    receipt = await payments.pay(account, 2_500_000)
    assert deposited(receipt) == [(account, payments.payer, payments.token.address, 2_500_000)]
    assert await payments.token.call("balanceOf", TREASURY) == 2_500_000
    assert await payments.token.call("balanceOf", payments.contract.address) == 0


async def test_an_alias_pays_for_the_account_it_stands_for(payments: Payments) -> None:
    chain = payments.chain
    first, second = chain.admin_payer, OTHER
    await chain.rpc.ask("anvil_setBalance", OTHER, hex(10**20))
    await chain.write("newChainSecuredAccount", "own", "", sender=first)
    master = wallet_hash(first)
    await chain.write("transferChainSecuredAccountOwnership", master, second, sender=first)
    for name in (master, wallet_hash(second)):
        assert deposited(await payments.pay(name, 10))[0][0] == master


async def test_unknown_hashes_and_usage_keys_are_refused(payments: Payments) -> None:
    account = await payments.account("one")
    usage = key_hash("a usage key")
    await payments.chain.write("setUsageApiKey", account, usage, 0, 0, "", "", False, False, False, [], [], [], [])
    for unknown in (0, 1, 2**256 - 1, usage):
        refused = await refusal(payments, payments.payer, "deposit", unknown, payments.token.address, 5)
        assert refused == ("AccountDoesNotExist", (unknown,))
    assert await payments.contract.call("accountOf", account) == account


async def test_nobody_can_be_paid_in_the_place_of_an_account_still_to_come(payments: Payments) -> None:
    """Somebody who sees the hash in the mempool registers it as a usage key of their own; the payer is refused."""
    thief, victim = await payments.account("thief"), key_hash("victim")
    await payments.chain.write("setUsageApiKey", thief, victim, 0, 0, "", "", False, False, False, [], [], [], [])
    assert (await refusal(payments, payments.payer, "deposit", victim, payments.token.address, 5))[0] == (
        "AccountDoesNotExist"
    )


async def test_an_accounts_long_names_cost_a_payer_nothing(payments: Payments) -> None:
    short = await payments.account("s")
    long = key_hash("long")
    await payments.chain.write("createManagedAccount", long, "n" * 5000, "d" * 5000, address_of("w"), 1)
    await payments.pay(short, 5)
    gas = [int((await payments.pay(account, 5))["gasUsed"], 16) for account in (short, long)]
    assert gas[1] < gas[0] + 800_000
    assert deposited(await payments.pay(long, 5))[0][0] == long


@pytest.mark.parametrize("amount", [0, 2**255])
async def test_nothing_and_more_than_there_is_are_refused(payments: Payments, amount: int) -> None:
    account = await payments.account("one")
    with pytest.raises(Revert):
        await payments.pay(account, amount)


async def test_only_accepted_tokens_are_taken(payments: Payments) -> None:
    account, owner = await payments.account("one"), payments.chain.owner
    token = await payments.funded(await deploy(payments.chain.rpc, owner, TOKENS["HostileToken"], 18), accepted=False)
    expected = ("TokenNotAccepted", (token.address,))
    assert await refusal(payments, payments.payer, "deposit", account, token.address, 5) == expected
    signature = (2**63, 27, b"\0" * 32, b"\0" * 32)
    assert (
        await refusal(payments, payments.payer, "depositWithPermit", account, token.address, 5, *signature) == expected
    )
    await payments.contract.send(owner, "acceptToken", token.address)
    await payments.pay(account, 5, token)
    await payments.contract.send(owner, "refuseToken", token.address)
    assert await refusal(payments, payments.payer, "deposit", account, token.address, 5) == expected


@pytest.mark.parametrize("function", ["acceptToken", "refuseToken", "setTreasury", "sweep", "transferOwnership"])
async def test_only_the_owner_administers(payments: Payments, function: str) -> None:
    chain = payments.chain
    argument = payments.token.address
    for stranger in map(to_checksum_address, (payments.payer, chain.payer, chain.admin_payer)):
        refused = await refusal(payments, stranger, function, argument)
        assert refused == ("OwnableUnauthorizedAccount", (stranger,))
    await payments.contract.send(chain.owner, function, argument)


async def test_ownership_moves_in_two_steps_and_is_never_given_up(payments: Payments) -> None:
    owner, heir = map(to_checksum_address, (payments.chain.owner, payments.chain.payer))
    await payments.contract.send(owner, "transferOwnership", heir)
    assert await payments.contract.call("owner") == owner
    assert (await refusal(payments, payments.payer, "acceptOwnership"))[0] == "OwnableUnauthorizedAccount"
    await payments.contract.send(heir, "acceptOwnership")
    assert await payments.contract.call("owner") == heir
    assert (await refusal(payments, heir, "renounceOwnership"))[0] == "RenouncingIsOff"


async def test_slips_of_the_owner_are_refused(payments: Payments) -> None:
    owner, contract = payments.chain.owner, payments.contract
    assert await refusal(payments, owner, "setTreasury", ZERO) == ("InvalidTreasury", (ZERO,))
    assert await refusal(payments, owner, "setTreasury", contract.address) == ("InvalidTreasury", (contract.address,))
    assert await refusal(payments, owner, "acceptToken", OTHER) == ("NotAContract", (OTHER,))
    for arguments in (
        (owner, OTHER, TREASURY, []),
        (owner, payments.chain.contract.address, ZERO, []),
        (ZERO, payments.chain.contract.address, TREASURY, []),
        (owner, payments.chain.contract.address, TREASURY, [OTHER]),
    ):
        with pytest.raises(Revert):
            await deploy(payments.chain.rpc, owner, CREDIT_DEPOSIT, *arguments)


async def test_native_coin_is_refused(payments: Payments) -> None:
    account = await payments.account("one")
    with pytest.raises(Revert):
        await payments.contract.send(payments.payer, "deposit", account, payments.token.address, 5, value=1)
    for data in ("0x", "0x12345678"):
        asked = {"from": payments.payer, "to": payments.contract.address, "value": "0x1", "data": data}
        with pytest.raises(Revert):
            await payments.chain.rpc.ask("eth_call", asked, "latest")


async def told(payments: Payments, mode: int, *, decimals: int = 6) -> tuple[Deployed, int]:
    """A hostile token in this mode and an account."""
    account = await payments.account("one")
    token = await payments.hostile(decimals)
    await token.send(payments.payer, "mint", TREASURY, 7_000)
    await token.send(payments.payer, "behave", mode, payments.contract.address, account)
    return token, account


@pytest.mark.parametrize("mode", [RETURNS_FALSE, TAKES_ALL, REVERTS, LIES_SILENTLY, DRAINS])
async def test_a_token_that_does_not_deliver_pays_for_nothing(payments: Payments, mode: int) -> None:
    token, account = await told(payments, mode)
    with pytest.raises(Revert):
        await payments.pay(account, 1_000, token)


async def test_what_a_token_keeps_is_not_credited(payments: Payments) -> None:
    token, account = await told(payments, TAKES_FEE)
    assert deposited(await payments.pay(account, 1_000, token))[0][3] == 990


async def test_what_a_token_adds_is_not_credited(payments: Payments) -> None:
    token, account = await told(payments, GIVES_MORE)
    assert deposited(await payments.pay(account, 1_000, token))[0][3] == 1_000


async def test_a_payment_inside_a_payment_is_refused(payments: Payments) -> None:
    """Otherwise both would count the same balance's growth."""
    token, account = await told(payments, REENTERS)
    receipt = await payments.pay(account, 1_000, token)
    assert [amount for *_, amount in deposited(receipt)] == [1_000]
    assert await token.call("reentryFailed") is True


@pytest.mark.parametrize("decimals", [0, 18, 77, 255])
async def test_any_decimals_are_told_in_base_units(payments: Payments, decimals: int) -> None:
    token, account = await told(payments, HONEST, decimals=decimals)
    assert deposited(await payments.pay(account, 123_456_789, token))[0][3] == 123_456_789


async def test_a_token_whose_transfers_return_nothing_is_taken(payments: Payments) -> None:
    account = await payments.account("one")
    token = await payments.funded(await deploy(payments.chain.rpc, payments.chain.owner, TOKENS["SilentToken"]))
    assert deposited(await payments.pay(account, 77, token))[0][3] == 77


async def test_the_treasury_cannot_pay_with_what_it_has(payments: Payments) -> None:
    account = await payments.account("one")
    await payments.contract.send(payments.chain.owner, "setTreasury", payments.payer)
    with pytest.raises(Revert) as refused:
        await payments.pay(account, 50)
    assert refused.value.name == "NothingReceived"


async def test_what_was_sent_by_mistake_goes_to_the_treasury_and_credits_nobody(payments: Payments) -> None:
    await payments.token.send(payments.payer, "transfer", payments.contract.address, 40)
    receipt = await payments.contract.send(payments.chain.owner, "sweep", payments.token.address)
    assert deposited(receipt) == []
    assert await payments.token.call("balanceOf", TREASURY) == 40


async def permit(payments: Payments, owner: SigningKey, amount: int, deadline: int) -> tuple[int, bytes, bytes]:
    """An ERC-2612 signature for the deposit contract, by the standard's text."""
    kind = keccak(b"Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)")
    nonce = await payments.token.call("nonces", owner.address)
    content = encode(
        ["bytes32", "address", "address", "uint256", "uint256", "uint256"],
        [kind, owner.address, payments.contract.address, amount, nonce, deadline],
    )
    domain = bytes(await payments.token.call("DOMAIN_SEPARATOR"))
    signed = owner.sign_digest(keccak(b"\x19\x01" + domain + keccak(content)))
    return signed[64], signed[:32], signed[32:64]


async def test_a_permit_pays_in_one_transaction_and_once(payments: Payments) -> None:
    account = await payments.account("one")
    owner = key_from_hex("0x" + "17" * 32)
    await payments.chain.rpc.ask("anvil_setBalance", owner.address, hex(10**20))
    await payments.token.send(payments.payer, "mint", owner.address, 1_000)
    deadline = int(time.time()) + 10**6
    signature = await permit(payments, owner, 600, deadline)
    arguments = (account, payments.token.address, 600, deadline, *signature)
    with pytest.raises(Revert):
        await payments.contract.send(
            payments.payer, "depositWithPermit", account, payments.token.address, 2**200, 1, *signature
        )
    receipt = await payments.contract.send(owner.address, "depositWithPermit", *arguments)
    assert deposited(receipt) == [(account, owner.address, payments.token.address, 600)]
    with pytest.raises(Revert):
        await payments.contract.send(owner.address, "depositWithPermit", *arguments)


async def test_a_permit_that_somebody_else_sent_first_pays_all_the_same(payments: Payments) -> None:
    account = await payments.account("one")
    owner = key_from_hex("0x" + "18" * 32)
    await payments.chain.rpc.ask("anvil_setBalance", owner.address, hex(10**20))
    await payments.token.send(payments.payer, "mint", owner.address, 1_000)
    deadline = int(time.time()) + 10**6
    v, r, s = await permit(payments, owner, 600, deadline)
    await payments.token.send(
        payments.payer, "permit", owner.address, payments.contract.address, 600, deadline, v, r, s
    )
    receipt = await payments.contract.send(
        owner.address, "depositWithPermit", account, payments.token.address, 600, deadline, v, r, s
    )
    assert deposited(receipt)[0][3] == 600
