import pytest

from node.billing.charging import UnbilledLedger
from node.billing.service import BalanceAnswer, BillingService
from node.ledger.port import Service, Spender, Usage
from node.permissions.grants import Caller, Grants
from tests.support.starter_ledgers import StarterLedgers

USAGE = Usage(Service.WRITE, "addGroup")
OWNER = Caller(key_hash=1, master_hash=1, managed=True, grants=None)


async def test_credit_is_negative_as_with_the_card_processor(ledgers: StarterLedgers) -> None:
    answer = await BillingService(await ledgers.make(123_456)).balance(OWNER)
    assert answer == BalanceAnswer(
        balance_cents=-123_456, balance_display="$1234.56", credit_cents=123_456, reserved_cents=0
    )


async def test_parts_of_a_cent_are_rounded_to_the_accounts_disadvantage(ledgers: StarterLedgers) -> None:
    ledger = await ledgers.make(5)
    await ledger.reserve(Spender(1), "spent", 1)
    await ledger.settle("spent", 1, USAGE)
    await ledger.reserve(Spender(1), "open", 1)
    answer = await BillingService(ledger).balance(OWNER)
    assert (answer.credit_cents, answer.reserved_cents, answer.balance_display) == (4, 1, "$0.04")


async def test_a_usage_key_sees_its_accounts_balance(ledgers: StarterLedgers) -> None:
    usage_key = Caller(key_hash=2, master_hash=1, managed=True, grants=Grants())
    answer = await BillingService(await ledgers.make(7)).balance(usage_key)
    assert answer.credit_cents == 7


async def test_with_billing_off_nothing_is_ever_charged_or_refused() -> None:
    ledger = UnbilledLedger()
    await ledger.reserve(Spender(1, 2, cap_microdollars=1), "run", 10**12)
    await ledger.extend("run", 10**12)
    await ledger.settle("run", 10**12, USAGE)
    await ledger.release("run")
    answer = await BillingService(ledger).balance(OWNER)
    assert (answer.balance_cents, answer.balance_display, answer.reserved_cents) == (0, "$0.00", 0)


@pytest.mark.parametrize("cents", [0, 1, 99, 100, 10_000_000])
async def test_the_display_is_dollars_and_cents(ledgers: StarterLedgers, cents: int) -> None:
    answer = await BillingService(await ledgers.make(cents)).balance(OWNER)
    assert answer.balance_display == f"${cents / 100:.2f}"
