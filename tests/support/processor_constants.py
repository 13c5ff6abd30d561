"""Constants of the card processor's adapter and of the outbox, changed for a test."""

import math
from collections.abc import Mapping
from typing import Final

import pytest

_TRANSPORT: Final = "node.processor.transport"
_EXCHANGE: Final = "node.processor.exchange"
_PLACES: Final = {
    "connect_timeout_s": _TRANSPORT,
    "attempt_timeout_s": _TRANSPORT,
    "response_max_bytes": _TRANSPORT,
    "response_max_values": _TRANSPORT,
    "concurrent_max": _TRANSPORT,
    "requests_per_second": _TRANSPORT,
    "too_many_rest_s": _TRANSPORT,
    "call_timeout_s": _EXCHANGE,
    "listed_max": _EXCHANGE,
    "failures_to_open": _EXCHANGE,
    "open_s": _EXCHANGE,
    "repetitions": "node.processor.stripe_processor",
    "sent_per_second": "node.billing.payments.outbox",
}

UNHURRIED: Final = {
    "requests_per_second": math.inf,
    "repetitions": 0,
    "attempt_timeout_s": 5.0,
    "failures_to_open": 1_000_000,
    "sent_per_second": math.inf,
}
"""Nothing is repeated below the payments, whose own repetitions are tested, and no test waits for a rate."""


def change(monkeypatch: pytest.MonkeyPatch, values: Mapping[str, float]) -> None:
    """Set constants by their names in lower case."""
    for name, value in values.items():
        monkeypatch.setattr(f"{_PLACES[name]}.{name.upper()}", value)
