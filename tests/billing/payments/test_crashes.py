"""The node is killed at every step of a payment and of the outbox; afterwards every balance is exact."""

import pytest

from tests.billing.payments.stories import (
    ALICE,
    BOB,
    DAY_LATER_S,
    Databases,
    Story,
    nothing,
    nothing_lost_and_nothing_doubled,
    paid,
    pay_for_the_same,
    spent,
)
from tests.support.nursery import Nursery

pytestmark = pytest.mark.exhaustive

STORIES = (
    Story("create", nothing, {ALICE: 500}, 10, pay_for_the_same),
    Story("create", nothing, {ALICE: 500}, 10, pay_for_the_same, DAY_LATER_S),
    Story("confirm", paid, {ALICE: 500}, 10),
    Story("outbox", spent, {ALICE: 377, BOB: 0}, 16),
    Story("outbox", spent, {ALICE: 377, BOB: 0}, 16, None, DAY_LATER_S),
)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: f"{story.what}-{story.down_s:g}s")
async def test_killed_at_every_step_of_a_payment_nothing_is_lost_and_nothing_doubled(
    story: Story, lives: Nursery, fresh: Databases, crash_all: bool
) -> None:
    await nothing_lost_and_nothing_doubled(story, lives, fresh, every=crash_all)
