"""The payments room on a real ledger and the real adapter, beside the local card processor; a browser; short words."""

import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
from prometheus_client import CollectorRegistry

from devkit.processor.server import LocalProcessor
from node.billing.payments.service import PaymentService
from node.ledger.port import MICRODOLLARS_PER_CENT, LedgerDatabase
from node.processor.keys import ProcessorKeys
from node.processor.port import CardProcessor
from node.processor.stripe_processor import StripeProcessor
from node.runtime.clock import Clock
from tests.support import keyring_vectors
from tests.support.clock import FakeClock

EMAIL_SEALER: Final = keyring_vectors.keyring().email_sealer()
SERVICE: Final = "31337:0x" + "11" * 20
_INTENT: Final = re.compile(r"(pi_[A-Za-z0-9]+)_secret_")


def adapter(url: str, clock: FakeClock) -> StripeProcessor:
    """The adapter, pointed at the local processor."""
    keys = ProcessorKeys("sk_test_local", "pk_test_local", "whsec_local", url)
    return StripeProcessor(keys, SERVICE, clock=Clock(unix=clock))


@contextlib.asynccontextmanager
async def payments_room(
    ledger: LedgerDatabase, processor: CardProcessor, clock: FakeClock
) -> AsyncIterator[PaymentService]:
    """The room with its tables up to date; its workers do what a test tells them."""
    room = PaymentService(ledger, processor, CollectorRegistry(), EMAIL_SEALER, clock=Clock(unix=clock))
    await room.open()
    yield room


async def pay(local: LocalProcessor, client_secret: str, card: str = "pm_card_visa") -> dict[str, Any]:
    """Confirm as a browser does, with the publishable key; what it was answered."""
    match = _INTENT.match(client_secret)
    assert match is not None
    form = {"key": "pk_test_local", "client_secret": client_secret, "payment_method": card}
    url = f"{local.url}/v1/payment_intents/{match[1]}/confirm"
    async with aiohttp.ClientSession() as session, session.post(url, data=form) as answer:
        body = await answer.json()
        assert isinstance(body, dict)
        return body


@dataclass
class PaymentWorld:
    """One node with its ledger, and the processor."""

    ledger: LedgerDatabase
    local: LocalProcessor
    processor: StripeProcessor
    room: PaymentService
    clock: FakeClock
    accounts: set[int] = field(default_factory=set)

    async def bought(self, account: int, cents: int = 500, card: str = "pm_card_visa") -> str:
        """The intent of a payment that was made in the browser, and of which the node was not told."""
        self.accounts.add(account)
        begun = await self.room.payments.create(account, cents, None)
        await pay(self.local, begun.client_secret, card)
        return begun.intent

    async def credit(self, account: int) -> int:
        """Cents, of which parts fail the test."""
        balance = (await self.ledger.balance(account)).credit_microdollars
        assert balance % MICRODOLLARS_PER_CENT == 0
        return balance // MICRODOLLARS_PER_CENT

    async def drain(self, rounds: int = 2) -> None:
        """Sweep and tell; after two rounds neither has anything to do."""
        for _ in range(rounds):
            await self.room.sweep()
            await self.room.sync_balances()

    def charge_of(self, intent: str) -> str:
        """The charge of a payment."""
        found = self.local.control.store.payment_intents.get(intent).latest_charge
        assert found is not None
        return found

    async def refund(self, intent: str, cents: int | None = None) -> str:
        """The operator refunds, with the secret key; the refund's id."""
        form = {"payment_intent": intent} | ({} if cents is None else {"amount": str(cents)})
        headers = {"Authorization": "Bearer sk_test_local"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.post(f"{self.local.url}/v1/refunds", data=form) as answer,
        ):
            body = await answer.json()
            assert answer.status == 200, body
            return str(body["id"])

    def told(self, account: int) -> int:
        """The account's credit in cents as the processor has it, with one customer at most."""
        mine = f"0x{account:064x}"
        customers = [
            customer
            for customer in self.local.control.store.customers.oldest_first()
            if customer.metadata.get("svc_account") == mine
        ]
        assert len(customers) <= 1, "one customer for each account"
        return -customers[0].balance if customers else 0

    def customer(self, account: int) -> str:
        """The account's customer."""
        (found,) = [
            customer.id
            for customer in self.local.control.store.customers.oldest_first()
            if customer.metadata.get("svc_account") == f"0x{account:064x}"
        ]
        return found
