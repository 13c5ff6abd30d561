"""What an operator sees of it, without any account in it."""

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from devkit.processor.faults import Fault
from node.billing.payments.service import PaymentService
from node.processor.port import ProcessorError
from node.runtime.clock import Clock
from tests.support.payments import EMAIL_SEALER, PaymentWorld

ALICE, BOB = 0xA11CE, 0xB0B


def shown(registry: CollectorRegistry) -> dict[str, float]:
    lines = generate_latest(registry).decode().splitlines()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}


async def test_outbox_sweep_and_postings_are_shown(world: PaymentWorld) -> None:
    registry = CollectorRegistry()
    room = PaymentService(world.ledger, world.processor, registry, EMAIL_SEALER, clock=Clock(unix=world.clock))
    intent = await world.bought(ALICE, 500)
    await world.refund(intent, 200)
    await room.sweep()
    world.clock.advance(90)
    world.local.control.faults.add(Fault(kind="server_error", method="POST", path="/v1/customers*", times=None))
    await room.customers.opened(BOB, "bob@example.com")
    for _ in range(2):
        with pytest.raises(ProcessorError) as raised:
            await room.sync_balances()
        assert "bob" not in str(raised.value)
        world.clock.advance(10)

    seen = shown(registry)
    assert seen['svc_processor_postings_total{kind="payment"}'] == 1
    assert seen['svc_processor_postings_total{kind="refund"}'] == 1
    assert seen["svc_processor_sweep_lag_seconds"] == 110
    assert seen['svc_processor_outbox_rows{kind="customer"}'] == 1
    assert seen["svc_processor_outbox_oldest_seconds"] == 10
    text = generate_latest(registry).decode()
    assert "0x" not in text
    assert "bob" not in text

    world.local.control.faults.clear()
    world.clock.advance(3600)
    await room.sync_balances()
    await room.sync_balances()
    seen = shown(registry)
    assert [seen[f'svc_processor_outbox_rows{{kind="{kind}"}}'] for kind in ("customer", "balance")] == [0, 0]
    assert seen["svc_processor_outbox_oldest_seconds"] == 0
