"""The event log: what it may say, that it gives the quote's registers, and who booted (attestation.md, 2.1 B)."""

from svc_verifier.catalogue import failed, not_made, passed, unknown
from svc_verifier.check import Check, Group, Outcome
from svc_verifier.checks.dependency import group_not_made
from svc_verifier.errors import VerifierError
from svc_verifier.formats.boot import BootIdentity, boot_identity
from svc_verifier.formats.event_log import Event, parse_event_log, replay
from svc_verifier.verified import Boot, VerifiedQuote


def check_log(event_log: str | None, verified: VerifiedQuote | None) -> Outcome[Boot]:
    """`event_log` is the JSON text beside the quote, empty where none is there, None without a quote. Nothing in it counts until it replays into a verified quote."""
    if event_log is None:
        return group_not_made("hardware.quote", Group.LOG)
    if not event_log:
        missing = unknown("log.form", "no event log is beside the quote", "A guest agent's GetQuote returns both.")
        return Outcome((missing, *group_not_made("log.form", Group.LOG).checks[1:]), None)
    try:
        events = parse_event_log(event_log)
    except VerifierError as error:
        rest = group_not_made("log.form", Group.LOG).checks[1:]
        return Outcome((failed("log.form", error.message), *rest), None)
    form = passed("log.form", events=str(len(events)))
    if verified is None:
        return Outcome((form, *group_not_made("hardware.signatures", Group.LOG).checks[1:]), None)
    replayed = _replay(events, verified)
    order, identity = _boot(events)
    counts = replayed.status == "passed" and identity is not None
    boot = Boot(events, identity) if counts and identity is not None else None
    return Outcome((form, replayed, order, _application_events(identity)), boot)


def _replay(events: tuple[Event, ...], verified: VerifiedQuote) -> Check:
    registers, stated = replay(events), verified.quote.report.rtmrs
    evidence = {f"rtmr{number}": register.hex() for number, register in enumerate(registers)}
    wrong = [number for number in range(4) if registers[number] != stated[number]]
    if wrong:
        number = wrong[0]
        why = f"RTMR{number} replays to {registers[number].hex()}, the quote says {stated[number].hex()}"
        return failed("log.replay", why, "Somebody changed the log, or it belongs to another TD.", **evidence)
    return passed("log.replay", **evidence)


def _boot(events: tuple[Event, ...]) -> tuple[Check, BootIdentity | None]:
    try:
        identity = boot_identity(events)
    except VerifierError as error:
        return failed("log.boot-order", error.message), None
    names = ", ".join(event.name for event in events if event.is_runtime)
    return passed("log.boot-order", events=names[:500]), identity


def _application_events(identity: BootIdentity | None) -> Check:
    if identity is None:
        return not_made("log.application-events", "log.boot-order")
    if identity.application_events:
        names = ", ".join(identity.application_events[:20])
        return unknown("log.application-events", f"the application wrote {names}", "Nothing is read from these.")
    return passed("log.application-events")
