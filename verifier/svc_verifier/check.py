"""One check and its outcome: what is claimed, what was compared, and why it holds or does not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Status(StrEnum):
    """How a check ended. `unknown` never counts as passed."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """It could not be decided: a source was out of reach, or the node is too old to say."""
    SKIPPED = "skipped"
    """It does not apply under what the user asked for, which the check's `why` names."""


class Group(StrEnum):
    """What a check is about, in the order of the chain it closes."""

    HARDWARE = "hardware"
    LOG = "log"
    IDENTITY = "identity"
    OS = "os"
    CODE = "code"
    EVIDENCE = "evidence"
    TLS = "tls"
    FRESHNESS = "freshness"
    GOVERNANCE = "governance"
    CONFIG = "config"
    ACCOUNTS = "accounts"


@dataclass(frozen=True, slots=True)
class Check:
    """One outcome. `id` is one of the catalogue's and stable; `claim` is the sentence that holds when it passed.

    `evidence` holds the values that were compared, by name, as hex or short text. `why` says what was found when it did
    not pass; `fix` what the user can do about it. `depends_on` is the id of the check to mend first: the one without
    which this one could not be made, or whose fault this one shows again.
    """

    id: str
    status: Status
    claim: str
    evidence: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    fix: str = ""
    depends_on: str = ""

    @property
    def group(self) -> Group:
        """The part of the id before the dot."""
        return Group(self.id.partition(".")[0])


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Value]):
    """What one stage says: its checks, and what later stages may rest on; None when it is not to be relied on."""

    checks: tuple[Check, ...]
    value: Value | None
