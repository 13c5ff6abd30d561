"""A payment says whose credit it buys, so that the payment page can: the account's hash, and the name that its owner gave it."""

import pytest

from devkit.processor.faults import Fault
from node.api.calls import Origin
from node.api.errors import ErrorCode, NodeError
from node.billing.payments.intents import description_of
from node.billing.service import BillingService, ConfirmPaymentRequest, CreatePaymentIntentRequest
from node.chain.errors import ChainUnavailableError
from node.permissions.grants import Caller
from node.processor.stripe_processor import REPETITIONS
from node.values import u256_hex
from tests.support.payments import PaymentWorld, pay

ALICE = 0xA11CE
HASH = f"0x{ALICE:064x}"


class Names:
    """AccountNames with one account, counted."""

    def __init__(self, name: str | Exception) -> None:
        self.name = name
        self.asked: list[int] = []

    async def account_name(self, account: int) -> str:
        self.asked.append(account)
        if isinstance(self.name, Exception):
            raise self.name
        return self.name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", ""),
        ("Acme", ", named Acme"),
        ("a\nb\x00c\u202ed\x1b[2J", ", named abcd[2J"),
        ("x" * 256, f", named {'x' * 100}"),
        ("\u200b\n", ""),
    ],
    ids=["none", "a name", "controls", "long", "nothing to see"],
)
def test_the_hash_comes_whole_and_before_any_name(name: str, shown: str) -> None:
    assert description_of(ALICE, name) == f"Credit of account {u256_hex(ALICE)}{shown}"
    assert u256_hex(ALICE) == HASH


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Acme", f"Credit of account {HASH}, named Acme"), (ChainUnavailableError("out"), f"Credit of account {HASH}")],
    ids=["a name", "while the chain is out"],
)
async def test_it_is_on_the_processor_s_object(world: PaymentWorld, name: str | Exception, shown: str) -> None:
    names = Names(name)
    service = BillingService(world.ledger, world.room, names)
    caller = Caller(1, ALICE, managed=True, grants=None)
    request = CreatePaymentIntentRequest(amount_cents=500)
    made = [
        await service.create_payment_intent(caller, request, Origin("request", "the same payment"), "127.0.0.1")
        for _ in range(2)
    ]
    assert made[0] == made[1]
    (intent,) = world.local.control.store.payment_intents.oldest_first()
    assert (intent.id, intent.description) == (made[0].payment_intent_id, shown)
    # A repetition asks the chain no more.
    assert names.asked == [ALICE]


async def test_a_repetition_under_another_name_is_the_same_payment(world: PaymentWorld) -> None:
    """The processor made it and its answer was lost, while the chain did not tell the name that it tells now."""
    names = Names(ChainUnavailableError("out"))
    service = BillingService(world.ledger, world.room, names)
    asked = Caller(1, ALICE, managed=True, grants=None), CreatePaymentIntentRequest(amount_cents=500)
    world.local.control.faults.add(
        Fault(kind="dropped", method="POST", path="/v1/payment_intents", times=1 + REPETITIONS, after_work=True)
    )
    with pytest.raises(NodeError) as lost:
        await service.create_payment_intent(*asked, Origin("request", "the same payment"), "127.0.0.1")
    assert lost.value.code is ErrorCode.BILLING_UNAVAILABLE
    names.name = "Acme"
    begun = await service.create_payment_intent(*asked, Origin("again", "the same payment"), "127.0.0.1")
    (intent,) = world.local.control.store.payment_intents.oldest_first()
    assert (intent.id, intent.client_secret) == (begun.payment_intent_id, begun.client_secret)
    await pay(world.local, begun.client_secret)
    assert (await service.confirm_payment(asked[0], ConfirmPaymentRequest(payment_intent_id=intent.id), "")).success
    assert await world.credit(ALICE) == 500
