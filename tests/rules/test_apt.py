"""Installing a server takes nothing of the time a test has."""

import signal

import pytest

from tests.support.apt import alarm_waiting


@pytest.mark.exhaustive
@pytest.mark.timeout(100)
def test_the_alarm_of_a_test_waits_and_goes_on() -> None:
    before_s, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < before_s <= 100
    with alarm_waiting():
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    after_s, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < after_s <= before_s
