"""Which idempotency key a call bears, and when it is looked for instead. Pure.

The processor answers a key for a day as it did first, also when that was a fault of its own: with one key for ever such a
call would never be done. So the keys of one thing follow one another, from when it was asked for. With every key but the
first the thing is looked for at the processor before it is done; and before a key is left there is a rest, in which
whatever was begun with it ends, so that the look sees it.
"""

from dataclasses import dataclass

from node.billing.payments.limits import PaymentLimits
from node.processor.port import Fault, ProcessorError


@dataclass(frozen=True, slots=True)
class Turn:
    """The number of the key that counts at a time; `rests`: nothing is begun with it any more."""

    number: int
    rests: bool

    @property
    def looks_first(self) -> bool:
        """An earlier key may have done it."""
        return self.number > 0

    def require(self) -> None:
        """Raises ProcessorError `unavailable` while it rests."""
        if self.rests:
            raise ProcessorError(Fault.UNAVAILABLE, "an earlier call with this key is given the time to end")


def turn_at(asked_s: float, now_s: float, limits: PaymentLimits) -> Turn:
    """The turn of a thing that was asked for at `asked_s`; unix seconds."""
    age_s = max(0.0, now_s - asked_s)
    number, into_s = divmod(age_s, limits.key_life_s)
    return Turn(int(number), into_s >= limits.key_life_s - limits.key_rest_s)
