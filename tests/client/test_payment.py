"""`svc billing add` while it waits: who says that it is paid gains nothing by saying it over and over."""

import asyncio
from types import SimpleNamespace
from typing import Any

from svc_client.errors import Conflict
from svc_client.payment import Payment, _wait


async def test_a_stranger_who_says_over_and_over_that_it_is_paid_causes_no_calls_with_the_key() -> None:
    looks = 0

    async def confirm_payment(_: str) -> None:
        nonlocal looks
        looks += 1
        raise Conflict(409, "conflict", "not paid")

    billing: Any = SimpleNamespace(confirm_payment=confirm_payment)
    begun: Any = SimpleNamespace(payment_intent_id="pi_1")
    asked, stopped = asyncio.Event(), asyncio.Event()
    waiting = asyncio.create_task(_wait(billing, Payment(begun), asked, stopped))
    for _ in range(1000):
        asked.set()
        await asyncio.sleep(0)
    stopped.set()
    await waiting
    # The last look is made at the end.
    assert looks == 1
