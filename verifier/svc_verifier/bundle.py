"""A bundle, the JSON file of one verification's material, which gives the same verdict years later.

It holds no trust; a replay names that again. What was only seen live (replies of the chain, the TLS
connection, the time) is in a replay the word of the bundle's author.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, parse_json_object, read_bytes
from svc_verifier.material import (
    BlockHead,
    CaaRecord,
    CaaRecords,
    Connection,
    ContractCall,
    ContractLog,
    HttpResponse,
    Material,
    MaybeResponse,
    Missing,
    ProviderAnswers,
)

FORMAT: Final = "svc-verify-bundle"
VERSION: Final = 1
LIMIT_BYTES: Final = 16_777_216
"""Largest bundle. All material within `GatheringLimits` fits."""

NESTING: Final = 12

_NUMBER_END: Final = 1 << 62

Item = TypeVar("Item")


def dump_bundle(material: Material) -> str:
    """Returns the bundle as JSON text."""
    return json.dumps(_document(material), indent=1, sort_keys=True) + "\n"


def _document(material: Material) -> Json:
    return {
        "format": FORMAT,
        "version": VERSION,
        "host": material.host,
        "now_s": material.now_s,
        "nonce": None if material.nonce is None else material.nonce.hex(),
        "connections": [_dump_connection(connection) for connection in material.connections],
        "attestation": _dump_response(material.attestation),
        "info": _dump_response(material.info),
        "evidences": _dump_files(material.evidences),
        "collateral": _dump_collateral(material),
        "endpoints": [_dump_provider(provider) for provider in material.providers],
        "caa": _dump_caa(material.caa),
        # Written only if true, so that bundles of live verifications stay as they were.
        **({"imported": True} if material.imported else {}),
        **({"judged": material.judged} if material.judged else {}),
    }


def load_bundle(text: str | bytes, name: str = "bundle") -> Material:
    """Returns a bundle's material. Raises VerifierError(BAD_BUNDLE, NOT_JSON, TOO_LARGE)."""
    document = parse_json_object(text, name, LIMIT_BYTES, NESTING)
    read = _Reader(document)
    # No guess at another version, whose members could mean something else.
    if read.text("format") != FORMAT or read.number("version") != VERSION:
        raise _bad(f"is no bundle of version {VERSION}")
    nonce = read.value("nonce")
    collateral, unreached = _load_collateral(read.part("collateral"))
    material = Material(
        host=read.text("host"),
        now_s=read.number("now_s"),
        nonce=None if nonce is None else read.hex("nonce"),
        connections=read.each("connections", _load_connection),
        attestation=_load_response(read.part("attestation")),
        info=_load_response(read.part("info")),
        evidences=_load_files(read.part("evidences")),
        collateral=collateral,
        providers=read.each("endpoints", _load_provider),
        caa=_load_caa(read.part("caa")),
        replayed=True,
        imported=read.has("imported") and read.flag("imported"),
        unreached=unreached,
        judged=read.text("judged") if read.has("judged") else "",
    )
    # Compared with what would be written. An ignored member could mislead a reader of the file.
    _refuse_unknown(document, _document(material), "bundle")
    return material


def _refuse_unknown(read: Json, known: Json, where: str) -> None:
    """Raises VerifierError(BAD_BUNDLE) for an unknown or repeated member."""
    if isinstance(read, dict) and isinstance(known, dict):
        for name, value in read.items():
            if name not in known:
                raise _bad(f"{where} has the member {name[:100]!r}, which is not known")
            _refuse_unknown(value, known[name], name)
    elif isinstance(read, list) and isinstance(known, list):
        if len(read) != len(known):
            raise _bad(f"{where} holds one thing twice")
        for value, other in zip(read, known, strict=True):
            _refuse_unknown(value, other, where)


def read_bundle(path: Path) -> Material:
    """Returns the material of a file. Raises VerifierError(BAD_BUNDLE, NOT_JSON, TOO_LARGE)."""
    try:
        return load_bundle(read_bytes(path, LIMIT_BYTES), f"bundle {path}")
    except (OSError, ValueError) as error:
        raise _bad(f"{path} cannot be read ({type(error).__name__})") from None


class _Reader:
    """Typed access to one JSON object. Every fault is a VerifierError that names the member."""

    def __init__(self, value: Json) -> None:
        if not isinstance(value, dict):
            raise _bad("a part is no object")
        self._value: Mapping[str, Json] = value

    def has(self, key: str) -> bool:
        return key in self._value

    def value(self, key: str) -> Json:
        if key not in self._value:
            raise _bad(f"{key} is missing")
        return self._value[key]

    def text(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            raise _bad(f"{key} is no text")
        return value

    def number(self, key: str) -> int:
        value = self.value(key)
        # bool is an int in Python. The bound suits datetime and heights of 64 bits.
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _NUMBER_END:
            raise _bad(f"{key} is no whole number of 0 or more")
        return value

    def flag(self, key: str) -> bool:
        value = self.value(key)
        if not isinstance(value, bool):
            raise _bad(f"{key} is neither true nor false")
        return value

    def hex(self, key: str) -> bytes:
        try:
            return bytes.fromhex(self.text(key))
        except ValueError:
            raise _bad(f"{key} is not hex") from None

    def base64(self, key: str) -> bytes:
        try:
            return base64.b64decode(self.text(key), validate=True)
        except (binascii.Error, ValueError):
            raise _bad(f"{key} is not base64") from None

    def part(self, key: str) -> "_Reader":
        return _Reader(self.value(key))

    def each(self, key: str, load: "Callable[[_Reader], Item]") -> tuple[Item, ...]:
        value = self.value(key)
        if not isinstance(value, list):
            raise _bad(f"{key} is no list")
        return tuple(load(_Reader(item)) for item in value)

    def block_head(self) -> BlockHead:
        return BlockHead(self.number("number"), self.number("time_s"))

    def missing(self) -> Missing | None:
        return Missing(self.text("missing")) if self.has("missing") else None


def _missing(missing: Missing) -> Json:
    return {"missing": missing.why}


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _dump_connection(connection: Connection) -> Json:
    peers: Sequence[Json] = [_encoded(der) for der in connection.peer_der]
    return {"peer_der": list(peers), "version": connection.version, "web_pki": connection.web_pki}


def _load_connection(read: _Reader) -> Connection:
    peers = read.value("peer_der")
    if not isinstance(peers, list):
        raise _bad("peer_der is no list")
    ders = tuple(_Reader({"der": peer}).base64("der") for peer in peers)
    return Connection(ders, read.text("version"), read.text("web_pki"))


def _dump_response(answer: MaybeResponse) -> Json:
    if isinstance(answer, Missing):
        return _missing(answer)
    return {"status": answer.status, "body": _encoded(answer.body), "connection": answer.connection}


def _load_response(read: _Reader) -> MaybeResponse:
    return read.missing() or HttpResponse(read.number("status"), read.base64("body"), read.number("connection"))


def _dump_files(files: Mapping[str, MaybeResponse] | Missing) -> Json:
    if isinstance(files, Missing):
        return _missing(files)
    return {"files": [{"name": name, "answer": _dump_response(answer)} for name, answer in files.items()]}


def _load_files(read: _Reader) -> Mapping[str, MaybeResponse] | Missing:
    named = read.missing() or read.each("files", lambda file: (file.text("name"), _load_response(file.part("answer"))))
    return named if isinstance(named, Missing) else dict(named)


def _dump_collateral(material: Material) -> Json:
    if isinstance(material.collateral, Missing):
        return _missing(material.collateral)
    platforms: list[Json] = []
    for key, text in material.collateral.items():
        # Written only if known, as above.
        why: dict[str, Json] = {"unreached": material.unreached[key]} if key in material.unreached else {}
        platforms.append({"fmspc": key[0], "ca": key[1], "collateral": text, **why})
    return {"platforms": platforms}


def _load_collateral(
    read: _Reader,
) -> tuple[Mapping[tuple[str, str], str] | Missing, Mapping[tuple[str, str], str]]:
    missing = read.missing()
    if missing is not None:
        return missing, {}
    items = read.each("platforms", lambda item: item)
    keys = {(item.text("fmspc"), item.text("ca")): item for item in items}
    found = {key: item.text("collateral") for key, item in keys.items()}
    return found, {key: item.text("unreached") for key, item in keys.items() if item.has("unreached")}


def _dump_provider(provider: ProviderAnswers | Missing) -> Json:
    if isinstance(provider, Missing):
        return _missing(provider)
    return {
        "name": provider.name,
        "chain_id": provider.chain_id,
        "block_number": provider.block_number,
        "block_hash": provider.block_hash.hex(),
        "block_time_s": provider.block_time_s,
        **({} if provider.head is None else {"head": {"number": provider.head.number, "time_s": provider.head.time_s}}),
        "code": [{"address": a.hex(), "code": code.hex()} for a, code in provider.code.items()],
        "storage": [{"address": a.hex(), "slot": s.hex(), "value": v.hex()} for (a, s), v in provider.storage.items()],
        "calls": [_dump_call(call, result) for call, result in provider.calls.items()],
        **({"newest": [_dump_call(*each) for each in provider.newest.items()]} if provider.newest else {}),
        "logs": _missing(provider.logs) if isinstance(provider.logs, Missing) else _dump_logs(provider.logs),
    }


def _dump_call(call: ContractCall, result: bytes | None) -> Json:
    return {"to": call.to.hex(), "data": call.data.hex(), "result": None if result is None else result.hex()}


def _dump_logs(logs: tuple[ContractLog, ...]) -> Json:
    entries: list[Json] = []
    for log in logs:
        topics: list[Json] = [topic.hex() for topic in log.topics]
        entries.append(
            {
                "address": log.address.hex(),
                "topics": topics,
                "data": log.data.hex(),
                "block_number": log.block_number,
                "block_time_s": log.block_time_s,
            }
        )
    return {"entries": entries}


def _load_provider(read: _Reader) -> ProviderAnswers | Missing:
    missing = read.missing()
    if missing is not None:
        return missing
    logs = read.part("logs")
    return ProviderAnswers(
        name=read.text("name"),
        chain_id=read.number("chain_id"),
        block_number=read.number("block_number"),
        block_hash=read.hex("block_hash"),
        block_time_s=read.number("block_time_s"),
        code=dict(read.each("code", lambda item: (item.hex("address"), item.hex("code")))),
        storage=dict(read.each("storage", lambda item: ((item.hex("address"), item.hex("slot")), item.hex("value")))),
        calls=dict(read.each("calls", _load_call)),
        logs=logs.missing() or logs.each("entries", _load_log),
        head=read.part("head").block_head() if read.has("head") else None,
        newest=dict(read.each("newest", _load_call)) if read.has("newest") else {},
    )


def _load_call(read: _Reader) -> tuple[ContractCall, bytes | None]:
    result = None if read.value("result") is None else read.hex("result")
    return ContractCall(read.hex("to"), read.hex("data")), result


def _load_log(read: _Reader) -> ContractLog:
    topics = read.value("topics")
    if not isinstance(topics, list):
        raise _bad("topics is no list")
    return ContractLog(
        address=read.hex("address"),
        topics=tuple(_Reader({"topic": topic}).hex("topic") for topic in topics),
        data=read.hex("data"),
        block_number=read.number("block_number"),
        block_time_s=read.number("block_time_s"),
    )


def _dump_caa(caa: CaaRecords | Missing) -> Json:
    if isinstance(caa, Missing):
        return _missing(caa)
    records: list[Json] = [{"flags": r.flags, "tag": r.tag, "value": r.value} for r in caa.records]
    return {"name": caa.name, "records": records, "authenticated": caa.authenticated}


def _load_caa(read: _Reader) -> CaaRecords | Missing:
    return read.missing() or CaaRecords(
        name=read.text("name"),
        records=read.each(
            "records", lambda item: CaaRecord(item.number("flags"), item.text("tag"), item.text("value"))
        ),
        authenticated=read.flag("authenticated"),
    )


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_BUNDLE, f"bundle: {what}")
