"""Verifies a host repeatedly and reports changes of code, owner, certificate and platform."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import click

from svc_verifier.check import Verdict
from svc_verifier.checks.tls import connection_leaf
from svc_verifier.errors import Exit
from svc_verifier.formats.addresses import HostAddress
from svc_verifier.gathering.gather import Sources
from svc_verifier.rendering.text import DEV, moment, plain, verdict_line
from svc_verifier.session import Verification, look
from svc_verifier.trust import Trust

VERDICT: Final = "verdict"
WATCHED: Final = {
    "compose hash": ("identity.compose-measured", "measured"),
    "owner": ("governance.owner", "owner"),
    "pending owner": ("governance.owner", "pending_owner"),
    "scheduled approvals": ("governance.pending", "scheduled"),
    "account contract's owner": ("accounts.owner", "owner"),
    "account contract's pending owner": ("accounts.owner", "pending_owner"),
    "admin payer": ("accounts.admin-payer", "named"),
    "replacements of the admin payer": ("accounts.history", "replacements"),
    "payers": ("accounts.payers", "payers"),
    "scheduled owner change": ("accounts.scheduled", "scheduled"),
    "contract code": ("governance.upgradeability", "code_hash"),
    "TCB status": ("hardware.tcb-status", "status"),
}
"""Watched values beside verdict, certificate and allowed set, by check and name in evidence."""


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one value between two verifications; empty where it was absent."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Observation:
    """Result of one verification, with changes since each value was last seen."""

    verification: Verification
    facts: Mapping[str, str]
    changes: tuple[Change, ...]


async def watch(
    address: HostAddress, trust: Trust, sources: Sources, interval_s: float, looks: int | None = None
) -> AsyncIterator[Observation]:
    """Yields a verification at once and every `interval_s` seconds, `looks` times or without end.

    An undecided verdict is no change, nor is an acceptance that follows only such.
    """
    facts: Mapping[str, str] = {}
    seen = 0
    while looks is None or seen < looks:
        if seen:
            await asyncio.sleep(interval_s)
        verification = await look(address, trust, sources)
        found = facts_of(verification)
        # An undecided verdict proves nothing about the host.
        decided = {name: value for name, value in found.items() if (name, value) != (VERDICT, Verdict.UNDECIDED.value)}
        # Acceptance after undecided verdicts is no change; a rejection is reported.
        accepted = {VERDICT: Verdict.ACCEPTED.value}
        known = {**(accepted if accepted.items() <= decided.items() else {}), **facts}
        # The first verification has no changes.
        yield Observation(verification, found, tuple(changes(known, decided)) if seen else ())
        # An unseen value keeps its last known one, so that a change is found across a failure.
        facts = {**facts, **decided}
        seen += 1


def facts_of(verification: Verification) -> Mapping[str, str]:
    """Returns the values a verification saw, by name. Its verdict tells that others are absent."""
    checks = {check.id: check for check in verification.report.checks}
    facts = {VERDICT: verification.report.verdict.value}
    leaf = connection_leaf(verification.material)
    if leaf is not None:
        facts["certificate"] = hashlib.sha256(leaf.der).hexdigest()
    for name, (identifier, member) in WATCHED.items():
        value = checks[identifier].evidence.get(member) if identifier in checks else None
        if value is not None:
            facts[name] = value
    allowed = checks.get("governance.allowed-set")
    if allowed is not None and allowed.evidence:
        facts["allowed compose hashes"] = ", ".join(sorted(allowed.evidence))
    return facts


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    """Yields the values that both verifications saw and that differ, and new ones."""
    for name, value in after.items():
        if before.get(name, "") != value:
            yield Change(name, before.get(name, ""), value)


VALUE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Options of `svc-verify watch`. `looks` None goes on until interrupted."""

    interval_s: float
    looks: int | None
    exit_on_change: bool
    as_json: bool


async def watch_host(
    host: HostAddress,
    trust: Trust,
    sources: Sources,
    options: WatchOptions,
) -> int:
    """Watch a host and print each observation.

    Returns the exit code of the last verdict, or 10 after a change if `exit_on_change` is set.
    """
    code = int(Exit.UNDECIDED)
    write = _as_json if options.as_json else _as_text
    async for observation in watch(host, trust, sources, options.interval_s, options.looks):
        write(observation)
        code = observation.verification.report.verdict.exit_code
        if options.exit_on_change and observation.changes:
            return Exit.REJECTED
    return code


def _as_json(observation: Observation) -> None:
    report = observation.verification.report
    changed = [{"what": each.what, "before": each.before, "after": each.after} for each in observation.changes]
    line = {
        "now_s": report.now_s,
        "development": report.development,
        "facts": dict(observation.facts),
        "changes": changed,
    }
    click.echo(json.dumps(line))


def _as_text(observation: Observation) -> None:
    report = observation.verification.report
    mark = f"{DEV} " if report.development else ""
    click.echo(f"{mark}{moment(report.now_s)} {verdict_line(report)}")
    for change in observation.changes:
        before = plain(change.before, VALUE_CHARACTERS) or "nothing"
        click.echo(f"{mark}  CHANGED {change.what}: {before} -> {plain(change.after, VALUE_CHARACTERS)}")
