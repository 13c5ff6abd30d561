"""An admin payer that is not this enclave's: no start, and no decision that its payers could have a hand in."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from prometheus_client import CollectorRegistry

from node.api.errors import ErrorCode, as_node_error
from node.chain.assembly import ChainComponent
from node.chain.port import Administration, ScheduledAdminPayer
from node.chain.rpc import JsonRpc
from node.errors import DomainError, StartupRefusedError
from node.permissions.grants import Caller
from node.settings import Settings
from node.values import ZERO_ADDRESS, checksum_address, hash_of_address, hash_of_text
from tests.support.account_chain import OWNER_CHANGE_DELAY_S, AccountChain
from tests.support.contract import deploy
from tests.support.populated_account import ACTION, MASTER, SECOND_WALLET, USAGE, Bench
from tests.support.rpc_proxy import changing

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAIN_ID = 31337
STOLEN, CODE = hash_of_text("the attacker's key"), hash_of_text("the attacker's code")
USAGE_TEXTS: tuple[Any, ...] = (0, 0, "", "", False, False, False, [], [], [])


def room(session: aiohttp.ClientSession, urls: list[str], contract: str) -> ChainComponent:
    settings = Settings(chain_id=CHAIN_ID, contract_address=contract, chain_max_head_age_s=0)
    return ChainComponent(JsonRpc(session, urls), settings, CollectorRegistry())


@pytest_asyncio.fixture(loop_scope="module")
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


async def names(chain: AccountChain, admin_payer: str) -> None:
    """The owner puts another admin payer in place, with all the delay it takes."""
    await chain.write("setAdminApiPayerAccount", admin_payer, sender=chain.owner)
    await chain.mine_at(await chain.head_timestamp() + OWNER_CHANGE_DELAY_S)
    await chain.write("applyOwnerChange", sender=chain.owner)


async def burgles(chain: AccountChain, *, converting: bool) -> None:
    """The owner's own admin payer adds itself as payer and grants a key of its own the victim's wallets."""
    await names(chain, chain.stranger)
    await chain.write("addApiPayers", [chain.stranger], sender=chain.stranger)
    if converting:
        await chain.write("convertToChainSecuredAccount", MASTER, chain.stranger, sender=chain.stranger)
    await chain.write("setUsageApiKey", MASTER, STOLEN, *USAGE_TEXTS, [0], sender=chain.stranger)
    await chain.write("addGroup", MASTER, "", "", [0], [SECOND_WALLET], sender=chain.stranger)
    assert await chain.contract.call("canExecuteActionAndUseWallet", STOLEN, CODE, SECOND_WALLET) == (True, True)


@pytest.mark.parametrize("converting", [False, True])
async def test_what_a_strangers_payer_granted_is_never_decided_on(bench: Bench, converting: bool) -> None:
    """Converting is a payer's write as well: the account is then its new admin's, and no payer's any more."""
    chain, reader = bench.chain, bench.reader
    reader.require_admin_payer(checksum_address(chain.admin_payer))
    assert (await reader.authorisation(USAGE, ACTION, [SECOND_WALLET])).may_execute
    await burgles(chain, converting=converting)
    thief = Caller(STOLEN, MASTER, managed=not converting, grants=None)
    for reading in (
        lambda: reader.authorisation(STOLEN, CODE, [SECOND_WALLET]),
        lambda: reader.authorisation(STOLEN, CODE, ()),
        lambda: reader.authorisation(USAGE, ACTION, ()),
        lambda: reader.wallet_authorisation(thief, CODE, SECOND_WALLET),
        lambda: reader.wallet_authorisation(thief, CODE, 1),
    ):
        with pytest.raises(DomainError) as refused:
            await reading()
        assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
        assert chain.stranger.lower() in refused.value.message.lower()


@pytest.mark.parametrize("converting", [False, True])
async def test_what_a_strangers_payer_granted_is_not_decided_on_when_the_enclave_is_named_again(
    bench: Bench, converting: bool
) -> None:
    chain, reader = bench.chain, bench.reader
    reader.require_admin_payer(checksum_address(chain.admin_payer))
    await burgles(chain, converting=converting)
    await names(chain, chain.admin_payer)
    await chain.write("addApiPayers", [chain.payer], sender=chain.admin_payer)
    thief = Caller(STOLEN, MASTER, managed=not converting, grants=None)
    for reading in (
        lambda: reader.authorisation(STOLEN, CODE, [SECOND_WALLET]),
        lambda: reader.authorisation(STOLEN, CODE, ()),
        lambda: reader.wallet_authorisation(thief, CODE, SECOND_WALLET),
        lambda: reader.wallet_authorisation(thief, CODE, 1),
    ):
        with pytest.raises(DomainError) as refused:
            await reading()
        assert as_node_error(refused.value).code is ErrorCode.CHAIN_UNAVAILABLE
        assert "another admin payer" in refused.value.message


@pytest.mark.parametrize("named_again", [False, True])
async def test_accounts_that_payers_never_could_write_are_decided_as_before(bench: Bench, named_again: bool) -> None:
    chain, reader = bench.chain, bench.reader
    reader.require_admin_payer(checksum_address(chain.admin_payer))
    own, key = hash_of_address(chain.stranger), hash_of_text("their key")
    await chain.write("newChainSecuredAccount", "own", "", sender=chain.stranger)
    await chain.write("setUsageApiKey", own, key, *USAGE_TEXTS, [0], sender=chain.stranger)
    await names(chain, chain.owner)
    if named_again:
        await names(chain, chain.admin_payer)
    assert (await reader.authorisation(key, CODE, ())).may_execute
    assert (await reader.authorisation(hash_of_text("nobody's key"), CODE, ())).master_hash == 0


async def test_the_same_admin_payer_named_again_changes_nothing(bench: Bench) -> None:
    bench.reader.require_admin_payer(checksum_address(bench.chain.admin_payer))
    await names(bench.chain, bench.chain.admin_payer)
    assert (await bench.reader.authorisation(USAGE, ACTION, [SECOND_WALLET])).wallets == (True,)


async def test_the_administration_is_read_with_what_is_scheduled(bench: Bench) -> None:
    chain = bench.chain
    parties = [checksum_address(each) for each in (chain.owner, chain.admin_payer, chain.payer)]
    owner, admin_payer, payer = parties
    expected = Administration(owner, admin_payer, (payer,), None, OWNER_CHANGE_DELAY_S, 0)
    assert await bench.reader.administration() == expected
    await chain.write("setAdminApiPayerAccount", chain.stranger, sender=chain.owner)
    due = await chain.head_timestamp() + OWNER_CHANGE_DELAY_S
    scheduled = ScheduledAdminPayer(checksum_address(chain.stranger), due)
    assert await bench.reader.administration() == Administration(
        owner, admin_payer, (payer,), scheduled, OWNER_CHANGE_DELAY_S, 0
    )
    await names(chain, chain.stranger)
    assert (await bench.reader.administration()).admin_payer_replacements == 1


async def test_a_start_takes_its_own_admin_payer_and_an_unnamed_one(
    bench: Bench, session: aiohttp.ClientSession
) -> None:
    chain = bench.chain
    own = checksum_address(chain.admin_payer)
    await room(session, [chain.url], chain.contract.address).require_admin_payer(own)
    unnamed = await deploy(chain.rpc, chain.owner, chain.owner, ZERO_ADDRESS, OWNER_CHANGE_DELAY_S)
    await room(session, [chain.url], unnamed.address).require_admin_payer(own)


async def test_a_start_after_a_replacement_serves_the_accounts_that_no_payer_could_write(
    bench: Bench, session: aiohttp.ClientSession
) -> None:
    """A start that is refused would take the keys of those accounts' owners with it, for good."""
    chain, own = bench.chain, checksum_address(bench.chain.admin_payer)
    unmanaged, key = hash_of_address(chain.stranger), hash_of_text("their key")
    await chain.write("newChainSecuredAccount", "own", "", sender=chain.stranger)
    await chain.write("setUsageApiKey", unmanaged, key, *USAGE_TEXTS, [0], sender=chain.stranger)
    await names(chain, chain.owner)
    await names(chain, own)
    started = room(session, [chain.url], chain.contract.address)
    await started.require_admin_payer(own)
    assert (await started.reads.authorisation(key, CODE, ())).may_execute
    with pytest.raises(DomainError):
        await started.reads.authorisation(USAGE, ACTION, ())


async def test_a_start_refuses_another_admin_payer(bench: Bench, session: aiohttp.ClientSession) -> None:
    chain = bench.chain
    own, named = checksum_address("0x" + "0d" * 20), checksum_address(chain.admin_payer)
    with pytest.raises(StartupRefusedError) as refused:
        await room(session, [chain.url], chain.contract.address).require_admin_payer(own)
    assert refused.value.setting == "contract_address"
    assert own in refused.value.message
    assert named in refused.value.message


async def test_the_admin_payer_is_what_a_quorum_says_it_is(bench: Bench, session: aiohttp.ClientSession) -> None:
    """One of three providers that tells of another admin payer keeps no node from starting, and helps no stranger's."""
    chain, own = bench.chain, checksum_address(bench.chain.admin_payer)
    word, other = own.lower()[2:], "0d" * 20

    def lie(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**each, "result": json.loads(json.dumps(each["result"]).replace(word, other))} for each in answers]

    bench.proxy.behaviour = changing(lie)
    urls = [bench.proxy.url, chain.url, chain.url]
    await room(session, urls, chain.contract.address).require_admin_payer(own)
    with pytest.raises(StartupRefusedError):
        await room(session, urls, chain.contract.address).require_admin_payer(checksum_address("0x" + other))
