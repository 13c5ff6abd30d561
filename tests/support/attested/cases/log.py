"""The event log (spec 13.3; test_holes.py, 1 and 2)."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from devkit.tee_simulator.options import EventFault
from tests.support.attested.case import HARDWARE, LOG, NO_BOOT, Case, accepted, case
from tests.support.attested.look import Look
from tests.support.attested.td import OTHER_SEED, EventLog, Td, development_options, runtime

OTHER: Final = hashlib.sha256(b"other code").digest()
FORGED: Final = NO_BOOT | LOG
NO_REPLAY: Final = NO_BOOT
NO_ORDER: Final = NO_BOOT | {"log.application-events"}


def at(log: EventLog, name: str) -> int:
    """Where the event of that name stands."""
    return next(place for place, event in enumerate(log) if event["event"] == name)


def shown(change: Callable[[EventLog], object]) -> Callable[[Look], None]:
    """The attestation's log alone is another than was measured."""

    def tamper(look: Look) -> None:
        log: EventLog = json.loads(look.attestation["event_log"])
        change(log)
        look.attestation["event_log"] = json.dumps(log)

    return tamper


def measured(change: Callable[[EventLog], object], **options: Any) -> Td:
    """A TD that measured something else, truly."""

    def changed(log: EventLog) -> EventLog:
        change(log)
        return log

    return Td(options=development_options(**options), measured=changed)


def fault(value: EventFault, **options: Any) -> Td:
    """One of the simulator's."""
    return Td(options=development_options(events=value, **options))


def moved(name: str, before: str) -> Callable[[EventLog], object]:
    """One event in front of another."""

    def change(log: EventLog) -> None:
        event = log.pop(at(log, name))
        log.insert(at(log, before), event)

    return change


def swapped(log: EventLog) -> None:
    """Another payload under the true digest, which is stated (hole 1)."""
    event = log[at(log, "compose-hash")]
    preimage = event["event_type"].to_bytes(4, "little") + b":compose-hash:" + bytes.fromhex(event["event_payload"])
    event.update(event_payload=OTHER.hex(), digest=hashlib.sha384(preimage).hexdigest())


def text(value: str) -> Callable[[Look], object]:
    """Any other text as the log."""
    return lambda look: look.attestation.update(event_log=value)


V2: Final = {"event_version": 2}

LOG_CASES: Final[tuple[Case, ...]] = (
    # holes
    case("payload swap with the digest kept", "log.form", FORGED, tamper=shown(swapped)),
    case("simulator: swapped payload", "log.form", FORGED, td=fault(EventFault.SWAPPED_PAYLOAD)),
    case("simulator: swapped payload, digests filled", "log.form", FORGED, td=fault(EventFault.SWAPPED_PAYLOAD, filled_digests=True)),
    case("simulator: retyped event", "log.form", FORGED, td=fault(EventFault.RETYPED)),
    case("retyped event that keeps its digest", "log.form", FORGED,
         tamper=shown(lambda log: log[at(log, "compose-hash")].update(event_type=13, digest="ab" * 48))),
    case("simulator: an event of register 9", "log.form", FORGED, td=fault(EventFault.FOREIGN_REGISTER), evidence_td=Td()),
    case("an event of register 9 named compose-hash, first", "log.form", FORGED,
         tamper=shown(lambda log: log.insert(0, {**runtime("compose-hash", OTHER), "imr": 9}))),
    case("an event of a negative register", "log.form", FORGED, tamper=shown(lambda log: log[0].update(imr=-1))),
    case("a runtime event in another register", "log.form", FORGED,
         tamper=shown(lambda log: log.append({**runtime("compose-hash", OTHER), "imr": 2}))),
    accepted("simulator: the application names an event compose-hash", "log.application-events", td=fault(EventFault.AFTER_READY)),
    accepted("the application writes events of its own", "log.application-events",
             td=measured(lambda log: log.append(runtime("app-id", bytes(20))))),
    case("another node's quote and log, relayed", "hardware.signatures evidence.quote",
         NO_BOOT - {"evidence.quote"} | LOG | HARDWARE - {"hardware.signatures"} | {"freshness.statement"}, td=Td(seed=OTHER_SEED)),
    # form
    case("log: no JSON", "log.form", FORGED, tamper=text("[")),
    case("log: an object", "log.form", FORGED, tamper=text("{}")),
    case("log: a key twice", "log.form", FORGED, tamper=text('[{"imr":3,"imr":9}]')),
    case("log: nested without end", "log.form", FORGED, tamper=text("[" * 100_000)),
    case("log: an event without register", "log.form", FORGED, tamper=shown(lambda log: log[0].pop("imr"))),
    case("log: a digest too short", "log.form", FORGED, tamper=shown(lambda log: log[0].update(digest="ab"))),
    case("log: a firmware event without digest", "log.form", FORGED, tamper=shown(lambda log: log[0].update(digest=""))),
    case("log: a register that is a truth value", "log.form", FORGED, tamper=shown(lambda log: log[0].update(imr=True))),
    # replay
    case("log: empty", "log.replay log.boot-order", NO_ORDER, tamper=text("[]")),
    case("log: an event left out", "log.replay log.boot-order", NO_ORDER, tamper=shown(lambda log: log.pop(at(log, "app-id")))),
    case("log: an optional event left out", "log.replay", NO_REPLAY, tamper=shown(lambda log: log.pop(at(log, "storage-fs")))),
    case("log: another compose hash, digest left out", "log.replay", NO_REPLAY,
         tamper=shown(lambda log: log[at(log, "compose-hash")].update(event_payload=OTHER.hex()))),
    case("log: another app id, digest left out", "log.replay", NO_REPLAY,
         tamper=shown(lambda log: log[at(log, "app-id")].update(event_payload="11" * 20))),
    case("log: another firmware digest", "log.replay", NO_REPLAY, tamper=shown(lambda log: log[0].update(digest="ab" * 48))),
    case("log: an event added at the end", "log.replay", NO_REPLAY | {"log.application-events"},
         tamper=shown(lambda log: log.append(runtime("x")))),
    case("log: one of another boot", "log.replay", NO_REPLAY,
         tamper=lambda look: look.attestation.update(event_log=Td(seed=OTHER_SEED).quote(bytes(64))["event_log"])),
    # boot order, truly measured
    case("simulator: no compose-hash event", "log.boot-order", NO_ORDER, td=fault(EventFault.MISSING)),
    case("simulator: two compose-hash events", "log.boot-order", NO_ORDER, td=fault(EventFault.DUPLICATE)),
    case("simulator: compose-hash after system-ready", "log.boot-order", NO_ORDER, td=fault(EventFault.OUT_OF_ORDER)),
    case("measured: no system-ready", "log.boot-order", NO_ORDER, td=measured(lambda log: log.pop(at(log, "system-ready")))),
    case("measured: no key provider", "log.boot-order", NO_ORDER, td=measured(lambda log: log.pop(at(log, "key-provider")))),
    case("measured: two app ids", "log.boot-order", NO_ORDER,
         td=measured(lambda log: log.insert(at(log, "compose-hash"), runtime("app-id", bytes(20))))),
    case("measured: an unknown event before system-ready", "log.boot-order", NO_ORDER,
         td=measured(lambda log: log.insert(at(log, "storage-fs"), runtime("backdoor")))),
    case("measured: a name that swallows part of its payload", "log.boot-order", NO_ORDER,
         td=measured(lambda log: log[at(log, "storage-fs")].update(event="storage-fs:ext", event_payload=b"4".hex()))),
    case("measured: key provider before the app id", "log.boot-order", NO_ORDER, td=measured(moved("key-provider", "app-id"))),
    case("measured: an app id of 19 bytes", "log.boot-order", NO_ORDER,
         td=measured(lambda log: log[at(log, "app-id")].update(event_payload="11" * 19))),
    accepted("measured: without the optional events", td=measured(lambda log: [log.pop(at(log, "storage-fs")), log.pop(at(log, "os-image-hash"))])),
    accepted("measured: with an init script", td=measured(lambda log: log.insert(at(log, "instance-id"), runtime("init-script-hash", OTHER)))),
    # versions
    accepted("log of version 2", td=Td(options=development_options(**V2))),
    accepted("log of version 2 with digests", td=Td(options=development_options(**V2, filled_digests=True))),
    accepted("log of version 1 with digests", td=Td(options=development_options(filled_digests=True))),
    case("version 2: another payload beside the old preimage", "log.form", FORGED, td=Td(options=development_options(**V2)),
         tamper=shown(lambda log: log[at(log, "compose-hash")].update(event_payload=OTHER.hex()))),
    case("version 2: without the preimage", "log.form", FORGED, td=Td(options=development_options(**V2)),
         tamper=shown(lambda log: log[at(log, "compose-hash")].pop("preimage"))),
    case("version 2: said to be version 1", "log.replay", NO_REPLAY, td=Td(options=development_options(**V2)),
         tamper=shown(lambda log: [log[at(log, "compose-hash")].pop(key) for key in ("version", "preimage")])),
    case("version 3", "log.form", FORGED, td=Td(options=development_options(**V2)),
         tamper=shown(lambda log: log[at(log, "compose-hash")].update(version=3))),
    case("version 2: swapped payload of the simulator", "log.form", FORGED,
         td=fault(EventFault.SWAPPED_PAYLOAD, **V2)),
)  # fmt: skip
