"""A local card processor, and its client."""

from collections.abc import AsyncIterator

import pytest
import stripe

from devkit.processor.server import LocalProcessor, LocalProcessorOptions, local_processor
from tests.processor.local import client
from tests.support.clock import FakeClock
from tests.support.ports import own_port


@pytest.fixture
def clock() -> FakeClock:
    """The processor's unix time."""
    return FakeClock()


@pytest.fixture
async def local(clock: FakeClock) -> AsyncIterator[LocalProcessor]:
    """A processor with the default keys that sends no webhooks."""
    async with local_processor(LocalProcessorOptions(port=own_port()), clock) as running:
        yield running


@pytest.fixture
async def api(local: LocalProcessor) -> AsyncIterator[stripe.StripeClient]:
    """Stripe's client with the secret key."""
    async with client(local, "sk_test_local") as made:
        yield made
