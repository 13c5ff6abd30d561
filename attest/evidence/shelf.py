"""The evidence sets that can be read: the current one, and some before it."""

from dataclasses import dataclass, field

from attest.evidence.sets import EvidenceSet


@dataclass(slots=True)
class EvidenceShelf:
    """Sets by name. A change is one assignment, so a reader sees the old set or the new one, whole.

    `awaited`: a set is being made, or will be; where it is not, this node has no evidence and never will.
    """

    previous_sets: int
    awaited: bool = False
    problem: str | None = None
    """Why there is no newer set though one is wanted; shown to anybody."""
    _sets: tuple[EvidenceSet, ...] = field(default=())

    @property
    def current(self) -> EvidenceSet | None:
        """The newest set."""
        return self._sets[0] if self._sets else None

    @property
    def previous(self) -> tuple[EvidenceSet, ...]:
        """Those before it, newest first."""
        return self._sets[1:]

    def named(self, name: str) -> EvidenceSet | None:
        """The set of this name, current or previous."""
        return next((each for each in self._sets if each.name == name), None)

    def put(self, newest: EvidenceSet) -> None:
        """Make this the current set. One of the same name is replaced: its certificates are the same."""
        others = tuple(each for each in self._sets if each.name != newest.name)
        self._sets = (newest, *others[: self.previous_sets])
        self.problem = None


@dataclass(frozen=True, slots=True)
class ReadySet:
    """A set that only waits to be shown (`attest.certificates.port.PreparedEvidence`)."""

    shelf: EvidenceShelf
    ready: EvidenceSet

    def publish(self) -> None:
        """Make it the current set."""
        self.shelf.put(self.ready)
