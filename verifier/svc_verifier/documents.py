"""Reads one document of evidence, from any dstack application, into its parts.

A file is recognised by its members, never by its name; `PROFILES` is the table of shapes. A
document of an unknown shape is refused, since a part that was mistaken for another would be lost.
If a document has several quotes, one object is read and the places of the others are listed.
"""

import contextlib
import json
import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats import json_pointer
from svc_verifier.formats.collateral import with_signed_texts
from svc_verifier.formats.strict_json import Json, base64_bytes, hex_bytes, parse_json, raw_value
from svc_verifier.formats.tcg_log import parse_tcg_log

LIMIT_BYTES: Final = 16_777_216
"""Bytes of one file. Reports with quotes of several machines take a few megabytes."""

NESTING: Final = 24
TEXT_QUOTE: Final = re.compile(rb"\s*(?:0[xX])?[0-9a-fA-F]{64,}\s*")
TEXT_BASE64: Final = re.compile(rb"[A-Za-z0-9+/_=\s-]{64,}")
QUOTE_STARTS: Final = (b"\4\0\2\0\x81\0\0\0", b"\5\0\2\0\x81\0\0\0")
"""Version, attestation key type and TEE type of a TDX quote in binary."""

DER_START: Final = b"\x30\x82"
"""First bytes of a structure of 256 to 65,535 bytes in DER, as every certificate is."""

PEM_START: Final = "-----BEGIN CERTIFICATE-----"
QUOTES_NAMED: Final = 16
"""Quotes that were not judged and are named. The author chose their number."""


class Part(StrEnum):
    """A part of the evidence."""

    QUOTE = "quote"
    EVENT_LOG = "event log"
    FIRMWARE_LOG = "firmware's event log"
    """Log of firmware and kernel alone, which counts only if there is no other."""
    VM_CONFIG = "vm_config"
    INFO = "info"
    APP_COMPOSE = "app-compose"
    COLLATERAL = "collateral"
    CERTIFICATE = "certificate"


Found = tuple[Part, Json]


@dataclass(frozen=True, slots=True)
class Document:
    """Parts of a file. `place` leads to the object that has them, `others` to other quotes.

    If `named`, a user named the place.
    """

    parts: tuple[Found, ...]
    place: json_pointer.Path = ()
    others: tuple[json_pointer.Path, ...] = ()
    named: bool = False


MEMBERS: Final[Mapping[Part, tuple[str, ...]]] = {
    Part.QUOTE: ("quote", "intel_quote", "tdx_quote"),
    Part.EVENT_LOG: ("event_log", "eventlog"),
    Part.FIRMWARE_LOG: ("cc_eventlog",),
    Part.VM_CONFIG: ("vm_config",),
    Part.INFO: ("info",),
    Part.COLLATERAL: ("collateral", "quote_collateral"),
    Part.CERTIFICATE: ("certificate", "tls_certificate", "certificate_pem", "cert"),
}
"""Member names of a part, by server. A document with several must have equal values in them."""

_FIRST_COUNTS: Final = frozenset({Part.COLLATERAL, Part.CERTIFICATE})
"""Parts that prove nothing. Servers differ on these names, and the first one is taken."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Shape of a document, of which the first that finds a quote or an /info counts."""

    name: str
    place: tuple[str, ...]


PROFILES: Final = (
    Profile("a guest agent's GetQuote or Info, /attestation, /info, quote.json, a report endpoint", ()),
    Profile("a report of an AI gateway that names its evidence", ("attestation", "evidence")),
    Profile("a report that wraps its attestation", ("attestation",)),
    Profile("a report of a gateway before its models", ("gateway_attestation",)),
    Profile("public data of an MPC node", ("tee_participant_info", "Dstack")),
)


def read_document(name: str, data: bytes, part: str | None = None) -> Document:
    """Returns what a file's bytes hold; `part` is the JSON pointer of the object to judge.

    Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_IMPORT). `name` is for messages.
    """
    if len(data) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{name}: more than {LIMIT_BYTES} bytes")
    # By content, since the sender chose the name.
    alone = _one_part(data)
    if alone is not None:
        return Document((alone,))
    text = _text(name, data)
    read = parse_json(text, name, LIMIT_BYTES, NESTING)
    place = _named(read, part)
    if place is not None:
        return _of_place(name, read, place, tuple(_parts(json_pointer.at(read, place), place, text)), named=True)
    if isinstance(read, list):
        return Document((_of_list(name, read),))
    if isinstance(read, dict):
        return _of_object(name, read, text)
    raise bad_import(f"{name}: is no evidence that is known")


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise VerifierError(VerifierErrorCode.NOT_JSON, f"{name}: is not UTF-8 at offset {error.start}") from None


def _one_part(data: bytes) -> Found | None:
    """Returns a quote or a certificate that is a whole file, in binary or as text."""
    if data.startswith(QUOTE_STARTS):
        return Part.QUOTE, data.hex()
    if data.startswith(DER_START):
        return Part.CERTIFICATE, list(data)
    if TEXT_QUOTE.fullmatch(data):
        return Part.QUOTE, data.decode().strip()
    if data.lstrip().startswith(PEM_START.encode()):
        return Part.CERTIFICATE, data.decode("latin-1")
    if TEXT_BASE64.fullmatch(data):
        # Hex in several lines too, since its characters are also base64's.
        for decode in (bytes.fromhex, base64_bytes):
            with contextlib.suppress(ValueError):
                binary = decode(data.decode())
                if binary.startswith(QUOTE_STARTS):
                    return Part.QUOTE, binary.hex()
    return None


def quote_hex(value: Json, name: str) -> str:
    """Returns a quote's hex from hex, base64 or bytes. Raises VerifierError(BAD_IMPORT)."""
    if isinstance(value, list):
        value = _bytes(value, name).hex()
    if not isinstance(value, str):
        raise bad_import(f"{name}: its quote is neither text nor a list of bytes")
    try:
        return _binary(value.strip()).hex()
    except ValueError:
        raise bad_import(f"{name}: its quote is neither hex nor base64") from None


def _binary(text: str) -> bytes:
    """Returns the bytes of hex or base64. Raises ValueError."""
    try:
        return hex_bytes(text)
    except ValueError:
        return base64_bytes(text)


def certificate_text(value: Json, name: str) -> Json:
    """Returns a certificate in PEM, from PEM or DER in a list or base64; else the value."""
    if isinstance(value, str) and value.lstrip().startswith(PEM_START):
        return value
    with contextlib.suppress(ValueError, VerifierError):
        der = _bytes(value, name) if isinstance(value, list) else _binary(str(value).strip())
        return ssl.DER_cert_to_PEM_cert(der) if der.startswith(DER_START) else value
    return value


def firmware_log(value: Json, name: str) -> Json:
    """Returns the events of a firmware's log, which may be binary in base64."""
    if not isinstance(value, str) or value.lstrip().startswith("["):
        return value
    try:
        data = base64_bytes(value)
    except ValueError:
        raise bad_import(f"{name}: its firmware's event log is neither base64 nor a list of events") from None
    return parse_tcg_log(data)


def collateral_text(value: Json, name: str) -> str:
    """Returns collateral as dcap-qvl's JSON, also from lists. Raises VerifierError(BAD_IMPORT)."""
    read = nested(value, name)
    if not isinstance(read, dict):
        raise bad_import(f"{name}: its collateral is no object")
    if isinstance(value, str):
        read = with_signed_texts(read, value, LIMIT_BYTES)
    return json.dumps({key: _bytes(each, name).hex() if isinstance(each, list) else each for key, each in read.items()})


def _of_list(name: str, read: list[Json]) -> Found:
    if read and isinstance(read[0], int):
        return Part.QUOTE, _bytes(read, name).hex()
    if read and isinstance(read[0], dict) and "imr" in read[0]:
        return Part.EVENT_LOG, list(read)
    raise bad_import(f"{name}: is a list of neither a quote's bytes nor events{_hint(read)}")


def _of_object(name: str, read: dict[str, Json], text: str) -> Document:
    if "docker_compose_file" in read and "runner" in read:
        # The exact text is what was measured.
        return Document(((Part.APP_COMPOSE, text),))
    if "qe_identity" in read:
        return Document(((Part.COLLATERAL, text),))
    if "mrtd" in read and "rtmr3" in read:
        return Document(((Part.INFO, {"tcb_info": read}),))
    for profile in PROFILES:
        parts = tuple(_parts(json_pointer.at(read, profile.place), profile.place, text))
        # A log or a certificate alone makes no report, since almost every JSON object would be one.
        if any(part in {Part.QUOTE, Part.INFO} for part, _ in parts):
            return _of_place(name, read, profile.place, parts)
    if isinstance(read.get("attestation"), str):
        raise bad_import(
            f"{name}: is a versioned attestation in binary; ask the guest agent for GetQuote, which writes JSON"
        )
    known = "; ".join(profile.name for profile in PROFILES)
    raise bad_import(
        f"{name}: is a document of no known shape{_hint(read)}; known are {known}; tcb_info; app-compose; collateral"
    )


def _named(read: Json, part: str | None) -> json_pointer.Path | None:
    """Returns the path of the object with a quote that a user names; None if it is not here."""
    if part is None:
        return None
    try:
        path, found = json_pointer.find(read, part)
    except LookupError:
        return None
    return path if isinstance(found, dict) and _quotes(found) else None


def _of_place(
    name: str, read: Json, place: json_pointer.Path, parts: tuple[Found, ...], *, named: bool = False
) -> Document:
    """Returns the parts of one object of a document, and where other quotes are."""
    quotes = {quote_hex(value, name) for part, value in parts if part is Part.QUOTE}
    others = (
        path
        for path, found in json_pointer.objects(read)
        # Servers often repeat a quote in several places. These are no other quotes.
        if path != place and not _quotes(found) <= quotes
    )
    return Document(parts, place, tuple(others), named)


def _quotes(read: dict[str, Json]) -> frozenset[str]:
    """Returns the quotes, in hex, that an object itself holds."""
    found = set()
    for name in MEMBERS[Part.QUOTE]:
        value = read.get(name)
        if value and isinstance(value, str | list):
            with contextlib.suppress(VerifierError):
                found.add(quote_hex(value, name))
    return frozenset(found)


def _hint(read: Json) -> str:
    """Returns a hint with the places of quotes in a document of no known shape."""
    places = [path for path, found in json_pointer.objects(read) if _quotes(found)]
    return f" (--part names the object with the quote to judge: {listed(places)})" if places else ""


def listed(places: Sequence[json_pointer.Path]) -> str:
    """Returns the pointers of places in one line, at most some and the number of the rest."""
    shown = [json_pointer.shown(place) or "the whole document" for place in places[:QUOTES_NAMED]]
    return " ".join(shown) + (f" and {len(places) - QUOTES_NAMED} more" if len(places) > QUOTES_NAMED else "")


def _parts(read: Json, place: json_pointer.Path, text: str) -> Iterator[Found]:
    if not isinstance(read, dict):
        return
    for part, names in MEMBERS.items():
        there = [name for name in names if read.get(name)]
        # Each of them, so that no reader of another name sees a quote that was not judged.
        for name in there[:1] if part in _FIRST_COUNTS else there:
            value = read[name]
            # As it is written, since Intel signed the text of some members.
            as_written = part is Part.COLLATERAL and isinstance(value, dict)
            yield part, raw_value(text, (*place, name)) if as_written else value
    if not read.get("info") and read.get("tcb_info"):
        yield Part.INFO, read


def nested(value: Json, name: str) -> Json:
    """Returns a value that may be JSON in a text. Raises VerifierError(NOT_JSON, TOO_LARGE)."""
    return parse_json(value, name, LIMIT_BYTES, NESTING) if isinstance(value, str) else value


def _bytes(values: list[Json], name: str) -> bytes:
    if not all(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256 for value in values):
        raise bad_import(f"{name}: holds a list that is none of bytes")
    return bytes(value for value in values if isinstance(value, int))


def bad_import(what: str) -> VerifierError:
    """Returns the error of a file of evidence that is of no known shape."""
    return VerifierError(VerifierErrorCode.BAD_IMPORT, what)
