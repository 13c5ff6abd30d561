"""Idempotency keys of calls to the processor: epochs of one object, each with a key of its own. Pure.

For a day the processor repeats its first response to a key, also when that was a fault of its own: with a single key such
a call would never succeed. So keys follow one another, from when the object was asked for. In every epoch but the first
the object is searched for at the processor before it is made. An epoch ends with a pause, in which calls that are under way
end, so that the search finds what they made.
"""

from dataclasses import dataclass
from typing import Final

from node.processor.port import Fault, ProcessorError

KEY_LIFE_S: Final = 3600.0
"""Length of an epoch, far below the day for which the processor keeps a key."""
KEY_PAUSE_S: Final = 300.0
"""Pause at the end of an epoch, far above what one call takes."""


@dataclass(frozen=True, slots=True)
class KeyEpoch:
    """Number of the key that is valid at a time; `is_ending`: no call begins with it any more."""

    number: int
    is_ending: bool

    @property
    def may_exist(self) -> bool:
        """Whether a call with an earlier key may have made it."""
        return self.number > 0

    def require(self) -> None:
        """Raises ProcessorError `unavailable` while the epoch is ending."""
        if self.is_ending:
            raise ProcessorError(Fault.UNAVAILABLE, "an earlier call with this key is given the time to end")


def key_epoch(asked_s: float, now_s: float) -> KeyEpoch:
    """Return the epoch of an object that was asked for at `asked_s`; unix seconds."""
    age_s = max(0.0, now_s - asked_s)
    number, into_s = divmod(age_s, KEY_LIFE_S)
    return KeyEpoch(int(number), into_s >= KEY_LIFE_S - KEY_PAUSE_S)
