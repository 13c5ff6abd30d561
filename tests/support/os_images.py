"""Machines as the check of the operating system sees them: real ones, and what a hostile host makes of them.

Every machine here is consistent: its log replays into its registers, as it does for a host that really boots what it
likes. What is left to refuse it is the comparison with a known image alone.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from svc_verifier.check import Check, Outcome
from svc_verifier.checks.os import check_os
from svc_verifier.formats.event_log import Event, boot_identity, parse_event_log, parse_events, replay
from svc_verifier.formats.quote import TdReport, parse_quote
from svc_verifier.material import Boot, ProviderAnswers, VerifiedQuote
from svc_verifier.os_image.images import OsImage
from svc_verifier.trust import DevelopmentRoot, OsMeasurements, Trust
from tests.support.fixtures import FIXTURES, quote_bytes, read_json

LITE = "dstack/tdx-lite-getquote.json"
GIBIBYTE = 1024**3
KMS = b"\x4b" * 20
OTHER = hashlib.sha384(b"something else").digest()


@dataclass(frozen=True, slots=True)
class Machine:
    """What a host shows of a machine: its configuration as JSON values, the events, and MRTD."""

    vm_config: dict[str, Any]
    events: tuple[Event, ...]
    report: TdReport

    def with_config(self, **changes: Any) -> "Machine":
        """The same machine, otherwise described; None takes a member away."""
        config = {key: value for key, value in {**self.vm_config, **changes}.items() if value is not None}
        return replace(self, vm_config=config)

    def with_mrtd(self, mrtd: bytes) -> "Machine":
        """The same machine with other firmware."""
        return replace(self, report=replace(self.report, mr_td=mrtd))

    def with_events(self, events: Sequence[Event]) -> "Machine":
        """A machine that measured other things."""
        return replace(self, events=tuple(events))

    def with_digest(self, register: int, place: int, digest: bytes) -> "Machine":
        """A machine that measured something else at one place of a register."""
        at = [index for index, event in enumerate(self.events) if event.register == register][place]
        return self.with_events(
            [replace(event, digest=digest) if index == at else event for index, event in enumerate(self.events)]
        )

    def with_document(self, measurement: bytes, checksums: bytes | None = None) -> "Machine":
        """The same machine, whose host states another document and, unless given, what would bind it."""
        made = f"{hashlib.sha256(measurement).hexdigest()}  measurement.tdx.cbor\n".encode()
        bound = made if checksums is None else checksums
        document = {
            "measurement": base64.b64encode(measurement).decode(),
            "checksum_file": base64.b64encode(bound).decode(),
        }
        return self.with_config(os_image_hash=hashlib.sha256(bound).hexdigest(), tdx_measurement=document)

    @property
    def measurement(self) -> bytes:
        """The stated measurement document."""
        return base64.b64decode(self.vm_config["tdx_measurement"]["measurement"])

    @property
    def os_image_hash(self) -> bytes:
        """The stated image hash."""
        return bytes.fromhex(self.vm_config["os_image_hash"])


def check(machine: Machine, trust: Trust, chain: ProviderAnswers | None = None) -> dict[str, Check]:
    """What the stage says of a machine, by check."""
    return by_id(outcome(machine, trust, chain))


def outcome(machine: Machine, trust: Trust, chain: ProviderAnswers | None = None) -> Outcome[OsImage]:
    """The stage's answer for a machine whose quote and log passed."""
    return check_os(json.dumps(machine.vm_config), *vouched(machine), chain, trust)


def vouched(machine: Machine) -> tuple[Boot, VerifiedQuote]:
    """The machine as earlier stages would hand it on: with the registers that its events lead to."""
    report = replace(machine.report, rtmrs=replay(machine.events))
    quote = replace(parse_quote(quote_bytes(LITE)), report=report)
    boot = Boot(machine.events, boot_identity(machine.events))
    return boot, VerifiedQuote(quote, "UpToDate", (), "90C06F000000", "platform", b"", 18)


def by_id(made: Outcome[OsImage]) -> dict[str, Check]:
    """The checks of an outcome; each id once."""
    read = {check.id: check for check in made.checks}
    assert len(read) == len(made.checks)
    return read


def trusting(**pins: Any) -> Trust:
    """A trust that pins what is given; `development` puts it under a development root."""
    root = DevelopmentRoot(b"root") if pins.pop("development", False) else None
    return Trust(host="node.example", app_id=bytes(20), chain_id=8453, development_root=root, **pins)


def pinned(machine: Machine, os_image_hash: bytes) -> OsMeasurements:
    """What a user who measured the machine's image himself would pin."""
    digests = {number: [event.digest for event in machine.events if event.register == number] for number in range(3)}
    return OsMeasurements(
        os_image_hash=os_image_hash,
        mrtd=machine.report.mr_td,
        kernel=digests[1][0],
        command_line=digests[2][0],
        initrd=digests[2][1],
    )


def quoted_machine(name: str, **config: Any) -> Machine:
    """A fixture that is a GetQuote answer; `config` stands where it states no configuration."""
    answer = read_json(name)
    events = parse_event_log(answer["event_log"])
    report = parse_quote(quote_bytes(name)).report
    assert replay(events) == report.rtmrs
    return Machine(json.loads(answer.get("vm_config") or "{}") | config, events, report)


def described_machine(name: str, **config: Any) -> Machine:
    """A fixture that is a tcb_info: its registers stand where a quote's would."""
    tcb_info = read_json(name)
    events = parse_events(tcb_info["event_log"])
    assert [register.hex() for register in replay(events)] == [tcb_info[f"rtmr{n}"] for n in range(4)]
    report = replace(parse_quote(quote_bytes(LITE)).report, mr_td=bytes.fromhex(tcb_info["mrtd"]))
    stated = {"os_image_hash": tcb_info["os_image_hash"]} if tcb_info["os_image_hash"] else {}
    return Machine(stated | config, events, report)


def simulator_fixture() -> Machine:
    """dstack's own simulator's attestation: SCALE, version 0, with a quote and the 33 events of newer firmware."""
    data = (FIXTURES / "dstack/attestation.bin").read_bytes()
    length, position = _compact(data, 2)
    report = parse_quote(data[position : position + length]).report
    count, position = _compact(data, position + length)
    items: list[dict[str, object]] = []
    for _ in range(count):
        fields, position = _scale_event(data, position)
        items.append(fields)
    events = parse_events(items)
    assert replay(events) == report.rtmrs
    config = json.loads(data[data.index(b'{"kms_urls"') :])["vm_config"]
    return Machine(json.loads(config), events, report)


def _scale_event(data: bytes, position: int) -> tuple[dict[str, object], int]:
    register, event_type = (int.from_bytes(data[at : at + 4], "little") for at in (position, position + 4))
    position += 8
    parts: list[bytes] = []
    for _ in range(3):
        length, position = _compact(data, position)
        parts.append(data[position : position + length])
        position += length
    named = {"digest": parts[0].hex(), "event": parts[1].decode(), "event_payload": parts[2].hex()}
    return {"imr": register, "event_type": event_type, **named}, position


def _compact(data: bytes, position: int) -> tuple[int, int]:
    """A SCALE compact integer and where the next field begins."""
    width = (1, 2, 4)[data[position] & 3]
    return int.from_bytes(data[position : position + width], "little") >> 2, position + width


MACHINES: dict[str, Callable[[], Machine]] = {
    "dstack lite": lambda: quoted_machine(LITE),
    "dstack quote-report": lambda: quoted_machine("dstack/quote-report.json"),
    "dstack simulator": simulator_fixture,
    "near-mpc": lambda: described_machine("near-mpc/mpc-attestation-tcb_info.json", memory_size=64 * GIBIBYTE),
    "near-mpc dev": lambda: described_machine("near-mpc/mpc-attestation-tcb_info_dev.json", memory_size=64 * GIBIBYTE),
    "near-mpc test": lambda: described_machine("near-mpc/test-utils-tcb_info.json", memory_size=64 * GIBIBYTE),
    "shade": lambda: described_machine("shade/tcb_info.json", memory_size=64 * GIBIBYTE),
}
"""Real machines of dstack 0.5 and 0.6; the memory of those that do not state theirs is the one that fits."""

ANY = trusting()
"""Nothing is pinned."""
