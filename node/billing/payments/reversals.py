"""How much of a payment is taken back, by refunds and disputes that come in any order. Pure.

What is taken back at any time is what the refunds and disputes in force add up to, and never more than was received.
Each of them, and each end of one (a failed refund, a dispute won, wholly or in part), changes the account's credit by the
difference that it makes when it is counted; so in every order the differences add up to the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reversal:
    """A refund or dispute (`thing` names it) that takes `wanted_cents` back, or the end of one that gives so many back.

    `cents` is by what the account's credit changes; None: not counted yet.
    """

    cause: str
    thing: str
    wanted_cents: int
    takes_back: bool
    cents: int | None = None


def counted(received_cents: int, reversals: Sequence[Reversal]) -> Mapping[str, int]:
    """By cause: what each one that is not counted yet changes the account's credit by."""
    known = [reversal for reversal in reversals if reversal.cents is not None]
    changes: dict[str, int] = {}
    for reversal in reversals:
        if reversal.cents is None:
            before = taken_back(received_cents, known)
            known.append(reversal)
            changes[reversal.cause] = before - taken_back(received_cents, known)
    return changes


def taken_back(received_cents: int, reversals: Sequence[Reversal]) -> int:
    """What is taken back while just these are known; what came back of a thing counts also when its end was told first."""
    given_back = {reversal.thing: reversal.wanted_cents for reversal in reversals if not reversal.takes_back}
    kept = [
        max(0, reversal.wanted_cents - given_back.get(reversal.thing, 0))
        for reversal in reversals
        if reversal.takes_back
    ]
    return min(received_cents, sum(kept))
