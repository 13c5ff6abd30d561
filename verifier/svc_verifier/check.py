"""Checks with their status, the catalogue of all of them, and the verdict that follows."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")


class Status(StrEnum):
    """Outcome of a check. `unknown` never counts as passed."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Undecided. A source was out of reach, or the node is too old to say."""
    SKIPPED = "skipped"
    """Not applicable under the user's options, which the check's `why` names."""


class Group(StrEnum):
    """Subject of a check, in the order of the chain of proof."""

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
    """Result of one check. `id` is its stable name, `claim` the sentence that holds if it passed.

    `evidence` holds the compared values by name, as hex or short text. `why` says why it did not
    pass, `fix` what the user can do. `depends_on` is the check to mend first, without which this
    one could not be made, or whose fault this one repeats.
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
    """Result of one stage, with a value for later stages, or None if they may not use it."""

    checks: tuple[Check, ...]
    value: Value | None


@dataclass(frozen=True, slots=True)
class Definition:
    """Row of the catalogue. Acceptance needs every `required` check to pass or be skipped."""

    number: int
    id: str
    claim: str
    required: bool = True


_ROWS: Final = (
    ("hardware.quote", "The quote is a well-formed Intel TDX quote of version 4 or 5.", True),
    (
        "hardware.signatures",
        "Its signatures and certificates end in the pinned root, and nothing in the chain is revoked.",
        True,
    ),
    (
        "hardware.signers",
        "TCB info, QE identity and PCK certificate were signed by the certificates meant for that.",
        True,
    ),
    (
        "hardware.collateral",
        "The collateral is valid at the time of verification and not older than the policy allows.",
        True,
    ),
    ("hardware.tcb-status", "The platform's TCB status is one the policy accepts.", True),
    (
        "hardware.td-attributes",
        "The TD is neither debuggable, profiled nor migratable, has no unknown feature, and no service TD is bound to it.",
        True,
    ),
    ("hardware.td-owner", "MROWNER and MROWNERCONFIG are unset, or those that the user pinned.", True),
    (
        "hardware.tdx-module",
        "The TDX module is one of Intel's, by the collateral, and a pinned one where one is pinned.",
        True,
    ),
    ("hardware.platform", "The platform is one of those the user pinned.", False),
    (
        "log.form",
        "Every event names a register it may extend, and every stated runtime digest follows from its type, name and payload.",
        True,
    ),
    ("log.replay", "Replaying the event log gives RTMR0 to RTMR3 of the quote.", True),
    ("log.boot-order", "The boot events are those of dstack, each once, in order, before system-ready.", True),
    ("log.application-events", "The application wrote no events of its own after boot.", False),
    ("identity.app-compose", "The served app-compose hashes to the stated compose hash.", True),
    ("identity.compose-measured", "That hash is the one measured into RTMR3 at boot.", True),
    ("identity.mr-config-id", "MRCONFIGID of the quote binds the same compose hash, or is unset.", True),
    ("identity.app-id", "The app id measured at boot is the pinned one, and /info states the same.", True),
    ("identity.info", "The measurements, instance id and event log that /info states are those of the quote.", True),
    ("identity.key-provider", "The keys come from a KMS, the pinned one.", True),
    (
        "os.measurements",
        "MRTD and RTMR0 to RTMR2 are those of a known operating system image on the stated machine.",
        True,
    ),
    ("os.acpi-tables", "The ACPI tables, which the host wrote and the kernel executes, are known ones.", True),
    ("os.allowed", "That image is pinned by the user or allowed by the platform's KMS contract.", True),
    ("os.production", "The image is no development image.", True),
    (
        "code.form",
        "The app-compose and its docker compose file are read without doubt: no duplicate key, include, extends or build.",
        True,
    ),
    ("code.images", "Every container image is pinned by its sha256 digest.", True),
    ("code.scripts", "No script runs beside the containers.", True),
    (
        "code.privileges",
        "No container reaches the container engine, is privileged or shares a namespace of the TD.",
        True,
    ),
    ("code.host-input", "What the host may still change decides nothing the user did not accept.", True),
    ("code.settings", "The app-compose's own settings (public logs, clock, key service) are safe.", False),
    ("code.members", "Every member of the app-compose is one whose meaning is known, or one the user accepts.", True),
    ("evidence.checksums", "Every file of the evidence set is listed in sha256sum.txt with its hash.", True),
    ("evidence.quote", "The evidence quote is genuine and its report data is the hash of sha256sum.txt.", True),
    ("evidence.same-td", "The evidence quote and the attestation come from the same TD.", True),
    ("evidence.account", "The ACME account of the evidence set is stated.", False),
    ("tls.certificate", "The certificate of this very connection is the one in the evidence set.", True),
    ("tls.connection", "Attestation and certificate were taken from the same connection.", True),
    ("tls.web-pki", "The certificate is valid for the host in the Web PKI.", True),
    ("tls.caa", "CAA allows only the attested ACME account to issue certificates for the host.", False),
    (
        "freshness.statement",
        "The quote was made for this verification: it binds the nonce, the host, the TLS key and the configuration.",
        True,
    ),
    ("freshness.evidence", "The evidence set is not older than its certificate allows.", False),
    ("governance.chain", "The endpoints are of the pinned chain.", True),
    ("governance.endpoints", "Two independent endpoints gave the same answers at one block.", True),
    ("governance.contract", "There is a contract at the pinned app id.", True),
    ("governance.compose-allowed", "The contract allows the measured compose hash.", True),
    ("governance.owner", "The contract's owner is one the user pinned.", False),
    ("governance.upgradeability", "The contract's code cannot be replaced unnoticed.", False),
    ("governance.policy", "The contract's device and TCB policy is known.", False),
    (
        "governance.allowed-set",
        "Every compose hash that may obtain the same keys is known, and when each was added.",
        False,
    ),
    ("governance.pending", "No further approval is scheduled.", False),
    ("config.chain", "The node's accounts are on the pinned chain.", True),
    ("config.contract", "The node uses the pinned account contract.", True),
    ("config.domain", "The node is set up for the host that was asked for.", True),
    ("config.rpc-providers", "The node believes pinned RPC providers and no others.", True),
    ("config.kms-key", "The node takes its keys from the pinned key service and no other.", True),
    ("accounts.contract", "There is a contract at the pinned address of the account contract.", True),
    ("accounts.code", "Its code is that of a published build.", True),
    ("accounts.views", "The module that answers its views is the published one.", True),
    ("accounts.delay", "What its owner changes waits at least as long as pinned.", True),
    ("accounts.owner", "Its owner is one the user pinned.", True),
    ("accounts.scheduled", "Its owner has scheduled no change.", True),
    ("accounts.admin-payer", "Its admin payer is the key that the attested enclave holds.", True),
    ("accounts.history", "The admin payer has never been another one.", True),
    ("accounts.payers", "Those who speak for managed accounts are known.", True),
)

CATALOGUE: Final[Mapping[str, Definition]] = {
    identifier: Definition(number, identifier, claim, required)
    for number, (identifier, claim, required) in enumerate(_ROWS, start=1)
}

SPECIFICATION: Final = (
    "hardware.signatures",
    "identity.app-compose",
    "code.images",
    "tls.certificate",
    "evidence.checksums",
    "evidence.quote",
    "governance.compose-allowed",
)
"""The specification's own checks, which the JSON report lists by themselves."""

RECORDED: Final = ("tls.", "governance.", "accounts.", "freshness.", "os.allowed")
"""Checks whose material only the bundle's author vouches for. All others prove themselves."""


def passed(identifier: str, **evidence: str) -> Check:
    """Returns a check that holds."""
    return Check(identifier, Status.PASSED, CATALOGUE[identifier].claim, evidence)


def failed(identifier: str, why: str, fix: str = "", **evidence: str) -> Check:
    """Returns a check that was decided against the node."""
    return Check(identifier, Status.FAILED, CATALOGUE[identifier].claim, evidence, why, fix)


def unknown(identifier: str, why: str, fix: str = "", **evidence: str) -> Check:
    """Returns a check that could not be decided."""
    return Check(identifier, Status.UNKNOWN, CATALOGUE[identifier].claim, evidence, why, fix)


def not_made(identifier: str, depends_on: str, **evidence: str) -> Check:
    """Returns a check that could not be made because the check `depends_on` did not pass."""
    why = f"it depends on {depends_on}, which did not pass"
    return Check(identifier, Status.UNKNOWN, CATALOGUE[identifier].claim, evidence, why, depends_on=depends_on)


def skipped(identifier: str, why: str, **evidence: str) -> Check:
    """Returns a check that does not apply; `why` names what the user asked for."""
    return Check(identifier, Status.SKIPPED, CATALOGUE[identifier].claim, evidence, why)


FILES_FIX: Final = "Verify the host itself: `svc-verify https://HOST`."
"""Advice where a check needs a connection and files were given."""


def group_not_made(depends_on: str, group: Group) -> "Outcome[Value]":
    """Returns every check of `group` as not made, because the check `depends_on` did not pass."""
    names = [name for name in CATALOGUE if name.startswith(f"{group}.")]
    return Outcome(tuple(not_made(name, depends_on) for name in names), None)


def group_unreadable(group: Group, message: str) -> "Outcome[Value]":
    """Returns a stage over unreadable bytes, in which the first check fails and the rest depends.

    For governance and accounts it is unknown, since the bytes come from providers, not the host.
    """
    first, *rest = (name for name in CATALOGUE if name.startswith(f"{group}."))
    made = unknown(first, message) if group in {Group.GOVERNANCE, Group.ACCOUNTS} else failed(first, message)
    return Outcome((made, *(not_made(name, first) for name in rest)), None)


EVIDENCE_ENTRIES: Final = 4_096
EVIDENCE_CHARACTERS: Final = 262_144
WHY_CHARACTERS: Final = 16_384


def bounded(check: Check) -> Check:
    """Returns the check with evidence and reason cut, since an attacker chose their length."""
    evidence: dict[str, str] = {}
    left = EVIDENCE_CHARACTERS
    for name, value in itertools.islice(check.evidence.items(), EVIDENCE_ENTRIES):
        if len(name) + len(value) > left:
            evidence["…"] = f"{len(check.evidence) - len(evidence)} more"
            break
        left -= len(name) + len(value)
        evidence[name] = value
    why = check.why if len(check.why) <= WHY_CHARACTERS else f"{check.why[:WHY_CHARACTERS]}…"
    return replace(check, evidence=evidence, why=why)


class Verdict(StrEnum):
    """Verdict that follows from all checks."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"

    @property
    def exit_code(self) -> int:
        """Exit code of `svc-verify`: 0 accepted, 10 rejected, 20 undecided."""
        return {Verdict.ACCEPTED: 0, Verdict.REJECTED: 10, Verdict.UNDECIDED: 20}[self]


@dataclass(frozen=True, slots=True)
class Report:
    """All checks of one verification, in the catalogue's order.

    `development` marks a verdict that rests on a DEV root, `imported` one over given files.
    """

    host: str
    now_s: int
    development: bool
    replayed: bool
    checks: tuple[Check, ...]
    imported: bool = False

    @property
    def verdict(self) -> Verdict:
        """Rejected if any check failed, undecided if a required one is unknown, else accepted."""
        return verdict_of(self.checks, [name for name, row in CATALOGUE.items() if row.required])

    @property
    def deciding(self) -> tuple[str, ...]:
        """Ids of all failed checks, else of every required one that is unknown."""
        failed = tuple(check.id for check in self.checks if check.status is Status.FAILED)
        return failed or tuple(c.id for c in self.checks if c.status is Status.UNKNOWN and CATALOGUE[c.id].required)

    @property
    def causes(self) -> tuple[Check, ...]:
        """Checks to mend, which are those that decide, each traced to its cause, each once."""
        by_id = {check.id: check for check in self.checks}
        found: dict[str, Check] = {}
        for name in self.deciding:
            check = _root(by_id[name], by_id)
            found[check.id] = check
        return tuple(found.values())


def _root(check: Check, by_id: Mapping[str, Check]) -> Check:
    """Returns the end of the chain of `depends_on`. A failed check leads to failed ones only."""
    for _ in by_id:  # no chain is longer
        next_one = by_id.get(check.depends_on)
        bad = {Status.FAILED} if check.status is Status.FAILED else {Status.FAILED, Status.UNKNOWN}
        if next_one is None or next_one.status not in bad:
            break
        check = next_one
    return check


def verdict_of(checks: Sequence[Check], required: Iterable[str]) -> Verdict:
    """Returns the verdict. A failure rejects; a missing or unknown required check is undecided."""
    # Optional checks reject too when they fail. Not required means that they may stay undecided.
    if any(check.status is Status.FAILED for check in checks):
        return Verdict.REJECTED
    # By name, since a required check that is absent counts as undecided (spec 13.2).
    decided = {check.id for check in checks if check.status in {Status.PASSED, Status.SKIPPED}}
    return Verdict.ACCEPTED if decided.issuperset(required) else Verdict.UNDECIDED
