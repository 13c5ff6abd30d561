"""Checks that the event log replays to the quote's registers, and of the booted identity."""

from svc_verifier.check import Check, Group, Outcome, Status, failed, group_not_made, not_made, passed, unknown
from svc_verifier.errors import VerifierError
from svc_verifier.formats.event_log import (
    RUNTIME_REGISTER,
    BootIdentity,
    Event,
    boot_identity,
    parse_event_log,
    replay,
)
from svc_verifier.material import Boot, VerifiedQuote


def check_log(event_log: str | None, verified: VerifiedQuote | None) -> Outcome[Boot]:
    """Check `event_log`, the JSON text beside the quote; empty if absent, None without a quote."""
    # No log is parsed without a quote, since the log's faults would hide the cause.
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
    # The host provides the log. Only its replay to signed registers makes it evidence.
    replayed = _replay(events, verified)
    if replayed.status is Status.UNKNOWN:
        return Outcome((form, replayed, *group_not_made("log.replay", Group.LOG).checks[2:]), None)
    order, identity = _boot(events)
    # Both are needed, since registers prove no identity and an identity alone is the host's word.
    counts = replayed.status is Status.PASSED and identity is not None
    boot = Boot(events, identity) if counts and identity is not None else None
    return Outcome((form, replayed, order, _application_events(identity)), boot)


def _replay(events: tuple[Event, ...], verified: VerifiedQuote) -> Check:
    # All four. RTMR0 to RTMR2 bind the machine and the image, RTMR3 the application.
    registers, stated = replay(events), verified.quote.report.rtmrs
    evidence = {f"rtmr{number}": register.hex() for number, register in enumerate(registers)}
    wrong = [number for number in range(4) if registers[number] != stated[number]]
    # A firmware's log is like this, correct and without anything that dstack measures.
    if wrong == [RUNTIME_REGISTER] and not any(event.is_runtime for event in events):
        why = f"the log holds no event of RTMR{RUNTIME_REGISTER}, where dstack measures the application; the others replay"
        return unknown("log.replay", why, "Bring the log of the guest agent: its GetQuote returns it.", **evidence)
    if wrong:
        number = wrong[0]
        why = f"RTMR{number} replays to {registers[number].hex()}, the quote says {stated[number].hex()}"
        return failed("log.replay", why, "The log was changed, or it belongs to another TD.", **evidence)
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
    # Code in the TD wrote them after boot. They are no part of its identity.
    if identity.application_events:
        names = ", ".join(identity.application_events[:20])
        return unknown("log.application-events", f"the application wrote {names}", "Nothing is read from these.")
    return passed("log.application-events")
