"""One simulated TD: its quotes, its log and what `/info` shows, with ways to be another TD than it should be."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from attest.responses import Info, published_info
from devkit.tee_simulator.authorities import Authorities, certificate_authorities
from devkit.tee_simulator.options import SimulatorOptions
from devkit.tee_simulator.platform import SimulatedPlatform
from devkit.tee_simulator.seed import raw_signature, seeded_key

SEED: Final = hashlib.sha256(b"svc verifier tests: a seed of their own").digest()
OTHER_SEED: Final = hashlib.sha256(b"svc verifier tests: somebody else's platform").digest()
APP_ID: Final = bytes.fromhex("00a11ce0000000000000000000000000000a11ce")
NOW_S: Final = 1_790_000_000
"""2026-09-21, 14:13:20 UTC."""

SIGNED: Final = 632
"""Header and TD report of a version 4 quote; then the length of the signature, and at 636 the signature itself."""

RTMR0: Final = 376
RTMR3: Final = 520
MR_CONFIG_ID: Final = 232
TD_ATTRIBUTES: Final = 168
XFAM: Final = 176
MR_OWNER: Final = 280
RUNTIME_TYPE: Final = 0x08000001

EventLog = list[dict[str, Any]]


def development_options(**changes: Any) -> SimulatorOptions:
    """Those of a good TD of the app, changed."""
    return SimulatorOptions(**({"app_id": APP_ID} | changes))


@dataclass(frozen=True, kw_only=True)
class Td:
    """`measured` changes what was really measured: the registers follow it. `shown` changes the log alone, a forgery.

    `report` holds bytes of the signed part by their offset; the attestation key signs whatever stands there.
    """

    seed: bytes = SEED
    options: SimulatorOptions = field(default_factory=development_options)
    now_s: int = NOW_S
    measured: Callable[[EventLog], EventLog] | None = None
    shown: Callable[[EventLog], EventLog] | None = None
    report: Mapping[int, bytes] = field(default_factory=dict)

    @cached_property
    def platform(self) -> SimulatedPlatform:
        """The simulator's own."""
        return SimulatedPlatform(self.seed, self.options, lambda: self.now_s)

    @cached_property
    def authorities(self) -> Authorities:
        """Who signs for the platform."""
        return certificate_authorities(self.seed)

    @cached_property
    def root_der(self) -> bytes:
        """The certificate that stands in the place of Intel's."""
        return x509.load_pem_x509_certificate(self.platform.root_pem.encode()).public_bytes(Encoding.DER)

    @cached_property
    def collateral(self) -> dict[str, str]:
        """What the platform's maker says of it, as JSON values."""
        read: dict[str, str] = json.loads(self.platform.collateral().text)
        return read

    def quote(self, report_data: bytes) -> dict[str, str]:
        """The answer of GetQuote."""
        answer: dict[str, Any] = dict(self.platform.get_quote({"report_data": report_data.hex()}))
        log: EventLog = json.loads(answer["event_log"])
        changes = dict(self.report)
        if self.measured is not None:
            log = self.measured(log)
            changes = {RTMR0 + 48 * index: value for index, value in enumerate(registers(log))} | changes
        if changes:
            answer["quote"] = self.signed(bytes.fromhex(answer["quote"]), changes).hex()
        answer["event_log"] = json.dumps(self.shown(log) if self.shown else log)
        return answer

    def info(self) -> dict[str, Any]:
        """The answer of `/info`, as the node publishes it: consistent with what was measured."""
        answer = dict(published_info(Info.model_validate(self.platform.info({}))))
        if self.measured is not None or self.report:
            quoted = self.quote(bytes(64))
            tcb: dict[str, Any] = dict(answer["tcb_info"])  # type: ignore[arg-type]
            raw = bytes.fromhex(quoted["quote"])
            tcb |= {"mrtd": raw[184:232].hex()}
            tcb |= {f"rtmr{i}": raw[RTMR0 + 48 * i : RTMR0 + 48 * i + 48].hex() for i in range(4)}
            aggregated = hashlib.sha256(raw[184:232] + raw[RTMR0:568] + _configured(raw[232:376])).hexdigest()
            log = json.loads(self.platform.get_quote({"report_data": ""})["event_log"])  # type: ignore[arg-type]
            tcb |= {"mr_aggregated": aggregated, "event_log": self.measured(log) if self.measured else log}
            answer |= {"tcb_info": tcb, "mr_aggregated": aggregated}
        return answer

    def signed(self, quote: bytes, changes: Mapping[int, bytes]) -> bytes:
        """The quote with other bytes in its signed part, under a good signature."""
        raw = bytearray(quote)
        for offset, value in changes.items():
            assert offset + len(value) <= SIGNED
            raw[offset : offset + len(value)] = value
        raw[636:700] = raw_signature(seeded_key(self.seed, "attestation"), bytes(raw[:SIGNED]))
        return bytes(raw)

    def as_version_5(
        self,
        quote: bytes,
        service_td: bytes = bytes(48),
        extension: bytes = b"",
        body_type: int | None = None,
        tee_tcb_svn2: bytes | None = None,
    ) -> bytes:
        """The same in a version 5 quote with a TD report 1.5, of the extended form when an extension of 237 bytes is given.

        `tee_tcb_svn2` is that of the launch where none is given.
        """
        header = (5).to_bytes(2, "little") + quote[2:48]
        body = quote[48:SIGNED] + (tee_tcb_svn2 or quote[48:64]) + service_td + extension
        kind = body_type if body_type is not None else 4 if extension else 3
        signed = header + kind.to_bytes(2, "little") + len(body).to_bytes(4, "little") + body
        signature = raw_signature(seeded_key(self.seed, "attestation"), signed)
        return signed + quote[SIGNED:636] + signature + quote[700:]


def registers(log: EventLog) -> list[bytes]:
    """RTMR0 to RTMR3 of what was measured, by the rule of the specification."""
    values = [bytes(48)] * 4
    for event in log:
        values[event["imr"]] = hashlib.sha384(values[event["imr"]] + _digest(event)).digest()
    return values


def runtime(name: str, payload: bytes = b"") -> dict[str, Any]:
    """A version 1 runtime event without its digest."""
    return {"imr": 3, "event_type": RUNTIME_TYPE, "digest": "", "event": name, "event_payload": payload.hex()}


def _digest(event: dict[str, Any]) -> bytes:
    if event["imr"] != 3:
        return bytes.fromhex(event["digest"])
    if event.get("version") == 2:
        return hashlib.sha384(bytes.fromhex(event["preimage"])).digest()
    prefix = RUNTIME_TYPE.to_bytes(4, "little") + b":" + event["event"].encode() + b":"
    return hashlib.sha384(prefix + bytes.fromhex(event["event_payload"])).digest()


def _configured(fields: bytes) -> bytes:
    return fields if any(fields) else b""
