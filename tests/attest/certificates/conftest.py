"""Certificates without an authority."""

import pytest

from attest.certificates.credentials import Credentials
from attest.certificates.renewal import SelfSigned
from tests.support.clock import FakeClock
from tests.support.pebble import DOMAIN


@pytest.fixture
def clock() -> FakeClock:
    """The time, in unix seconds."""
    return FakeClock()


@pytest.fixture
def issuer(clock: FakeClock) -> SelfSigned:
    """Issues at once."""
    return SelfSigned(DOMAIN, 90 * 86_400.0, clock)


@pytest.fixture
async def credentials(issuer: SelfSigned) -> Credentials:
    """A certificate and its key."""
    return await issuer.issue()
