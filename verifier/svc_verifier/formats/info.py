"""Statements of a node about itself, in its /info and in its statement's configuration.

/info proves nothing (spec 12.1). Other applications state other configurations or none, so an
absent member, or one of another form, is None here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import URL_CHARACTERS, rpc_origin
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json_object

LIMIT_BYTES: Final = 4_194_304
NESTING: Final = 24
_LENGTHS: Final = {
    "mrtd": 48,
    "rtmr0": 48,
    "rtmr1": 48,
    "rtmr2": 48,
    "rtmr3": 48,
    "mr_aggregated": 32,
    "compose_hash": 32,
}
_OUTER_LENGTHS: Final = {"mr_aggregated": 32, "instance_id": 20}


@dataclass(frozen=True, slots=True)
class InfoResponse:
    """A node's /info. `app_id` is 20 bytes, hashes 32; None is not stated.

    `measurements` and `event_log` are of `tcb_info`; `outer` has mr_aggregated and instance id.
    """

    app_id: bytes | None
    compose_hash: bytes | None
    app_compose: str | None
    measurements: Mapping[str, bytes]
    outer: Mapping[str, bytes]
    event_log: Sequence[Json] | None


def parse_info(body: bytes) -> InfoResponse:
    """Parse /info. Raises VerifierError(TOO_LARGE, NOT_JSON, NOT_HEX, BAD_INFO)."""
    read = parse_json_object(body, "/info", LIMIT_BYTES, NESTING)
    tcb_info = read.get("tcb_info")
    if not isinstance(tcb_info, dict):
        raise _bad("tcb_info is no object")
    app_compose, event_log = tcb_info.get("app_compose"), tcb_info.get("event_log")
    if app_compose is not None and not isinstance(app_compose, str):
        raise _bad("tcb_info.app_compose is no text")
    if event_log is not None and not isinstance(event_log, list):
        raise _bad("tcb_info.event_log is no array")
    stated = {name: _hex(tcb_info, name, length) for name, length in _LENGTHS.items() if tcb_info.get(name)}
    return InfoResponse(
        # dstack leaves an absent value empty, so empty counts as not stated.
        app_id=_hex(read, "app_id", 20) if read.get("app_id") else None,
        compose_hash=_hex(read, "compose_hash", 32) if read.get("compose_hash") else stated.get("compose_hash"),
        app_compose=app_compose or None,
        measurements=stated,
        outer={name: _hex(read, name, length) for name, length in _OUTER_LENGTHS.items() if read.get(name)},
        event_log=event_log,
    )


def _hex(read: Mapping[str, Json], key: str, length: int) -> bytes:
    text = read.get(key)
    try:
        value = hex_bytes(text) if isinstance(text, str) else b""
    except ValueError:
        value = b""
    if len(value) != length:
        raise VerifierError(VerifierErrorCode.NOT_HEX, f"/info: {key} is not {length} bytes in hex")
    return value


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_INFO, f"/info: {what}")


STATEMENT_LIMIT_BYTES: Final = 65_536
"""Bytes of a statement. A node's has some 15,000, all of which the report shows."""

STATEMENT_NESTING: Final = 16
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HASH: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{64}")
_PUBLIC_KEY: Final = re.compile(r"(?:(?:0x)?0[23][0-9a-fA-F]{64})?")


@dataclass(frozen=True, slots=True)
class AttestedConfig:
    """Configuration that a node attests, with its accounts, providers and dashboard's files.

    `contract` and `views_module` are 20 bytes, hashes 32, code hashes as in `AccountContractCode`.
    `kms_root_public_key` is empty if the node requires no key. `processor_url` is its card
    processor's. `contradictions` are members of `account_contract` that the settings contradict.
    """

    chain_id: int | None = None
    domains: tuple[str, ...] | None = None
    rpc_providers: tuple[str, ...] | None = None
    kms_root_public_key: bytes | None = None
    contract: bytes | None = None
    code_hash: bytes | None = None
    views_module: bytes | None = None
    views_code_hash: bytes | None = None
    owner_change_delay_s: int | None = None
    admin_payer: bytes | None = None
    dashboard_manifest: bytes | None = None
    processor_url: str | None = None
    contradictions: tuple[str, ...] = ()


def parse_attested_config(statement: str) -> AttestedConfig:
    """Returns a statement's configuration. Raises VerifierError(TOO_LARGE, NOT_JSON)."""
    read = parse_json_object(statement, "statement", STATEMENT_LIMIT_BYTES, STATEMENT_NESTING)
    config = _object(read.get("config"))
    settings, accounts = _object(config.get("settings")), _object(config.get("account_contract"))
    url, domain = settings.get("processor_url"), settings.get("domain")
    return AttestedConfig(
        contradictions=tuple(_contradictions(accounts, settings)),
        chain_id=_number(_stated(accounts.get("chain_id"), settings.get("chain_id"))),
        # One domain or several; none if the node was given no domain.
        domains=_texts([domain] if isinstance(domain, str) else domain) or None,
        rpc_providers=_providers(settings.get("rpc_endpoints")),
        kms_root_public_key=_matching(settings.get("kms_root_public_key"), _PUBLIC_KEY),
        contract=_matching(_stated(accounts.get("address"), settings.get("contract_address")), _ADDRESS),
        code_hash=_matching(accounts.get("code_hash"), _HASH),
        views_module=_matching(accounts.get("views_module"), _ADDRESS),
        views_code_hash=_matching(accounts.get("views_code_hash"), _HASH),
        owner_change_delay_s=_number(accounts.get("owner_change_delay_s")),
        admin_payer=_matching(read.get("admin_payer"), _ADDRESS),
        dashboard_manifest=_matching(_object(config.get("dashboard")).get("manifest_sha256"), _HASH),
        processor_url=url if isinstance(url, str) and len(url) <= URL_CHARACTERS else None,
    )


def _stated(value: Json, otherwise: Json) -> Json:
    return otherwise if value is None else value


def _contradictions(accounts: Mapping[str, Json], settings: Mapping[str, Json]) -> Iterator[str]:
    """Yields members on which both differ, so that it is unknown which one the node uses."""
    address, other_address = accounts.get("address"), settings.get("contract_address")
    if None not in (address, other_address) and _matching(address, _ADDRESS) != _matching(other_address, _ADDRESS):
        yield "address"
    chain_id, other_chain_id = accounts.get("chain_id"), settings.get("chain_id")
    if None not in (chain_id, other_chain_id) and _number(chain_id) != _number(other_chain_id):
        yield "chain_id"


def _providers(value: Json) -> tuple[str, ...] | None:
    """Returns origins in a trust file's form. A text that is no origin is kept and never pinned."""
    texts = _texts(value)
    return None if texts is None else tuple(rpc_origin(text) or text for text in texts)


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _number(value: Json) -> int | None:
    """Returns a number, which JSON holds as decimal text if it is large."""
    # 78 digits hold every uint256. RFC 8785 numbers are doubles, so larger ones are text.
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,78}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _texts(value: Json) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    texts = tuple(item for item in value if isinstance(item, str))
    # One item that is no text spoils the list, since it could be the provider to object to.
    return texts if len(texts) == len(value) and "" not in texts else None


def _matching(value: Json, form: re.Pattern[str]) -> bytes | None:
    if not isinstance(value, str) or not form.fullmatch(value):
        return None
    return bytes.fromhex(value.removeprefix("0x"))
