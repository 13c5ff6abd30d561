"""Memory that clients make the node hold: bounded for all of them together, and for each address."""

from collections import Counter
from typing import Final

_ADDRESSES_AT_LEAST: Final = 2
"""One address holds at most half, so that one client alone never takes everything."""


class ByteBudget:
    """At most `max_bytes` held for all addresses, and half of that for one (of `rate_limit_client`)."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._of_all = 0
        self._held: Counter[str] = Counter()

    @property
    def held_bytes(self) -> int:
        """The bytes held for all addresses."""
        return self._of_all

    def hold(self, address: str, count: int) -> bool:
        """Hold `count` bytes more; False, and nothing held, when all together or this address may not."""
        of_all, own = self._of_all + count, self._held[address] + count
        if of_all > self._max_bytes or own > self._max_bytes // _ADDRESSES_AT_LEAST:
            return False
        self._of_all, self._held[address] = of_all, own
        return True

    def give_back(self, address: str, count: int) -> None:
        """Hold `count` bytes less."""
        self._of_all -= count
        take_off(self._held, address, count)


def take_off(counter: "Counter[str]", name: str, count: int) -> None:
    """Subtract from a count; an empty count is removed, so that the counter stays small."""
    counter[name] -= count
    if not counter[name]:
        del counter[name]
