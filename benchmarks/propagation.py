"""Measures how soon node B of one chain applies a grant or revocation made through node A."""

import random
import tempfile
import time
from pathlib import Path

from benchmarks.aims import Finding, delays
from tests.support.two_nodes import SwitchedKey, TwoNodes, two_nodes

ROUNDS = 25
POLL_S = 1.0
"""Polling of both nodes, so that polling is measured in a minute; the default is 10 s."""
WEBSOCKET_BOUND_S = 1.0
GIVE_UP_S = 30.0


def propagation() -> list[Finding]:
    """Measures with the websocket of B's provider, then with polling only."""
    return [
        *_measured("websocket", websocket=True, bound_s=WEBSOCKET_BOUND_S),
        *_measured(f"polling every {POLL_S:.0f} s", websocket=False, bound_s=POLL_S),
    ]


def _measured(how: str, *, websocket: bool, bound_s: float) -> list[Finding]:
    with (
        tempfile.TemporaryDirectory() as directory,
        two_nodes(Path(directory), {"listener_poll_s": POLL_S}, websocket=websocket) as nodes,
    ):
        key = SwitchedKey.made(nodes)
        rounds = [_round(nodes, key) for _ in range(ROUNDS)]
    late_grants = sum(1 for granted_at_once, _, _ in rounds if not granted_at_once)
    late_denials = sum(1 for _, denied_at_once, _ in rounds if not denied_at_once)
    return [
        Finding(f"{how}: grants through A that B did not know at its first call, of {ROUNDS}", late_grants, "", 0),
        Finding(f"{how}: revocations through A that A did not know at its next call, of {ROUNDS}", late_denials, "", 0),
        *delays(f"{how}: revoked through A until B refuses", [took for _, _, took in rounds], bound_s),
    ]


def _round(nodes: TwoNodes, key: SwitchedKey) -> tuple[bool, bool, float]:
    """Returns whether B allows at once, whether A then denies at once, and B's delay to deny."""
    key.switch(granted=True)
    granted_at_once = key.status_on(nodes.b) == 200
    assert key.status_on(nodes.a) == 200
    time.sleep(random.uniform(0, POLL_S))  # vary the distance from a poll
    key.switch(granted=False)
    revoked = time.perf_counter()
    denied_at_once = key.status_on(nodes.a) == 403
    while key.status_on(nodes.b) == 200:
        assert time.perf_counter() - revoked < GIVE_UP_S
    return granted_at_once, denied_at_once, time.perf_counter() - revoked
