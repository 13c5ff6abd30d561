"""The outcome of a verification: every check, and the verdict that follows from them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from svc_verifier.check import CATALOGUE, Check, Status


class Verdict(StrEnum):
    """Verdict that follows from all checks."""

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
    def causes(self) -> tuple[Check, ...]:
        """The checks to mend: those that decide, each traced to the check it depends on, each once."""
        by_id = {check.id: check for check in self.checks}
        found: dict[str, Check] = {}
        for name in self.deciding:
            check = _root(by_id[name], by_id)
            found[check.id] = check
        return tuple(found.values())


def _root(check: Check, by_id: Mapping[str, Check]) -> Check:
    """The check at the end of the chain of `depends_on`; a failed check is never traced to one that did not fail."""
    for _ in by_id:  # no chain is longer
        next_one = by_id.get(check.depends_on)
        bad = {Status.FAILED} if check.status is Status.FAILED else {Status.FAILED, Status.UNKNOWN}
        if next_one is None or next_one.status not in bad:
            break
        check = next_one
    return check


def verdict_of(checks: Sequence[Check], required: Iterable[str]) -> Verdict:
    """Return the verdict. A failure rejects; a required check that is absent or unknown leaves it undecided."""
    # Optional checks reject too when they fail: not required means that they may stay undecided.
    if any(check.status is Status.FAILED for check in checks):
        return Verdict.REJECTED
    # By name: a required check that is absent from `checks` counts as undecided (spec 13.2).
    decided = {check.id for check in checks if check.status in {Status.PASSED, Status.SKIPPED}}
    return Verdict.ACCEPTED if decided.issuperset(required) else Verdict.UNDECIDED
