"""Checks of the code that runs, its images, other programs, and the host's input."""

from collections.abc import Iterator

from svc_verifier.check import Check, Group, Outcome, failed, group_not_made, passed, unknown
from svc_verifier.compose.app_compose import Audit, audit_app_compose
from svc_verifier.compose.known_scripts import known_script
from svc_verifier.compose.tree import Subject
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.trust import Trust

SHOWN_FINDINGS = 16
_FIXES = {
    Subject.FORM: "Ask the operator for a compose file in plain form, or read this one by eye.",
    Subject.IMAGES: "Every image must read NAME@sha256: and 64 hex digits.",
    Subject.PRIVILEGES: "A container that gets out of its bounds can run anything; read why it needs that.",
}


def check_code(app_compose: str | None, trust: Trust) -> Outcome[Audit]:
    """Audit the app-compose whose hash was measured; None when there is none to rely on."""
    if app_compose is None:
        return group_not_made("identity.app-compose", Group.CODE)
    try:
        # The measured text, byte for byte. The audit is as strict as the node's own checks.
        audit = audit_app_compose(app_compose)
    except VerifierError as error:
        rest = group_not_made("code.form", Group.CODE).checks[1:]
        # A limit of this program is no fault of the file.
        made = unknown if error.code is VerifierErrorCode.TOO_LARGE else failed
        return Outcome((made("code.form", error.message, _FIXES[Subject.FORM]), *rest), None)
    checks = (
        _of_findings(audit, Subject.FORM),
        _of_findings(audit, Subject.IMAGES, **{f"image {i.service}": i.reference for i in audit.images}),
        _scripts(audit, trust),
        _privileges(audit, trust),
        _host_input(audit, trust),
        _accepted(audit, Subject.SETTINGS, trust),
        _accepted(audit, Subject.MEMBERS, trust),
    )
    return Outcome(checks, audit)


def _of_findings(audit: Audit, subject: Subject, **evidence: str) -> Check:
    texts = list(_texts(audit, subject))
    if texts:
        return failed(subject, "; ".join(texts), _FIXES.get(subject, ""), **evidence)
    return passed(subject, **evidence)


def _scripts(audit: Audit, trust: Trust) -> Check:
    """Check scripts, which no image digest pins. The user may pin their hashes instead."""
    # Unaccepted ones come first, since the author chooses the number of scripts and not all are
    # shown. 1 MB holds 200,000 of one letter.
    by_acceptance = sorted(audit.scripts, key=lambda script: script[1] in trust.scripts)
    evidence = {name: digest.hex() for name, digest in by_acceptance[:SHOWN_FINDINGS]}
    # Measured with the app-compose, but this program does not judge scripts. The table only names
    # known ones, so that its author does not decide what runs beside the containers.
    strange = [_named(name, digest) for name, digest in audit.scripts if digest not in trust.scripts]
    if strange:
        fix = "Read the script, and add its sha256 to `scripts` in trust.toml if you accept it."
        shown = strange[:SHOWN_FINDINGS] + ["…"] * (len(strange) > SHOWN_FINDINGS)
        return failed(Subject.SCRIPTS, f"{', '.join(shown)} runs beside the containers", fix, **evidence)
    return passed(Subject.SCRIPTS, **evidence)


def _named(member: str, digest: bytes) -> str:
    """Returns the member and which known script it is."""
    script = known_script(digest)
    return member if script is None else f"{member} ({script.title})"


def _privileges(audit: Audit, trust: Trust) -> Check:
    """Check privileges. The user may accept paths of the machine, but no way out of a container."""
    accepted = {mount.source for mount in audit.mounts if mount.source in trust.mounts}
    evidence = {"key_holders": ", ".join(audit.key_holders), "accepted_mounts": ", ".join(sorted(accepted))}
    strange = [f"line {m.line}: {m.by} mounts {m.source}" for m in audit.mounts if m.source not in trust.mounts]
    texts = [*_texts(audit, Subject.PRIVILEGES), *strange]
    if not texts:
        return passed(Subject.PRIVILEGES, **{name: value for name, value in evidence.items() if value})
    fix = _FIXES[Subject.PRIVILEGES]
    if strange:
        fix += " A path of the machine that you accept belongs under `mounts` in trust.toml."
    return failed(Subject.PRIVILEGES, "; ".join(texts), fix, **evidence)


def _host_input(audit: Audit, trust: Trust) -> Check:
    """Check the host's values. Those that decide which code runs fail; others may be accepted."""
    # The host sets these after the measurement, so no hash covers them (docs/threat-model.md).
    open_input = [item for item in audit.host_input if item.word not in trust.host_input]
    evidence = {item.word: item.place for item in audit.host_input}
    deciding = [f"{item.word} ({item.place})" for item in open_input if item.decides]
    if deciding:
        why = f"the host decides what runs, or whom it believes, by {', '.join(deciding)}"
        fix = "Accept each by its word with --accept-env, or under `host_input` in trust.toml, only if you know why it is needed."
        return failed(Subject.HOST_INPUT, why, fix, **evidence)
    if open_input:
        names = ", ".join(sorted({item.word for item in open_input}))
        fix = "Read what the program does with each, and list the words you accept in `host_input` in trust.toml."
        return unknown(Subject.HOST_INPUT, f"the host may set {names}", fix, **evidence)
    return passed(Subject.HOST_INPUT, **evidence)


def _accepted(audit: Audit, subject: Subject, trust: Trust) -> Check:
    """Check members of the app-compose that the user has to judge. Accepted ones are only shown."""
    findings = [finding for finding in audit.findings if finding.subject is subject]
    strange = [finding for finding in findings if finding.member not in trust.app_compose_members]
    accepted = [finding.member for finding in findings if finding.member in trust.app_compose_members]
    evidence = {"accepted": ", ".join(accepted)} if accepted else {}
    if not strange:
        return passed(subject, **evidence)
    fix = "Read what it does, and list the names you accept in `app_compose_members` in trust.toml."
    # The author chooses how many there are.
    shown = [finding.text for finding in strange[:SHOWN_FINDINGS]] + ["…"] * (len(strange) > SHOWN_FINDINGS)
    return unknown(subject, "; ".join(shown), fix, **evidence)


def _texts(audit: Audit, subject: Subject) -> Iterator[str]:
    return (finding.text for finding in audit.findings if finding.subject is subject)
