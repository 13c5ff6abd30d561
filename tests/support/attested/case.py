"""One way in which a node, or whoever stands before it, may be wrong, and exactly what a verifier must say of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from svc_verifier.check import Verdict
from svc_verifier.material import Material
from svc_verifier.trust import Trust
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import Td

HARDWARE: Final = frozenset(
    f"hardware.{name}" for name in ("signatures", "signers", "collateral", "tcb-status", "tdx-module")
)
LOG: Final = frozenset({"log.replay", "log.boot-order", "log.application-events"})
IDENTITY: Final = frozenset(
    f"identity.{name}" for name in ("app-compose", "compose-measured", "mr-config-id", "app-id", "info", "key-provider")
)
INFO: Final = frozenset(f"identity.{name}" for name in ("app-compose", "compose-measured", "app-id", "info"))
OS_REST: Final = frozenset({"os.acpi-tables", "os.allowed", "os.production"})
CODE: Final = frozenset(
    f"code.{name}" for name in ("form", "images", "scripts", "privileges", "host-input", "settings", "members")
)
NO_EVIDENCE: Final = frozenset({"tls.certificate", "freshness.evidence"})
"""What rests on the evidence set."""

NO_BOOT: Final = (
    IDENTITY
    | OS_REST
    | CODE
    | NO_EVIDENCE
    | {"os.measurements", "evidence.same-td", "governance.compose-allowed", "governance.allowed-set"}
)
"""What rests on a log that replays and names who booted."""

NO_STATEMENT: Final = frozenset(
    {
        "config.chain",
        "config.contract",
        "config.domain",
        "config.rpc-providers",
        "config.kms-key",
        "accounts.admin-payer",
    }
)
"""What rests on a statement."""

NO_QUOTE: Final = NO_BOOT | LOG | {"freshness.statement"}
"""What rests on a genuine quote, beside what rests on a statement."""

ACCOUNTS: Final = frozenset(
    f"accounts.{name}"
    for name in ("contract", "code", "views", "delay", "owner", "scheduled", "admin-payer", "history", "payers")
)


@dataclass(frozen=True, kw_only=True)
class Case:
    """`failed` and `unknown` are exactly the checks that end so; all others pass or are skipped."""

    name: str
    td: Td = field(default_factory=Td)
    evidence_td: Td | None = None
    tamper: Callable[[Look], object] | None = None
    trust: Mapping[str, Any] = field(default_factory=dict)
    failed: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    verdict: Verdict = Verdict.REJECTED

    def seen(self) -> tuple[Material, Trust]:
        """What is looked at, and with what trust; the root is the good TD's own."""
        look = Look(td=self.td, evidence_td=self.evidence_td)
        if self.tamper is not None:
            self.tamper(look)
        return look.material(), development_trust(**self.trust)


def case(
    name: str,
    failed: str = "",
    unknown: frozenset[str] | str = frozenset(),
    *,
    td: Td | None = None,
    evidence_td: Td | None = None,
    tamper: Callable[[Look], object] | None = None,
    trust: Mapping[str, Any] | None = None,
) -> Case:
    """A case whose verdict follows from whether anything failed; one without failures leaves something undecided.

    What rests on a statement is undecided where the statement did not pass.
    """
    undecided = frozenset(unknown.split()) if isinstance(unknown, str) else unknown
    if "freshness.statement" in undecided | frozenset(failed.split()):
        undecided |= NO_STATEMENT
    verdict = Verdict.REJECTED if failed else Verdict.UNDECIDED
    return Case(
        name=name,
        td=td or Td(),
        evidence_td=evidence_td,
        tamper=tamper,
        trust=trust or {},
        failed=frozenset(failed.split()),
        unknown=undecided,
        verdict=verdict,
    )


def accepted(
    name: str,
    unknown: str = "",
    *,
    td: Td | None = None,
    tamper: Callable[[Look], object] | None = None,
    trust: Mapping[str, Any] | None = None,
) -> Case:
    """A case that is still good, with what is left open of the checks that acceptance does not need."""
    return Case(
        name=name,
        td=td or Td(),
        tamper=tamper,
        trust=trust or {},
        unknown=frozenset(unknown.split()),
        verdict=Verdict.ACCEPTED,
    )
