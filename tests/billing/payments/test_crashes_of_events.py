"""The node is killed at every step of what the card processor tells it; afterwards every balance is exact."""

import pytest

from tests.billing.payments.stories import (
    ALICE,
    BOB,
    Databases,
    Story,
    begun_long_ago,
    called,
    given_up,
    nothing_lost_and_nothing_doubled,
    untold,
)
from tests.support.nursery import Nursery

pytestmark = pytest.mark.exhaustive

STORIES = (
    Story("webhook", called, {ALICE: 300, BOB: 700}, 30),
    Story("sweep", untold, {ALICE: 500, BOB: 430}, 50),
    Story("sweep", begun_long_ago, {ALICE: 0, BOB: 700}, 20, given_up),
)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: f"{story.what}-{story.before.__name__}")
async def test_killed_at_every_step_of_an_event_nothing_is_lost_and_nothing_doubled(
    story: Story, lives: Nursery, fresh: Databases, crash_all: bool
) -> None:
    await nothing_lost_and_nothing_doubled(story, lives, fresh, every=crash_all)
