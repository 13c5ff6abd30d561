"""Reads evidence that was brought as files, from any dstack application, into what the checks look at.

A file is recognised by its own members, never by its name; `PROFILES` is the whole table of shapes. A document that is of
none is refused: a part that is taken for another would leave out what it says. What was not brought is `Missing`. Nothing
is asked of anybody here, so an import proves no freshness, no connection and no approval.
"""

import base64
import binascii
import contextlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.certificate import parse_checksums, parse_leaf_pem
from svc_verifier.formats.quote import parse_quote_answer, quote_from_hex
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json, parse_json_object, read_bytes
from svc_verifier.hardware import platform_of, without_own_chain
from svc_verifier.material import Answer, Connection, Material, MaybeAnswer, Missing
from svc_verifier.trust import Trust
from svc_verifier.trust_file import TrustOptions, load_trust, trust_for

if TYPE_CHECKING:
    from svc_verifier.gathering.collateral import CollateralSource

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
"""Member names of a part, as its servers spell them. A document that has several must say the same in each."""

_FIRST_COUNTS: Final = frozenset({Part.COLLATERAL, Part.CERTIFICATE})
"""Parts that are no word of the machine: servers use the names for different things, and the first one is taken."""


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
    # By content: a name is chosen by whoever sent the file.
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
        # A log or a certificate alone makes no report: almost every JSON object would be one.
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
        there = [read[name] for name in names if read.get(name)]
        # Each of them: whoever reads the other name of a quote must not see another quote than the one that was judged.
        yield from ((part, value) for value in (there[:1] if part in _FIRST_COUNTS else there))
    if not read.get("info") and read.get("tcb_info"):
        yield Part.INFO, read


def _nested(value: Json, name: str) -> Json:
    return parse_json(value, name, LIMIT_BYTES, NESTING) if isinstance(value, str) else value


def _bytes(values: list[Json], name: str) -> bytes:
    if not all(isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 256 for value in values):
        raise _bad(f"{name}: holds a list that is none of bytes")
    return bytes(value for value in values if isinstance(value, int))


CHECKSUMS: Final = "sha256sum.txt"
QUOTE: Final = "quote.json"
PATHS: Final = 64
"""Files and folders of one import."""

NOT_BROUGHT: Final = "no file of it was brought"
OFFLINE: Final = "an import asks nobody"


@dataclass(slots=True)
class Evidence:
    """Parts that were found, and in which file; every part once, but collateral, of which each platform has its own."""

    parts: dict[Part, tuple[str, Json]] = field(default_factory=dict)
    collaterals: list[str] = field(default_factory=list)
    folder: Mapping[str, MaybeAnswer] | None = None

    def add(self, name: str, part: Part, value: Json) -> None:
        """Take a part from the file `name`. Raises VerifierError(BAD_IMPORT) for a second one that says otherwise."""
        if part is Part.COLLATERAL:
            self.collaterals.append(collateral_text(value, name))
            return
        normal: Json = quote_hex(value, name) if part is Part.QUOTE else value
        # Parts of two machines must not be mixed into one that passes.
        there = self.parts.setdefault(part, (name, normal))
        if there[1] != normal and _compared(part, there[1], name) != _compared(part, normal, name):
            where = f"{there[0]} and {name} hold" if there[0] != name else f"{name} holds"
            raise _bad(f"{where} different values of the {part}: bring those of one machine")


def _compared(part: Part, value: Json, name: str) -> Json:
    """A part as it is compared: some servers write JSON in a text, and others as it is."""
    return _nested(value, name) if part in {Part.EVENT_LOG, Part.VM_CONFIG, Part.INFO} else value


def read_evidence(paths: Iterable[Path]) -> Evidence:
    """Returns what files and evidence folders hold. Raises VerifierError(BAD_IMPORT, NOT_JSON, TOO_LARGE)."""
    evidence = Evidence()
    for number, path in enumerate(paths, start=1):
        if number > PATHS:
            raise _bad(f"more than {PATHS} files")
        if path.is_dir():
            _read_folder(path, evidence)
            continue
        for part, value in read_document(str(path), _content(path)):
            evidence.add(str(path), part, value)
    return evidence


def material_of(evidence: Evidence, host: str, now_s: int) -> Material:
    """Returns what the checks look at, judged at `now_s`. Raises VerifierError(BAD_IMPORT, NOT_JSON, BAD_EVIDENCE)."""
    info = _info(evidence)
    attestation = _attestation(evidence, info)
    folder = evidence.folder
    return Material(
        host=host,
        now_s=now_s,
        nonce=None,
        connections=_certificate(evidence),
        attestation=attestation,
        info=Missing(NOT_BROUGHT) if info is None else Answer(200, info, 0),
        evidences=Missing(NOT_BROUGHT) if folder is None else folder,
        collateral=_collateral(evidence, quotes_of(attestation, folder)),
        endpoints=(Missing(OFFLINE),),
        caa=Missing(OFFLINE),
        imported=True,
    )


def quotes_of(attestation: MaybeAnswer, folder: Mapping[str, MaybeAnswer] | None) -> tuple[str, ...]:
    """Returns the quotes, in hex, for which collateral is needed."""
    found = []
    for answer in (attestation, (folder or {}).get(QUOTE, Missing(NOT_BROUGHT))):
        try:
            found += [parse_quote_answer(answer.body, QUOTE).quote] if isinstance(answer, Answer) else []
        except VerifierError:
            continue
    return tuple(found)


def _read_folder(path: Path, evidence: Evidence) -> None:
    """The evidence set as an ingress sidecar publishes it; its quote stands for the attestation where no other is brought."""
    if evidence.folder is not None:
        raise _bad(f"{path}: is a second evidence folder")
    checksums = _in_folder(path, CHECKSUMS)
    if isinstance(checksums, Missing):
        raise _bad(f"{path}: holds no {CHECKSUMS}, so it is no evidence folder")
    files: dict[str, MaybeAnswer] = {CHECKSUMS: checksums, QUOTE: _in_folder(path, QUOTE)}
    # what is wrong with the list is for the checks to say
    with contextlib.suppress(VerifierError):
        files |= {name: _in_folder(path, name) for name in parse_checksums(checksums.body) if name not in files}
    evidence.folder = files


def _in_folder(folder: Path, name: str) -> MaybeAnswer:
    """Read a file of the set. A link may lead to a file of the user's own, which a bundle would then carry away."""
    path = folder / name
    # A bundle of an import may be sent on: it must hold no file that a link led to.
    if path.is_symlink() or not path.is_file():
        return Missing(f"{name} is not in the folder")
    return Answer(200, _content(path), 0)


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path, LIMIT_BYTES)
    except (OSError, ValueError) as error:
        raise _bad(f"{path} cannot be read ({type(error).__name__})") from None


def _info(evidence: Evidence) -> bytes | None:
    """The body of /info; an app-compose that was brought alone is put where /info has it."""
    brought = evidence.parts.get(Part.INFO)
    text = evidence.parts.get(Part.APP_COMPOSE)
    if brought is None:
        return None if text is None else json.dumps({"tcb_info": {"app_compose": text[1]}}).encode()
    body = info_body(brought[1], brought[0])
    if text is None:
        return body
    read = parse_json_object(body, brought[0], LIMIT_BYTES, NESTING)
    tcb_info = read["tcb_info"] if isinstance(read["tcb_info"], dict) else {}
    # Two texts: which of them was measured is known to the quote alone, and the user should choose.
    if tcb_info.get("app_compose") not in {None, "", text[1]}:
        raise _bad(f"{text[0]} is another app-compose than the one in {brought[0]}")
    return json.dumps(read | {"tcb_info": tcb_info | {"app_compose": text[1]}}).encode()


def _attestation(evidence: Evidence, info: bytes | None) -> MaybeAnswer:
    quote = evidence.parts.get(Part.QUOTE)
    if quote is None:
        return (evidence.folder or {}).get(QUOTE, Missing(NOT_BROUGHT))
    read = parse_json_object(info, "info", LIMIT_BYTES, NESTING) if info is not None else {}
    tcb_info = read.get("tcb_info")
    beside: dict[Part, Json] = {
        Part.EVENT_LOG: tcb_info.get("event_log") if isinstance(tcb_info, dict) else None,
        Part.VM_CONFIG: read.get("vm_config"),
    }
    answer: dict[str, Json] = {"quote": quote[1]}
    for part, member in ((Part.EVENT_LOG, "event_log"), (Part.VM_CONFIG, "vm_config")):
        value = evidence.parts[part][1] if part in evidence.parts else beside[part]
        if value:
            answer[member] = json_text(value)
    return Answer(200, json.dumps(answer).encode(), 0)


def _certificate(evidence: Evidence) -> tuple[Connection, ...]:
    brought = evidence.parts.get(Part.CERTIFICATE)
    if brought is None or not isinstance(brought[1], str):
        return ()
    leaf = parse_leaf_pem(brought[1].encode(errors="surrogatepass"), brought[0])
    return (Connection((leaf.der,), "", OFFLINE),)


def _collateral(evidence: Evidence, quotes: tuple[str, ...]) -> Mapping[tuple[str, str], str] | Missing:
    """Collateral by the platforms of the quotes; which family it is of stands in its TCB info."""
    found: dict[tuple[str, str], str] = {}
    for quote in quotes:
        try:
            platform = platform_of(quote_from_hex(quote))
        except VerifierError:
            continue
        for text in evidence.collaterals:
            # Collateral names its family only inside the signed TCB info.
            if _fmspc(text) == platform.fmspc:
                found[platform.fmspc, platform.ca] = without_own_chain(text)
    return found or Missing(NOT_BROUGHT if not evidence.collaterals else "the collateral is of another platform family")


def _fmspc(collateral: str) -> str:
    tcb_info = parse_json_object(collateral, "collateral", LIMIT_BYTES, NESTING).get("tcb_info")
    if not isinstance(tcb_info, str):
        return ""
    return str(parse_json_object(tcb_info, "TCB info", LIMIT_BYTES, NESTING).get("fmspc")).upper()


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMPORT, what)


UNNAMED_HOST = "imported"
"""The host of an import that names none; evidence belongs to a TD and not to a name."""


def imported(
    paths: Sequence[Path], asked: TrustOptions, at_s: int | None, collateral: "CollateralSource | None"
) -> tuple[Material, Trust]:
    """Returns what the files hold and what it is measured against.

    Raises ContradictionError, and VerifierError for files that cannot be read.
    """
    host = load_trust(asked.trust_file).host if asked.trust_file is not None else UNNAMED_HOST
    trust = trust_for(host, asked, live=False, unnamed=True)
    material = material_of(read_evidence(paths), host, int(time.time()) if at_s is None else at_s)
    if collateral is None or not isinstance(material.collateral, Missing):
        return material, trust
    import asyncio  # noqa: PLC0415 - only where collateral is fetched

    from svc_verifier.gathering.collateral import fetch_collateral  # noqa: PLC0415 - likewise

    folder = None if isinstance(material.evidences, Missing) else material.evidences
    fetched = asyncio.run(fetch_collateral(quotes_of(material.attestation, folder), collateral))
    return replace(material, collateral=fetched), trust
