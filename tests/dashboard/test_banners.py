"""Banners of the dashboard, when health is read again, and the sums of its chart."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.javascript import ran_javascript

HEALTHY = {"status": "ok", "notes": {}, "insecure": [], "account_event_listener_lag_seconds": 1.5}
VERIFIED = {
    "checks": [{"name": "Host", "passed": True, "text": ""}],
    "host": "node.example",
    "isHost": True,
    "instanceId": "abc",
    "proven": None,
    "error": None,
}
SHOW = """
import { bannersOf } from "./banners.mjs";
console.log(JSON.stringify(given.map((state) => bannersOf(state))));
"""
READ_AGAIN = """
import { nextReadInS } from "./health.mjs";
console.log(JSON.stringify(given.map((health) => nextReadInS({ health, error: null }))));
"""
SUMS = """
import { byDay } from "./usage-chart.mjs";
process.env.TZ = "Europe/Berlin";
const charge = (time, service, chargedCents) => ({ time, service, chargedCents });
const charges = [
  charge("2026-03-28T22:59:59Z", "execution", 2), charge("2026-03-28T23:00:00Z", "execution", 3),
  charge("2026-03-29T21:59:59Z", "write", 1), charge("2026-03-29T22:00:00Z", "write", 1), charge("2026-01-01T00:00:00Z", "write", 9),
];
console.log(JSON.stringify(byDay(charges, 4, new Date("2026-03-30T10:00:00Z"))));
"""


def state(health: dict[str, Any] | None = HEALTHY, **changes: Any) -> dict[str, Any]:
    """A state of the page; members of `changes` replace others."""
    told = {"health": health, "error": None if health else "The node does not answer."}
    return {"health": told, "verification": VERIFIED, "creditCents": 5, "pageHost": "page.example", **changes}


CASES: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "nothing to say": (state(), []),
    "nothing known yet": (state(health=None, verification=None, creditCents=None) | {"health": None}, []),
    "a lag of thirty seconds": (state(HEALTHY | {"account_event_listener_lag_seconds": 30}), []),
    "a longer lag": (
        state(HEALTHY | {"account_event_listener_lag_seconds": 30.6}),
        [("error", "node.example is 31 seconds behind the chain.")],
    ),
    "a lag that is not known": (
        state(HEALTHY | {"account_event_listener_lag_seconds": None}),
        [("error", "node.example has not read the chain's events yet.")],
    ),
    "no health": (state(None), [("error", "The health of node.example is not known.")]),
    "no health and no attestation": (
        state(None, verification=None),
        [("error", "The health of page.example is not known.")],
    ),
    "a part that is degraded": (
        state(HEALTHY | {"status": "degraded", "notes": {"billing": "slow"}}),
        [("warn", "node.example is degraded.")],
    ),
    "a node that is down": (state(HEALTHY | {"status": "down"}), [("error", "node.example is down.")]),
    "stand-ins": (
        state(HEALTHY | {"insecure": ["local chain: its keys are public"]}),
        [("warn", "This node is for development only.")],
    ),
    "no credit, and behind": (
        state(HEALTHY | {"account_event_listener_lag_seconds": 99}, creditCents=0),
        [("error", "node.example is 99 seconds behind the chain."), ("warn", "No credit.")],
    ),
    "another origin": (
        state(verification=VERIFIED | {"isHost": False, "checks": [{"name": "Host", "passed": False, "text": ""}]}),
        [("error", "This is not the attested origin.")],
    ),
    "another origin, but proven": (
        state(verification=VERIFIED | {"isHost": False, "proven": {"node": "https://node.example"}}),
        [],
    ),
    "a contradiction": (
        state(verification=VERIFIED | {"checks": [{"name": "Compose file", "passed": False, "text": ""}]}),
        [("error", "What the node says of itself does not agree.")],
    ),
    "no attestation": (
        state(verification=VERIFIED | {"host": None, "isHost": False, "checks": [], "error": "none"}),
        [("warn", "The node's attestation could not be read.")],
    ),
}


def test_what_a_reader_must_know_is_said(modules: Path) -> None:
    found = ran_javascript(SHOW, [given for given, _ in CASES.values()], modules)
    shown = [[(each["tone"], each["title"]) for each in banners] for banners in found]
    assert dict(zip(CASES, shown, strict=True)) == {name: expected for name, (_, expected) in CASES.items()}
    behind = found[list(CASES).index("a longer lag")][0]
    assert behind["text"].endswith("Instance abc.")


def test_a_listener_that_stops_is_noticed_within_35_seconds(modules: Path) -> None:
    lags = [0.0, 1.0, 12.5, 29.9, 30.0]
    waits = ran_javascript(READ_AGAIN, [{"account_event_listener_lag_seconds": lag} for lag in lags], modules)
    for lag, wait in zip(lags, waits, strict=True):
        assert 1 <= wait <= 30
        # It stopped some moment after `lag` was read: the lag at the next read says how long that is.
        assert lag + wait > 30 or wait == 30
        assert lag + wait <= 35
    troubled = [{"account_event_listener_lag_seconds": 40}, {"account_event_listener_lag_seconds": None}, None]
    assert ran_javascript(READ_AGAIN, troubled, modules) == [10, 10, 10]


@pytest.mark.exhaustive
def test_days_are_the_readers_also_where_one_is_shorter(modules: Path) -> None:
    days = ran_javascript(SUMS, None, modules)
    assert [(each["day"], each["runs"], each["runCents"], each["changeCents"]) for each in days] == [
        ("2026-03-27", 0, 0, 0),
        ("2026-03-28", 1, 2, 0),
        ("2026-03-29", 1, 3, 1),
        ("2026-03-30", 0, 0, 1),
    ]
