"""A payment says whose credit it buys, so that the payment page can: the account's hash, and the name that its owner gave it."""

import pytest

from node.billing.payments.intents import description_of
from node.billing.service import BillingService, CreatePaymentIntentRequest
from node.chain.errors import ChainUnavailableError
from node.http.endpoint import Origin
from node.permissions.grants import Caller
from node.values import u256_hex
from tests.support.payments import PaymentWorld

ALICE = 0xA11CE
HASH = f"0x{ALICE:064x}"


class Names:
    """AccountNames with one account, counted."""

    def __init__(self, name: str | Exception) -> None:
        self._name = name
        self.asked: list[int] = []

    async def account_name(self, account: int) -> str:
        self.asked.append(account)
        if isinstance(self._name, Exception):
            raise self._name
        return self._name


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
