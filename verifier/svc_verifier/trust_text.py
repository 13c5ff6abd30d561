"""Writes `trust.toml`: every member with the reason it is there."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from svc_verifier.rendering.plain import plain
from svc_verifier.trust import AccountContractCode, AccountPins, OsMeasurements, TcbPolicy, Trust
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
    if trust.accounts is not None:
        yield "\n[accounts]\n"
        yield from _accounts(trust.accounts, reasons)
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
    if trust.kms_root_public_key is not None:
        yield "kms_root_public_key", _text(_hex(trust.kms_root_public_key))
    names = {
        "rpc_providers": trust.rpc_providers,
        "host_input": trust.host_input,
        "app_compose_members": trust.app_compose_members,
        "mounts": trust.mounts,
    }
    for name, texts in names.items():
        if texts:
            yield name, _texts(sorted(texts))
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


def _accounts(pins: AccountPins, reasons: Mapping[str, str]) -> Iterator[str]:
    """The members of the `accounts` table, each below its reason."""
    for name, value in _account_members(pins):
        if f"accounts.{name}" in reasons:
            yield f"# {plain(reasons[f'accounts.{name}'])}\n"
        yield f"{name} = {value}\n"
    for code in pins.codes:
        yield f"\n[[accounts.codes]]\n{_code(code)}"


def _account_members(pins: AccountPins) -> Iterator[tuple[str, str]]:
    yield "contract", _text(_hex(pins.contract))
    if pins.owners:
        yield "owners", _texts(map(_hex, sorted(pins.owners)))
    if pins.minimum_owner_change_delay_s is not None:
        yield "minimum_owner_change_delay_s", str(pins.minimum_owner_change_delay_s)
    if pins.payers:
        yield "payers", _texts(map(_hex, sorted(pins.payers)))
    if pins.accepted_replacements:
        yield "accepted_replacements", str(pins.accepted_replacements)


def _code(code: AccountContractCode) -> str:
    hashes = {"code_hash": code.code_hash, "views_code_hash": code.views_code_hash}
    offsets = {"views_module_at": code.views_module_at, "owner_change_delay_at": code.owner_change_delay_at}
    members = [(name, _text(_hex(value))) for name, value in hashes.items()]
    members += [(name, str(list(value))) for name, value in offsets.items()]
    return "".join(f"{name} = {value}\n" for name, value in members)


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
