"""Which nodes that share a database are gone, told by their silence. Pure.

Nodes' clocks need not agree, and none is believed: whoever judges counts, by a clock of its own, how long it saw another's
beat stand still. Where it could not look, because the database was out or it was stopped itself, it begins anew:
the others may have been kept from beating by the same.
"""

from collections.abc import Mapping, Sequence


class Silences:
    """Judged gone is who did not beat for `lease_s` while it was looked at, with gaps of `longest_gap_s` at most."""

    def __init__(self, lease_s: float, longest_gap_s: float) -> None:
        self._lease_s = lease_s
        self._longest_gap_s = longest_gap_s
        self._since: dict[str, tuple[int, float]] = {}
        self._looked_at: float | None = None

    def observe(self, beats: Mapping[str, int], now: float) -> Sequence[str]:
        """The lives among these that are gone, at a monotonic time in seconds."""
        if self._looked_at is None or now - self._looked_at > self._longest_gap_s:
            self._since.clear()
        self._looked_at = now
        known = self._since
        self._since = {
            life: known[life] if life in known and known[life][0] == beat else (beat, now)
            for life, beat in beats.items()
        }
        return [life for life, (_, since) in self._since.items() if now - since >= self._lease_s]
