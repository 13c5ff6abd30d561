"""Reads one file of evidence: recognises what it is by its own members, never by its name.

`PROFILES` is the whole table of shapes. A document that is of none is refused: a part that is taken for another would
leave out what it says.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json

LIMIT_BYTES: Final = 16_777_216
"""Of one file; reports with quotes of several machines and their processors take a few megabytes."""

NESTING: Final = 24
TEXT_QUOTE: Final = re.compile(rb"\s*(?:0[xX])?[0-9a-fA-F]{64,}\s*")
QUOTE_STARTS: Final = (b"\4\0\2\0\x81\0\0\0", b"\5\0\2\0\x81\0\0\0")
"""Version, attestation key type and TEE type of a TDX quote in binary."""


class Part(StrEnum):
    """A part of the evidence."""

    QUOTE = "quote"
    EVENT_LOG = "event log"
    VM_CONFIG = "vm_config"
    INFO = "info"
    APP_COMPOSE = "app-compose"
    COLLATERAL = "collateral"
    CERTIFICATE = "certificate"


Found = tuple[Part, Json]

MEMBERS: Final[Mapping[Part, tuple[str, ...]]] = {
    Part.QUOTE: ("quote", "intel_quote", "tdx_quote"),
    Part.EVENT_LOG: ("event_log", "eventlog"),
    Part.VM_CONFIG: ("vm_config",),
    Part.INFO: ("info",),
    Part.COLLATERAL: ("collateral", "quote_collateral"),
    Part.CERTIFICATE: ("certificate", "tls_certificate", "certificate_pem", "cert"),
}
"""What a part is called, by those who serve it; the first that is there counts."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Shape of a document: the places of its parts. A document is of the first profile that finds a quote or an /info."""

    name: str
    place: tuple[str, ...]


PROFILES: Final = (
    Profile("a guest agent's GetQuote or Info, /attestation, /info, quote.json, a report endpoint", ()),
    Profile("a report of an AI gateway that names its evidence", ("attestation", "evidence")),
    Profile("a report that wraps its attestation", ("attestation",)),
    Profile("a report of a gateway before its models", ("gateway_attestation",)),
    Profile("public data of an MPC node", ("tee_participant_info", "Dstack")),
)


def read_document(name: str, data: bytes) -> tuple[Found, ...]:
    """Returns the parts in a file's bytes; `name` is for messages. Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_IMPORT)."""
    if len(data) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{name}: more than {LIMIT_BYTES} bytes")
    if data.startswith(QUOTE_STARTS):
        return ((Part.QUOTE, data.hex()),)
    if TEXT_QUOTE.fullmatch(data):
        return ((Part.QUOTE, data.decode().strip()),)
    if data.lstrip().startswith(b"-----BEGIN CERTIFICATE-----"):
        return ((Part.CERTIFICATE, data.decode("latin-1")),)
    read = parse_json(data, name, LIMIT_BYTES, NESTING)
    if isinstance(read, list):
        return (_of_list(name, read),)
    if isinstance(read, dict):
        return _of_object(name, read, data)
    raise _bad(f"{name}: is no evidence that is known")


def quote_hex(value: Json, name: str) -> str:
    """Returns a quote as hex from hex, base64 or a list of bytes. Raises VerifierError(BAD_IMPORT)."""
    if isinstance(value, list):
        value = _bytes(value, name).hex()
    if not isinstance(value, str):
        raise _bad(f"{name}: its quote is neither text nor a list of bytes")
    text = value.strip()
    try:
        return hex_bytes(text).hex()
    except ValueError:
        pass
    try:
        return base64.b64decode(text, validate=True).hex()
    except (binascii.Error, ValueError):
        raise _bad(f"{name}: its quote is neither hex nor base64") from None


def collateral_text(value: Json, name: str) -> str:
    """Returns collateral as dcap-qvl's JSON; some write its bytes as lists. Raises VerifierError(BAD_IMPORT)."""
    read = _nested(value, name)
    if not isinstance(read, dict):
        raise _bad(f"{name}: its collateral is no object")
    return json.dumps({key: _bytes(each, name).hex() if isinstance(each, list) else each for key, each in read.items()})


def info_body(value: Json, name: str) -> bytes:
    """Returns the body of /info; a guest agent writes `tcb_info` as JSON in a text. Raises VerifierError(BAD_IMPORT)."""
    read = _nested(value, name)
    if not isinstance(read, dict):
        raise _bad(f"{name}: its info is no object")
    tcb_info = _nested(read.get("tcb_info"), name)
    if not isinstance(tcb_info, dict):
        raise _bad(f"{name}: its tcb_info is no object")
    if isinstance(tcb_info.get("event_log"), str):
        tcb_info = tcb_info | {"event_log": _nested(tcb_info["event_log"], name)}
    return json.dumps(read | {"tcb_info": tcb_info}).encode()


def json_text(value: Json) -> str:
    """Returns an event log or a vm_config as the text that a quote's answer holds."""
    return value if isinstance(value, str) else json.dumps(value)


def _of_list(name: str, read: list[Json]) -> Found:
    if read and isinstance(read[0], int):
        return Part.QUOTE, _bytes(read, name).hex()
    if read and isinstance(read[0], dict) and "imr" in read[0]:
        return Part.EVENT_LOG, list(read)
    raise _bad(f"{name}: is a list of neither a quote's bytes nor events")


def _of_object(name: str, read: dict[str, Json], data: bytes) -> tuple[Found, ...]:
    if "docker_compose_file" in read and "runner" in read:
        # the exact text is what was measured
        return ((Part.APP_COMPOSE, data.decode()),)
    if "qe_identity" in read:
        return ((Part.COLLATERAL, read),)
    if "mrtd" in read and "rtmr3" in read:
        return ((Part.INFO, {"tcb_info": read}),)
    for profile in PROFILES:
        found = tuple(_parts(_at(read, profile.place)))
        if any(part in {Part.QUOTE, Part.INFO} for part, _ in found):
            return found
    if isinstance(read.get("attestation"), str):
        raise _bad(f"{name}: is a versioned attestation in binary; ask the guest agent for GetQuote, which writes JSON")
    known = "; ".join(profile.name for profile in PROFILES)
    raise _bad(f"{name}: is a document of no known shape; known are {known}; tcb_info; app-compose; collateral")


def _at(read: Json, place: tuple[str, ...]) -> Json:
    for member in place:
        read = read.get(member) if isinstance(read, dict) else None
    return read


def _parts(read: Json) -> Iterator[Found]:
    if not isinstance(read, dict):
        return
    for part, names in MEMBERS.items():
        value = next((read[name] for name in names if read.get(name)), None)
        if value is not None:
            yield part, value
    if not read.get("info") and read.get("tcb_info"):
        yield Part.INFO, read


def _nested(value: Json, name: str) -> Json:
    return parse_json(value, name, LIMIT_BYTES, NESTING) if isinstance(value, str) else value


def _bytes(values: list[Json], name: str) -> bytes:
    if not all(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256 for value in values):
        raise _bad(f"{name}: holds a list that is none of bytes")
    return bytes(value for value in values if isinstance(value, int))


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMPORT, what)
