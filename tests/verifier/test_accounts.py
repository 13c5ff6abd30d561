"""The account contract on a real EVM: what providers tell of it, and what the verifier says to each deployment."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import aiohttp
import pytest
import pytest_asyncio

from svc_verifier.chain.contracts import published_builds
from svc_verifier.check import Status
from svc_verifier.checks.accounts import DELAY_MIN_S, check_accounts
from svc_verifier.formats.info import AttestedConfig
from svc_verifier.gathering.chain import RpcProvider, Subject, ask_providers
from svc_verifier.material import ProviderAnswers
from svc_verifier.trust import AccountPins, Trust
from tests.support.account_builds import TABLE, deployed_build, written
from tests.support.account_chain import OWNER_CHANGE_DELAY_S, AccountChain, account_chain, undone
from tests.support.contract import deploy
from tests.support.verifying import CHAIN_ID, PATIENT

Attack: TypeAlias = Callable[[AccountChain], Awaitable[None]]

pytestmark = pytest.mark.asyncio(loop_scope="module")
NO_LIMITS = (0, 0, "", "", False, False, False)
EVERY_GROUP: tuple[list[int], ...] = ([], [], [], [0])
HARMLESS_CODE = "0x6080604052600080fd"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain() -> AsyncIterator[AccountChain]:
    async with account_chain() as running:
        yield running


def raw(address: str) -> bytes:
    return bytes.fromhex(address[2:])


async def asked(chain: AccountChain, contract: str) -> ProviderAnswers:
    """What the chain's provider tells of the contract."""
    async with aiohttp.ClientSession() as session:
        provider = RpcProvider(session, chain.url, PATIENT)
        subject = Subject(bytes(20), None, bytes(32), None, raw(contract))
        (answers,) = await ask_providers([provider], subject, PATIENT, None)
    assert isinstance(answers, ProviderAnswers), answers
    return answers


async def judged(chain: AccountChain, contract: str, minimum_delay_s: int | None) -> dict[str, Status]:
    """The checks of the group that did not pass, for who pins the honest owner."""
    pins = AccountPins(
        contract=raw(contract), owners=frozenset({raw(chain.owner)}), minimum_owner_change_delay_s=minimum_delay_s
    )
    trust = Trust(host="node.example", app_id=bytes(20), chain_id=CHAIN_ID, accounts=pins)
    config = AttestedConfig(contract=raw(contract), admin_payer=raw(chain.admin_payer))
    checks = check_accounts(await asked(chain, contract), config, trust).checks
    return {check.id: check.status for check in checks if check.status is not Status.PASSED}


async def test_the_table_of_published_builds_holds_the_committed_artifact(chain: AccountChain) -> None:
    """Write it anew with `python -m tests.support.account_builds`."""
    assert TABLE.read_text() == written([await deployed_build(chain)])
    assert len(published_builds()) == 1


async def test_the_published_contract_in_the_enclaves_hands_passes(chain: AccountChain) -> None:
    assert await judged(chain, chain.contract.address, OWNER_CHANGE_DELAY_S) == {}


async def test_less_than_a_day_is_too_short_unless_it_is_pinned(chain: AccountChain) -> None:
    assert OWNER_CHANGE_DELAY_S < DELAY_MIN_S
    assert await judged(chain, chain.contract.address, None) == {"accounts.delay": Status.FAILED}
    longer = await deploy(chain.rpc, chain.owner, chain.owner, chain.admin_payer, DELAY_MIN_S)
    assert await judged(chain, longer.address, None) == {}


async def names(chain: AccountChain, admin_payer: str) -> None:
    await chain.write("setAdminApiPayerAccount", admin_payer, sender=chain.owner)
    await chain.mine_at(await chain.head_timestamp() + OWNER_CHANGE_DELAY_S)
    await chain.write("applyOwnerChange", sender=chain.owner)


async def another_admin_payer(chain: AccountChain) -> None:
    await names(chain, chain.stranger)


async def another_admin_payer_for_a_while(chain: AccountChain) -> None:
    """Names another admin payer, which plants a key in an account, and then the enclave's again.

    The contract's present admin payer and payers are afterwards the same as before.
    """
    victim, planted, wallet = 5, 6, chain.stranger
    await chain.write("createManagedAccount", victim, "", "", wallet, 1, sender=chain.payer)
    await names(chain, chain.owner)
    await chain.write("addApiPayers", [chain.owner], sender=chain.owner)
    await chain.write("setUsageApiKey", victim, planted, *NO_LIMITS, *EVERY_GROUP, sender=chain.owner)
    await chain.write("addGroup", victim, "", "", [0], [wallet], sender=chain.owner)
    await names(chain, chain.admin_payer)
    await chain.write("addApiPayers", [chain.payer], sender=chain.admin_payer)
    assert await chain.contract.call("canExecuteActionAndUseWallet", planted, 1, wallet) == (True, True)


async def the_same_admin_payer_again(chain: AccountChain) -> None:
    await names(chain, chain.admin_payer)


async def scheduled_change(chain: AccountChain) -> None:
    await chain.write("setAdminApiPayerAccount", chain.stranger, sender=chain.owner)


async def cancelled_change(chain: AccountChain) -> None:
    await scheduled_change(chain)
    await chain.write("cancelOwnerChange", sender=chain.owner)


async def announced_owner(chain: AccountChain) -> None:
    await chain.write("transferOwnership", chain.stranger, sender=chain.owner)


async def another_owner(chain: AccountChain) -> None:
    await announced_owner(chain)
    await chain.write("acceptOwnership", sender=chain.stranger)


async def another_views_module(chain: AccountChain) -> None:
    await chain.rpc.ask("anvil_setCode", await chain.contract.call("viewsModule"), HARMLESS_CODE)


async def rewritten(chain: AccountChain, places: tuple[int, ...], word: bytes) -> None:
    """Replaces the words of the deployed code at `places`.

    A deployer who writes the code by hand can do the same.
    """
    code = bytearray(raw(await chain.rpc.ask("eth_getCode", chain.contract.address, "latest")))
    for place in places:
        code[place : place + 32] = word
    await chain.rpc.ask("anvil_setCode", chain.contract.address, f"0x{code.hex()}")


async def delegation_to_another_module(chain: AccountChain) -> None:
    """Where calls are delegated alone: the getter goes on naming the published module."""
    (build,) = published_builds()
    getter = raw(await chain.contract.call("viewsModule"))
    for place in build.views_module_at:
        async with undone(chain):
            await rewritten(chain, (place,), raw(chain.stranger).rjust(32, b"\0"))
            if raw(await chain.contract.call("viewsModule")) != getter:
                continue
        await rewritten(chain, (place,), raw(chain.stranger).rjust(32, b"\0"))
        return
    raise AssertionError("every word is the getter's")


async def no_delay_where_it_counts(chain: AccountChain) -> None:
    (build,) = published_builds()
    await rewritten(chain, build.owner_change_delay_at[:1], bytes(32))


async def no_delay(chain: AccountChain) -> None:
    (build,) = published_builds()
    await rewritten(chain, build.owner_change_delay_at, bytes(32))


async def one_byte_of_code(chain: AccountChain) -> None:
    code = bytearray(raw(await chain.rpc.ask("eth_getCode", chain.contract.address, "latest")))
    code[-1] ^= 1
    await chain.rpc.ask("anvil_setCode", chain.contract.address, f"0x{code.hex()}")


async def destroyed(chain: AccountChain) -> None:
    await chain.rpc.ask("anvil_setCode", chain.contract.address, "0x")


ATTACKS: Final[Sequence[tuple[Attack, str]]] = (
    (another_admin_payer, "accounts.admin-payer accounts.history"),
    (another_admin_payer_for_a_while, "accounts.history"),
    (the_same_admin_payer_again, ""),
    (scheduled_change, "accounts.scheduled"),
    (cancelled_change, ""),
    (announced_owner, "accounts.owner"),
    (another_owner, "accounts.owner"),
    (another_views_module, "accounts.views"),
    (delegation_to_another_module, "accounts.views"),
    (no_delay, "accounts.delay"),
    (no_delay_where_it_counts, "accounts.delay"),
    (one_byte_of_code, "accounts.code"),
    (destroyed, "accounts.contract"),
)


@pytest.mark.parametrize(
    ("attack", "failing"),
    [pytest.param(*row, id=row[0].__name__, marks=pytest.mark.covers(*row[1].split())) for row in ATTACKS],
)
async def test_each_attack_turns_its_check_red(chain: AccountChain, attack: Attack, failing: str) -> None:
    async with undone(chain):
        await attack(chain)
        found = await judged(chain, chain.contract.address, OWNER_CHANGE_DELAY_S)
    assert {name for name, status in found.items() if status is Status.FAILED} == set(failing.split())
    if failing not in {"accounts.code", "accounts.contract"}:
        assert set(found.values()) <= {Status.FAILED}, found


async def test_the_payers_are_shown_and_pinned_ones_are_the_only_ones(chain: AccountChain) -> None:
    answers = await asked(chain, chain.contract.address)
    pins = AccountPins(contract=raw(chain.contract.address), payers=frozenset({raw(chain.payer)}))
    trust = Trust(host="node.example", app_id=bytes(20), chain_id=CHAIN_ID, accounts=pins)

    def payers(trust: Trust) -> tuple[Status, str]:
        (check,) = (each for each in check_accounts(answers, None, trust).checks if each.id == "accounts.payers")
        return check.status, check.evidence["payers"]

    assert payers(trust) == (Status.PASSED, chain.payer.lower())
    other = replace(trust, accounts=replace(pins, payers=frozenset({raw(chain.stranger)})))
    assert payers(other)[0] is Status.FAILED
