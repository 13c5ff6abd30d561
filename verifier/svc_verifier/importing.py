"""Puts evidence from files together as material of the checks.

Parts of several files may make one machine's evidence; contradictory ones are refused. An absent
part is `Missing`. Nothing is asked here, so no freshness, connection or approval is proven.
"""

import contextlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from svc_verifier.documents import (
    LIMIT_BYTES,
    NESTING,
    Document,
    Part,
    bad_import,
    certificate_text,
    collateral_text,
    firmware_log,
    listed,
    nested,
    quote_hex,
    read_document,
)
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats import json_pointer
from svc_verifier.formats.certificate import parse_chain, parse_checksums, parse_leaf_pem
from svc_verifier.formats.quote import parse_quote_response, quote_from_hex
from svc_verifier.formats.strict_json import Json, parse_json_object, read_bytes
from svc_verifier.material import Connection, HttpResponse, Material, MaybeResponse, Missing, Platform
from svc_verifier.tdx.collateral import common_name, without_own_chain
from svc_verifier.tdx.dcap import platform_of
from svc_verifier.trust import Trust
from svc_verifier.trust_file import ContradictionError, TrustOptions, load_trust, trust_for

if TYPE_CHECKING:
    from svc_verifier.gathering.collateral import CollateralSource

CHECKSUMS: Final = "sha256sum.txt"
QUOTE: Final = "quote.json"
PATHS: Final = 64
"""Files and folders of one import."""

CAS: Final = ("platform", "processor")
"""Words by which Intel's two authorities for certificates of platforms differ."""

NOT_BROUGHT: Final = "no file of it was brought"
OFFLINE: Final = "an import asks no host and no provider"


@dataclass(slots=True)
class Evidence:
    """Parts that were found, and in which file. Each is there once; collateral once a platform."""

    parts: dict[Part, tuple[str, Json]] = field(default_factory=dict)
    collaterals: list[tuple[str, str]] = field(default_factory=list)
    folder: Mapping[str, MaybeResponse] | None = None
    judged: list[str] = field(default_factory=list)
    """What was judged of documents with several quotes, and what was not, a line each."""

    def add(self, name: str, part: Part, value: Json) -> None:
        """Take a part from the file `name`. Raises VerifierError(BAD_IMPORT) if it contradicts."""
        if part is Part.COLLATERAL:
            self.collaterals.append((name, collateral_text(value, name)))
            return
        normal = _normal(part, value, name)
        # Parts of two machines must not be mixed into one that passes.
        there = self.parts.setdefault(part, (name, normal))
        if there[1] != normal and _compared(part, there[1], name) != _compared(part, normal, name):
            where = f"{there[0]} and {name} hold" if there[0] != name else f"{name} holds"
            raise bad_import(f"{where} different values of the {part}: bring those of one machine")


def _normal(part: Part, value: Json, name: str) -> Json:
    """Returns a part in one of the forms that its servers write."""
    if part is Part.QUOTE:
        return quote_hex(value, name)
    if part is Part.CERTIFICATE:
        return certificate_text(value, name)
    return firmware_log(value, name) if part is Part.FIRMWARE_LOG else value


_JSON_IN_TEXTS: Final = frozenset({Part.EVENT_LOG, Part.FIRMWARE_LOG, Part.VM_CONFIG, Part.INFO})


def _compared(part: Part, value: Json, name: str) -> Json:
    """Returns a part for comparison, since some servers write JSON in a text."""
    return nested(value, name) if part in _JSON_IN_TEXTS else value


def read_evidence(paths: Iterable[Path], part: str | None = None) -> Evidence:
    """Returns what files and folders hold; `part` is the JSON pointer of the object to judge.

    Raises VerifierError(BAD_IMPORT, NOT_JSON, TOO_LARGE), ContradictionError without that object.
    """
    evidence = Evidence()
    if part and not part.startswith("/"):
        raise ContradictionError("--part is a JSON pointer: /NAME/NAME, or nothing for the whole document")
    named = False
    for number, path in enumerate(paths, start=1):
        if number > PATHS:
            raise bad_import(f"more than {PATHS} files")
        if path.is_dir():
            _read_folder(path, evidence)
            continue
        document = read_document(str(path), _content(path), part)
        for kind, value in document.parts:
            evidence.add(str(path), kind, value)
        named |= document.named
        if document.others or document.named:
            evidence.judged.append(_judged(path.name, document))
    if part is not None and not named:
        raise ContradictionError(f"--part {part}: no file has an object with a quote there")
    return evidence


def _judged(name: str, document: Document) -> str:
    others = document.others
    judged = f"{json_pointer.shown(document.place) or 'the top'} of {name}"
    if not others:
        return judged
    counted = "1 further quote" if len(others) == 1 else f"{len(others)} further quotes"
    return f"{judged}; {counted}, not judged: {listed(others)}"


def material_of(evidence: Evidence, host: str, now_s: int) -> Material:
    """Returns the material. Raises VerifierError(BAD_IMPORT, NOT_JSON, BAD_EVIDENCE)."""
    info = _info(evidence)
    attestation = _attestation(evidence, info)
    folder = evidence.folder
    return Material(
        host=host,
        now_s=now_s,
        nonce=None,
        connections=_certificate(evidence),
        attestation=attestation,
        info=Missing(NOT_BROUGHT) if info is None else HttpResponse(200, info, 0),
        evidences=Missing(NOT_BROUGHT) if folder is None else folder,
        collateral=_collateral(evidence, quotes_of(attestation, folder)),
        providers=(Missing(OFFLINE),),
        caa=Missing(OFFLINE),
        imported=True,
        judged="; ".join(evidence.judged),
    )


def quotes_of(attestation: MaybeResponse, folder: Mapping[str, MaybeResponse] | None) -> tuple[str, ...]:
    """Returns the quotes, in hex, for which collateral is needed."""
    found = []
    for answer in (attestation, (folder or {}).get(QUOTE, Missing(NOT_BROUGHT))):
        try:
            found += [parse_quote_response(answer.body, QUOTE).quote] if isinstance(answer, HttpResponse) else []
        except VerifierError:
            continue
    return tuple(found)


def _read_folder(path: Path, evidence: Evidence) -> None:
    """Reads a sidecar's evidence set. Its quote is the attestation's if there is no other."""
    if evidence.folder is not None:
        raise bad_import(f"{path}: is a second evidence folder")
    checksums = _in_folder(path, CHECKSUMS)
    if isinstance(checksums, Missing):
        raise bad_import(f"{path}: holds no {CHECKSUMS}, so it is no evidence folder")
    files: dict[str, MaybeResponse] = {CHECKSUMS: checksums, QUOTE: _in_folder(path, QUOTE)}
    # The checks report what is wrong with the list.
    with contextlib.suppress(VerifierError):
        files |= {name: _in_folder(path, name) for name in parse_checksums(checksums.body) if name not in files}
    evidence.folder = files


def _in_folder(folder: Path, name: str) -> MaybeResponse:
    """Returns a file of the set, but none behind a link."""
    path = folder / name
    # A bundle of an import may be sent on, so it must hold no file that a link led to.
    if path.is_symlink() or not path.is_file():
        return Missing(f"{name} is not in the folder")
    return HttpResponse(200, _content(path), 0)


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path, LIMIT_BYTES)
    except (OSError, ValueError) as error:
        raise bad_import(f"{path} cannot be read ({type(error).__name__})") from None


def info_body(value: Json, name: str) -> bytes:
    """Returns the body of /info, also from a guest agent's. Raises VerifierError(BAD_IMPORT)."""
    read = nested(value, name)
    if not isinstance(read, dict):
        raise bad_import(f"{name}: its info is no object")
    tcb_info = nested(read.get("tcb_info"), name)
    if not isinstance(tcb_info, dict):
        raise bad_import(f"{name}: its tcb_info is no object")
    if isinstance(tcb_info.get("event_log"), str):
        tcb_info = tcb_info | {"event_log": nested(tcb_info["event_log"], name)}
    return json.dumps(read | {"tcb_info": tcb_info}).encode()


def json_text(value: Json) -> str:
    """Returns an event log or a vm_config as the text that a quote's response holds."""
    return value if isinstance(value, str) else json.dumps(value)


def _info(evidence: Evidence) -> bytes | None:
    """Returns the body of /info, in which an app-compose from another file may be put."""
    brought = evidence.parts.get(Part.INFO)
    text = evidence.parts.get(Part.APP_COMPOSE)
    if brought is None:
        return None if text is None else json.dumps({"tcb_info": {"app_compose": text[1]}}).encode()
    body = info_body(brought[1], brought[0])
    if text is None:
        return body
    read = parse_json_object(body, brought[0], LIMIT_BYTES, NESTING)
    tcb_info = read["tcb_info"] if isinstance(read["tcb_info"], dict) else {}
    # Only the quote knows which of two texts was measured, so the user should choose.
    if tcb_info.get("app_compose") not in {None, "", text[1]}:
        raise bad_import(f"{text[0]} is another app-compose than the one in {brought[0]}")
    return json.dumps(read | {"tcb_info": tcb_info | {"app_compose": text[1]}}).encode()


def _attestation(evidence: Evidence, info: bytes | None) -> MaybeResponse:
    quote = evidence.parts.get(Part.QUOTE)
    if quote is None:
        return (evidence.folder or {}).get(QUOTE, Missing(NOT_BROUGHT))
    read = parse_json_object(info, "info", LIMIT_BYTES, NESTING) if info is not None else {}
    tcb_info = read.get("tcb_info")
    _, firmware = evidence.parts.get(Part.FIRMWARE_LOG, ("", None))
    beside: dict[Part, Json] = {
        Part.EVENT_LOG: (tcb_info.get("event_log") if isinstance(tcb_info, dict) else None) or firmware,
        Part.VM_CONFIG: read.get("vm_config"),
    }
    answer: dict[str, Json] = {"quote": quote[1]}
    for part, member in ((Part.EVENT_LOG, "event_log"), (Part.VM_CONFIG, "vm_config")):
        value = evidence.parts[part][1] if part in evidence.parts else beside[part]
        if value:
            answer[member] = json_text(value)
    return HttpResponse(200, json.dumps(answer).encode(), 0)


def _certificate(evidence: Evidence) -> tuple[Connection, ...]:
    brought = evidence.parts.get(Part.CERTIFICATE)
    if brought is None or not isinstance(brought[1], str):
        return ()
    leaf = parse_leaf_pem(brought[1].encode(errors="surrogatepass"), brought[0])
    return (Connection((leaf.der,), "", OFFLINE),)


def _collateral(evidence: Evidence, quotes: tuple[str, ...]) -> Mapping[tuple[str, str], str] | Missing:
    """Returns collateral by the quotes' platforms. Raises VerifierError(BAD_IMPORT)."""
    found: dict[tuple[str, str], str] = {}
    for quote in quotes:
        try:
            platform = platform_of(quote_from_hex(quote))
        except VerifierError:
            continue
        fitting = [(name, without_own_chain(text)) for name, text in evidence.collaterals if _is_of(text, platform)]
        if len({json.dumps(json.loads(text), sort_keys=True) for _, text in fitting}) > 1:
            # Their order would decide, and sets of two ages may give two verdicts.
            names = " and ".join(dict.fromkeys(name for name, _ in fitting))
            raise bad_import(
                f"{names}: sets of collateral for one platform (FMSPC {platform.fmspc}) that differ; bring one"
            )
        if fitting:
            found[platform.fmspc, platform.ca] = fitting[0][1]
    return found or Missing(NOT_BROUGHT if not evidence.collaterals else "the collateral is of another platform family")


def _is_of(collateral: str, platform: Platform) -> bool:
    """Whether collateral is of a platform, by its TCB info's family and its CRL's authority."""
    read = parse_json_object(collateral, "collateral", LIMIT_BYTES, NESTING)
    tcb_info = read.get("tcb_info")
    if not isinstance(tcb_info, str):
        return False
    if str(parse_json_object(tcb_info, "TCB info", LIMIT_BYTES, NESTING).get("fmspc")).upper() != platform.fmspc:
        return False
    try:
        chain = str(read.get("pck_crl_issuer_chain")).encode(errors="surrogatepass")
        name = common_name(parse_chain(chain, "collateral", VerifierErrorCode.BAD_COLLATERAL)[0]).lower()
    except VerifierError:
        return True  # the checks report what is wrong with it
    return platform.ca in name or not any(other in name for other in CAS)


UNNAMED_HOST = "imported"
"""The host of an import that names none, since evidence belongs to a TD and not to a name."""


def imported(
    paths: Sequence[Path],
    asked: TrustOptions,
    at_s: int | None,
    collateral: "CollateralSource | None",
    part: str | None = None,
) -> tuple[Material, Trust]:
    """Returns the files' material and the trust that it is compared with.

    Raises ContradictionError, and VerifierError for files that cannot be read.
    """
    host = load_trust(asked.trust_file).host if asked.trust_file is not None else UNNAMED_HOST
    trust = trust_for(host, asked, live=False, unnamed=True)
    material = material_of(read_evidence(paths, part), host, int(time.time()) if at_s is None else at_s)
    if collateral is None or not isinstance(material.collateral, Missing):
        return material, trust
    import asyncio  # noqa: PLC0415 - only where collateral is fetched

    from svc_verifier.gathering.collateral import fetch_trusted  # noqa: PLC0415 - likewise

    folder = None if isinstance(material.evidences, Missing) else material.evidences
    fetched = asyncio.run(fetch_trusted(quotes_of(material.attestation, folder), collateral, trust))
    return replace(material, collateral=fetched.collateral, unreached=fetched.unreached), trust
