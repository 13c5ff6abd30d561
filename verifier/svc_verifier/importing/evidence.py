"""Puts the files of a stranger together: one look at one TD, without a connection and without a moment.

What was not brought is `Missing`. Nothing is asked of anybody here, so an import proves no freshness, no connection and no
approval.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.files import read_bytes
from svc_verifier.formats.certificate import parse_checksums, parse_leaf_pem
from svc_verifier.formats.quote import parse_quote_answer, quote_from_hex
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.hardware.collateral import without_own_chain
from svc_verifier.hardware.dcap import platform_of
from svc_verifier.importing.documents import (
    LIMIT_BYTES,
    NESTING,
    Part,
    collateral_text,
    info_body,
    json_text,
    quote_hex,
    read_document,
)
from svc_verifier.material import Answer, Connection, Material, MaybeAnswer, Missing

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
        there = self.parts.setdefault(part, (name, normal))
        if there[1] != normal:
            raise _bad(f"{there[0]} and {name} hold different values of the {part}: bring those of one machine")


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
