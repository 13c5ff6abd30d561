"""The outcome of a verification: every check, and the verdict that follows from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from svc_verifier.catalogue import CATALOGUE, SPECIFICATION
from svc_verifier.check import Check, Status


class Verdict(StrEnum):
    """What follows from all checks."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"

    @property
    def exit_code(self) -> int:
        """The exit code of `svc-verify`: 0 accepted, 10 rejected, 20 could not decide."""
        return {Verdict.ACCEPTED: 0, Verdict.REJECTED: 10, Verdict.UNDECIDED: 20}[self]


@dataclass(frozen=True, slots=True)
class Report:
    """All checks of one verification, in the catalogue's order.

    `development` marks a verdict that rests on a DEV root, `imported` one over files that somebody brought.
    """

    host: str
    now_s: int
    development: bool
    replayed: bool
    checks: tuple[Check, ...]
    imported: bool = False

    @property
    def verdict(self) -> Verdict:
        """Rejected when any check failed, undecided when a required one is unknown, else accepted."""
        return verdict_of(self.checks, [name for name, row in CATALOGUE.items() if row.required])

    @property
    def deciding(self) -> tuple[str, ...]:
        """The ids that stand in the way of acceptance: every failed check, else every required one without an answer."""
        failed = tuple(check.id for check in self.checks if check.status is Status.FAILED)
        return failed or tuple(c.id for c in self.checks if c.status is Status.UNKNOWN and CATALOGUE[c.id].required)

    @property
    def specification_verdict(self) -> Verdict:
        """The same over the specification's own checks alone."""
        own = [check for check in self.checks if check.id in SPECIFICATION]
        return verdict_of(own, SPECIFICATION)


def verdict_of(checks: Sequence[Check], required: Iterable[str]) -> Verdict:
    """One failure rejects; a required check that is absent or unknown leaves it undecided."""
    if any(check.status is Status.FAILED for check in checks):
        return Verdict.REJECTED
    decided = {check.id for check in checks if check.status in {Status.PASSED, Status.SKIPPED}}
    return Verdict.ACCEPTED if decided.issuperset(required) else Verdict.UNDECIDED
