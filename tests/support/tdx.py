"""TDX quotes and event logs made by hand, from the tables of the specification and no code of ours."""

import hashlib
import json
import struct

RUNTIME = 0x08000001
V4_SIGNED_LENGTH = 632
"""Header and TD report 1.0: what the attestation key of a version 4 quote signs."""

REPORT_FIELDS = {
    "tee_tcb_svn": (0, 16),
    "mr_seam": (16, 48),
    "mr_signer_seam": (64, 48),
    "seam_attributes": (112, 8),
    "td_attributes": (120, 8),
    "xfam": (128, 8),
    "mr_td": (136, 48),
    "mr_config_id": (184, 48),
    "mr_owner": (232, 48),
    "mr_owner_config": (280, 48),
    "rtmr0": (328, 48),
    "rtmr1": (376, 48),
    "rtmr2": (424, 48),
    "rtmr3": (472, 48),
    "report_data": (520, 64),
    "tee_tcb_svn2": (584, 16),
    "mr_service_td": (600, 48),
    "td_id": (649, 32),
    "dev_info": (681, 48),
    "init_service_td_hash": (729, 48),
    "init_tee_fmspc": (817, 12),
    "cur_service_td_hash": (829, 48),
}
"""Offset and length of each field in the body of a quote.

The fields of TD report 1.5 begin at 584, those of its extended form at 648.
"""


def fields_of(body: bytes) -> dict[str, bytes]:
    """The fields that a body of this length has, by their places in the table."""
    return {name: body[at : at + length] for name, (at, length) in REPORT_FIELDS.items() if at < len(body)}


def signature_part(chain: bytes = b"PEM", auth: bytes = bytes(32)) -> bytes:
    """A signature part whose lengths add up, of zeros."""
    inner = bytes(384) + bytes(64) + struct.pack("<H", len(auth)) + auth + struct.pack("<HI", 5, len(chain)) + chain
    return bytes(64) + bytes(64) + struct.pack("<HI", 6, len(inner)) + inner


def report_body(length: int = 584) -> bytes:
    """A TD report whose bytes count up, so that every field's place shows."""
    return bytes(index % 251 for index in range(length))


def with_bytes(data: bytes, *changes: tuple[int, bytes]) -> bytes:
    """The same bytes with others at these offsets."""
    for offset, value in changes:
        data = data[:offset] + value + data[offset + len(value) :]
    return data


def quote_v4(signature: bytes | None = None, trailing: bytes = b"") -> bytes:
    """A version 4 quote around `report_body()`."""
    header = struct.pack("<HHIHH", 4, 2, 0x81, 1, 2) + bytes(range(16)) + bytes(range(20))
    part = signature_part() if signature is None else signature
    return header + report_body() + struct.pack("<I", len(part)) + part + trailing


def quote_v5(body_type: int = 3, length: int = 648, announced: int | None = None) -> bytes:
    """A version 5 quote with a body of that type and length."""
    header = struct.pack("<HHIHH", 5, 2, 0x81, 1, 2) + bytes(range(16)) + bytes(range(20))
    body = struct.pack("<HI", body_type, length if announced is None else announced) + report_body(length)
    part = signature_part()
    return header + body + struct.pack("<I", len(part)) + part


def runtime_event(name: str, payload: bytes = b"", digest: bytes | None = None) -> dict[str, object]:
    """A version 1 runtime event; its digest is left empty unless given."""
    return {
        "imr": 3,
        "event_type": RUNTIME,
        "digest": "" if digest is None else digest.hex(),
        "event": name,
        "event_payload": payload.hex(),
    }


def runtime_event_v2(name: str, payload: bytes = b"") -> dict[str, object]:
    """A version 2 runtime event with its preimage and digest."""
    preimage = json.dumps(
        {"name": name, "payload": payload.hex(), "type": RUNTIME}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    digest = hashlib.sha384(preimage).hexdigest()
    return {**runtime_event(name, payload), "version": 2, "preimage": preimage.hex(), "digest": digest}


def boot_log() -> list[dict[str, object]]:
    """A whole boot, in order, with one firmware event a register."""
    firmware: list[dict[str, object]] = [
        {"imr": imr, "event_type": 4, "digest": f"{imr + 1:02x}" * 48, "event": "", "event_payload": ""}
        for imr in (0, 1, 2)
    ]
    runtime = [
        runtime_event("system-preparing"),
        runtime_event("app-id", b"\xaa" * 20),
        runtime_event("compose-hash", b"\xbb" * 32),
        runtime_event("instance-id", b"\xcc" * 20),
        runtime_event("boot-mr-done"),
        runtime_event("key-provider", b'{"name":"kms","id":"00"}'),
        runtime_event("system-ready"),
    ]
    return [*firmware, *runtime]
