"""Whether there is memory for one more action: by the last measurement, and by what was let in since. Pure."""

from dataclasses import dataclass

from node.engine.admission.limits import AdmissionLimits


@dataclass(frozen=True, slots=True)
class Measured:
    """Memory in bytes: what the container may use, and what is left of it."""

    total_bytes: int
    available_bytes: int


class Headroom:
    """What is known of memory. Before the first measurement nothing is refused for it."""

    def __init__(self, limits: AdmissionLimits) -> None:
        self._limits = limits
        self._spare_bytes: int | None = None
        self._since = 0

    def measured(self, memory: Measured, held_bytes: int, beginning: int = 0) -> int:
        """Note a measurement, with what all actions hold but those `beginning`, let in and without a process yet.

        Answers how many bytes too few there are, 0 when enough.
        """
        reserve_bytes = self.reserve_bytes(memory)
        spare_bytes = memory.available_bytes - reserve_bytes
        lacking_bytes = reserve_bytes // 2 - memory.available_bytes
        if self._limits.memory_together_bytes:
            spare_bytes = min(spare_bytes, self._limits.memory_together_bytes - held_bytes)
            lacking_bytes = max(lacking_bytes, held_bytes - self._limits.memory_together_bytes)
        self._spare_bytes = spare_bytes
        self._since = beginning
        return max(lacking_bytes, 0)

    def reserve_bytes(self, memory: Measured) -> int:
        """What is kept free."""
        share_bytes = memory.total_bytes * self._limits.memory_reserve_percent // 100
        return max(self._limits.memory_reserve_bytes, share_bytes)

    def started(self) -> None:
        """One more is let in; the next measurement sees it."""
        self._since += 1

    def for_one_more(self) -> bool:
        """Whether another may be let in."""
        return self._spare_bytes is None or self._spare_bytes >= (self._since + 1) * self._limits.start_bytes
