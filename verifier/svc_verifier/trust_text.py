"""Writes `trust.toml`: every member with the reason it is there."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from svc_verifier.rendering.plain import plain
from svc_verifier.trust import OsMeasurements, TcbPolicy, Trust
from svc_verifier.trust_file import OS_LENGTHS

_HEADER: Final = (
    "# What `svc-verify --trust` measures this host against. Whoever may write this file decides what is accepted.\n"
)


def trust_text(trust: Trust, reasons: Mapping[str, str] | None = None) -> str:
    """The text of a trust file, which `parse_trust` reads back; `reasons` by member become comments.

    A development root is no part of it: it is named by hand each time.
    """
    return "".join(_parts(trust, reasons or {}))


def _parts(trust: Trust, reasons: Mapping[str, str]) -> Iterator[str]:
    yield _HEADER
    for name, value in _members(trust):
        if name in reasons:
            yield f"\n# {plain(reasons[name])}"
        yield f"\n{name} = {value}\n"
    if trust.implementations:
        yield "\n[implementations]\n"
        for digest, known_as in sorted(trust.implementations.items()):
            yield f'"{_hex(digest)}" = {_text(known_as)}\n'
    for measurements in trust.os_measurements:
        yield f"\n[[os_measurements]]\n{_table(measurements)}"
    if "tcb" in reasons:
        yield f"\n# {plain(reasons['tcb'])}"
    yield f"\n[tcb]\n{_policy(trust.tcb)}"


def _members(trust: Trust) -> Iterator[tuple[str, str]]:
    yield "host", _text(trust.host)
    yield "app_id", _text(_hex(trust.app_id))
    yield "chain_id", str(trust.chain_id)
    yield "freshness", _text(trust.freshness.value)
    if trust.rpc_urls:
        yield "rpc_urls", _texts(trust.rpc_urls)
    if trust.kms_contract is not None:
        yield "kms_contract", _text(_hex(trust.kms_contract))
    if trust.kms_public_key is not None:
        yield "kms_public_key", _text(_hex(trust.kms_public_key))
    if trust.host_input:
        yield "host_input", _texts(sorted(trust.host_input))
    if trust.mounts:
        yield "mounts", _texts(sorted(trust.mounts))
    hashes = {
        "owners": trust.owners,
        "os_images": trust.os_images,
        "acpi_tables": trust.acpi_tables,
        "compose_hashes": trust.compose_hashes,
        "scripts": trust.scripts,
    }
    for name, values in hashes.items():
        if values:
            yield name, _texts(map(_hex, sorted(values)))


def _policy(tcb: TcbPolicy) -> str:
    members = {
        "accepted": _texts(sorted(tcb.accepted)),
        "rejected_advisories": _texts(sorted(tcb.rejected_advisories)),
        "minimum_evaluation_number": str(tcb.minimum_evaluation_number),
        "collateral_max_age_s": str(tcb.collateral_max_age_s),
        "platforms": _texts(map(_hex, sorted(tcb.platforms))),
    }
    return "".join(f"{name} = {value}\n" for name, value in members.items())


def _table(measurements: OsMeasurements) -> str:
    return "".join(f"{name} = {_text(_hex(getattr(measurements, name)))}\n" for name in OS_LENGTHS)


def _texts(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """A TOML basic string: JSON escapes are among its own, DEL is escaped there alone."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"
