"""Reads and writes trust files, and joins one with the options of a command line."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from svc_verifier.addresses import (
    DEFAULT_CHAIN_ID,
    DEFAULT_ENDPOINTS,
    DEVELOPMENT_CHAIN_ID,
    HostAddress,
    is_rpc_url,
    rpc_origin,
)
from svc_verifier.compose.known_scripts import script_digests
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import read_bytes, why_unreadable
from svc_verifier.rendering.text import plain
from svc_verifier.trust import (
    AccountContractCode,
    AccountPins,
    DevelopmentRoot,
    Freshness,
    OsMeasurements,
    TcbPolicy,
    TcbStatus,
    Trust,
)

Toml: TypeAlias = "str | int | float | bool | list[Toml] | dict[str, Toml] | object"

LIMIT_BYTES: Final = 262_144
OS_LENGTHS: Final = {"os_image_hash": 32, "mrtd": 48, "kernel": 48, "command_line": 48, "initrd": 48}
"""Bytes of each member of an `os_measurements` table."""

_TCB_MEMBERS: Final = frozenset(member.name for member in fields(TcbPolicy))
_ACCOUNT_MEMBERS: Final = frozenset(member.name for member in fields(AccountPins))
_CODE_MEMBERS: Final = frozenset(member.name for member in fields(AccountContractCode))
# A development root is named by hand each time: in a file it would make every later verification INSECURE.
_MEMBERS: Final = frozenset(member.name for member in fields(Trust)) - {"development_root"}
_OFFSET_END: Final = 1 << 16
"""Code on chain is shorter (EIP-170: 24,576 bytes)."""

_OFFSETS_MAX: Final = 256
_ADVISORY: Final = re.compile(r"INTEL-[A-Z]+-[0-9]{5}")


def load_trust(path: Path) -> Trust:
    """Read a trust file. Raises VerifierError(BAD_TRUST) naming what is wrong."""
    try:
        text = read_bytes(path, LIMIT_BYTES).decode()
    except (OSError, ValueError) as error:
        raise _bad(f"{path} {why_unreadable(error)}, or is longer than {LIMIT_BYTES} bytes") from None
    return parse_trust(text)


def parse_trust(text: str) -> Trust:
    """The text of a trust file as `Trust`. Raises VerifierError(BAD_TRUST)."""
    try:
        read: dict[str, Toml] = dict(tomllib.loads(text))
    except (ValueError, RecursionError):
        raise _bad("is no TOML") from None
    # A member with a typing error would pin nothing, and the user would believe it does.
    _only(read, _MEMBERS, "")
    tcb = read.get("tcb", {})
    if not isinstance(tcb, dict):
        raise _bad("tcb is no table")
    return Trust(
        host=_host(read),
        app_id=parse_hex(_text(read, "app_id"), 20, "app_id"),
        chain_id=_chain_id(read),
        rpc_urls=_rpc_urls(read),
        kms_contract=_optional(read, "kms_contract", 20),
        kms_public_key=_optional(read, "kms_public_key", None),
        kms_root_public_key=_compressed_key(read, "kms_root_public_key"),
        rpc_providers=frozenset(_origins(read, "rpc_providers")),
        accounts=_accounts(read["accounts"]) if "accounts" in read else None,
        mr_owner=_optional(read, "mr_owner", 48),
        mr_owner_config=_optional(read, "mr_owner_config", 48),
        owners=_hexes(read, "owners", 20),
        os_images=_hexes(read, "os_images", 32),
        os_measurements=tuple(_measurements(each) for each in _tables(read, "os_measurements")),
        acpi_tables=_hexes(read, "acpi_tables", 48),
        compose_hashes=_hexes(read, "compose_hashes", 32),
        host_input=frozenset(_texts(read, "host_input")),
        mounts=frozenset(_texts(read, "mounts")),
        scripts=frozenset().union(*map(_script, _texts(read, "scripts"))),
        app_compose_members=frozenset(_texts(read, "app_compose_members")),
        tcb=_tcb(tcb),
        freshness=_choice(read.get("freshness", Freshness.NONCE.value)),
        implementations=_names(read.get("implementations", {})),
    )


def parse_hex(text: str, length: int | None, what: str) -> bytes:
    """Bytes from hex with or without 0x, of that length where one is given. Raises VerifierError(BAD_TRUST)."""
    # bytes.fromhex alone would skip blanks.
    digits = text.removeprefix("0x")
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})+", digits) or length not in {None, len(digits) // 2}:
        raise _bad(f"{what} is not {'' if length is None else f'{length} bytes in '}hex")
    return bytes.fromhex(digits)


def _script(text: str) -> frozenset[bytes]:
    """A script by its SHA-256, or NAME@VERSION of the published table: an exact name, never a pattern."""
    if "@" not in text:
        return frozenset({parse_hex(text, 32, "scripts")})
    digests = script_digests(text)
    if not digests:
        raise _bad(f"scripts: {text!r} is not in this verifier's table; name its sha256")
    return digests


def _tcb(read: Mapping[str, Toml]) -> TcbPolicy:
    _only(read, _TCB_MEMBERS, "tcb.")
    default = TcbPolicy()
    accepted = _texts(read, "accepted") if "accepted" in read else [status.value for status in default.accepted]
    known = {status.value: status for status in TcbStatus}
    for status in accepted:
        if status not in known:
            raise _bad(f"tcb.accepted: {status!r} is none of {', '.join(known)}")
    return TcbPolicy(
        accepted=frozenset(known[status] for status in accepted),
        rejected_advisories=_advisories(read),
        minimum_evaluation_number=_number(read, "minimum_evaluation_number", default.minimum_evaluation_number),
        collateral_max_age_s=_number(read, "collateral_max_age_s", default.collateral_max_age_s),
        platforms=_hexes(read, "platforms", 16),
        tdx_modules=_hexes(read, "tdx_modules", 48),
    )


def _advisories(read: Mapping[str, Toml]) -> frozenset[str]:
    """As Intel writes them: an id in another form would reject nothing."""
    for text in (ids := _texts(read, "rejected_advisories")):
        if not _ADVISORY.fullmatch(text):
            raise _bad(f"tcb.rejected_advisories: {text!r} is no id as INTEL-SA-00615")
    return frozenset(ids)


def _accounts(read: Toml) -> AccountPins:
    if not isinstance(read, dict):
        raise _bad("accounts is no table")
    _only(read, _ACCOUNT_MEMBERS, "accounts.")
    delay = "minimum_owner_change_delay_s"
    return AccountPins(
        contract=parse_hex(_text(read, "contract"), 20, "accounts.contract"),
        owners=_hexes(read, "owners", 20),
        minimum_owner_change_delay_s=_number(read, delay, 0) if delay in read else None,
        payers=_hexes(read, "payers", 20),
        accepted_replacements=_number(read, "accepted_replacements", 0),
        codes=tuple(_code(each) for each in _tables(read, "codes")),
    )


def _code(read: Mapping[str, Toml]) -> AccountContractCode:
    _only(read, _CODE_MEMBERS, "accounts.codes.")
    return AccountContractCode(
        code_hash=parse_hex(_text(read, "code_hash"), 32, "code_hash"),
        views_code_hash=parse_hex(_text(read, "views_code_hash"), 32, "views_code_hash"),
        views_module_at=_offsets(read, "views_module_at"),
        owner_change_delay_at=_offsets(read, "owner_change_delay_at"),
    )


def _offsets(read: Mapping[str, Toml], key: str) -> tuple[int, ...]:
    """At least one: an immutable that is nowhere in the code could not be read from it."""
    value = read.get(key)
    if not isinstance(value, list) or not 0 < len(value) <= _OFFSETS_MAX:
        raise _bad(f"{key} is no list of 1 to {_OFFSETS_MAX} byte offsets")
    offsets = tuple(item for item in value if isinstance(item, int) and not isinstance(item, bool))
    if len(offsets) < len(value) or not all(0 <= offset < _OFFSET_END for offset in offsets):
        raise _bad(f"{key} holds what is no byte offset below {_OFFSET_END}")
    return offsets


def _only(read: Mapping[str, Toml], known: frozenset[str], where: str) -> None:
    strange = sorted(set(read) - known)
    if strange:
        raise _bad(f"{where}{strange[0]} is not known; known are {', '.join(sorted(known))}")


def _text(read: Mapping[str, Toml], key: str) -> str:
    value = read.get(key)
    if not isinstance(value, str) or not value:
        raise _bad(f"{key} is missing or no text")
    return value


def _host(read: Mapping[str, Toml]) -> str:
    """The name alone: the port is no part of who a host is."""
    try:
        return HostAddress.of(_text(read, "host")).name
    except VerifierError as error:
        raise _bad(f"host: {error.message}") from None


def _rpc_urls(read: Mapping[str, Toml]) -> tuple[str, ...]:
    urls = tuple(_texts(read, "rpc_urls"))
    if not all(map(is_rpc_url, urls)):
        raise _bad("rpc_urls holds what is no http or https URL (it is not shown: it may hold credentials)")
    return urls


def _texts(read: Mapping[str, Toml], key: str) -> list[str]:
    value = read.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _bad(f"{key} is no list of texts")
    return [str(item) for item in value]


def _number(read: Mapping[str, Toml], key: str, default: int) -> int:
    value = read.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _bad(f"{key} is no number of 0 or more")
    return value


def _chain_id(read: Mapping[str, Toml]) -> int:
    if not _number(read, "chain_id", 0):
        raise _bad("chain_id is missing")
    return _number(read, "chain_id", 0)


def _optional(read: Mapping[str, Toml], key: str, length: int | None) -> bytes | None:
    return parse_hex(_text(read, key), length, key) if key in read else None


def _compressed_key(read: Mapping[str, Toml], key: str) -> bytes | None:
    """A node states this form alone: a pin in another could never be proven."""
    point = _optional(read, key, 33)
    if point is not None and point[0] not in {2, 3}:
        raise _bad(f"{key} is no compressed public key, which starts with 02 or 03")
    return point


def _origins(read: Mapping[str, Toml], key: str) -> Iterator[str]:
    """Origins in the form in which those of a node are compared; a node states no more of its providers."""
    for text in _texts(read, key):
        origin = rpc_origin(text)
        if not origin:
            raise _bad(
                f"{key} holds what is no origin as https://HOST[:PORT] in ASCII (not shown: it may hold credentials)"
            )
        yield origin


def _tables(read: Mapping[str, Toml], key: str) -> list[dict[str, Toml]]:
    value = read.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _bad(f"{key} is no list of tables")
    return [item for item in value if isinstance(item, dict)]


def _measurements(read: Mapping[str, Toml]) -> OsMeasurements:
    _only(read, frozenset(OS_LENGTHS), "os_measurements.")
    return OsMeasurements(**{name: parse_hex(_text(read, name), size, name) for name, size in OS_LENGTHS.items()})


def _hexes(read: Mapping[str, Toml], key: str, length: int) -> frozenset[bytes]:
    return frozenset(parse_hex(text, length, key) for text in _texts(read, key))


def _choice(value: Toml) -> Freshness:
    if not isinstance(value, str) or value not in set(Freshness):
        raise _bad("freshness is neither nonce nor evidence")
    return Freshness(value)


def _names(value: Toml) -> Mapping[bytes, str]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value.values()):
        raise _bad("implementations is no table of code hash and name")
    return {parse_hex(digest, 32, "implementations"): str(name) for digest, name in value.items()}


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_TRUST, f"trust: {what}")


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
            yield f'"{_hex(digest)}" = {_quoted(known_as)}\n'
    for measurements in trust.os_measurements:
        yield f"\n[[os_measurements]]\n{_table(measurements)}"
    if trust.accounts is not None:
        yield "\n[accounts]\n"
        yield from _accounts_table(trust.accounts, reasons)
    if "tcb" in reasons:
        yield f"\n# {plain(reasons['tcb'])}"
    yield f"\n[tcb]\n{_policy(trust.tcb)}"


def _members(trust: Trust) -> Iterator[tuple[str, str]]:
    yield "host", _quoted(trust.host)
    yield "app_id", _quoted(_hex(trust.app_id))
    yield "chain_id", str(trust.chain_id)
    yield "freshness", _quoted(trust.freshness.value)
    if trust.rpc_urls:
        yield "rpc_urls", _quoted_list(trust.rpc_urls)
    for name in ("kms_contract", "kms_public_key", "kms_root_public_key", "mr_owner", "mr_owner_config"):
        value: bytes | None = getattr(trust, name)
        if value is not None:
            yield name, _quoted(_hex(value))
    names = {
        "rpc_providers": trust.rpc_providers,
        "host_input": trust.host_input,
        "app_compose_members": trust.app_compose_members,
        "mounts": trust.mounts,
    }
    for name, texts in names.items():
        if texts:
            yield name, _quoted_list(sorted(texts))
    hashes = {
        "owners": trust.owners,
        "os_images": trust.os_images,
        "acpi_tables": trust.acpi_tables,
        "compose_hashes": trust.compose_hashes,
        "scripts": trust.scripts,
    }
    for name, values in hashes.items():
        if values:
            yield name, _quoted_list(map(_hex, sorted(values)))


def _accounts_table(pins: AccountPins, reasons: Mapping[str, str]) -> Iterator[str]:
    """The members of the `accounts` table, each below its reason."""
    for name, value in _account_members(pins):
        if f"accounts.{name}" in reasons:
            yield f"# {plain(reasons[f'accounts.{name}'])}\n"
        yield f"{name} = {value}\n"
    for code in pins.codes:
        yield f"\n[[accounts.codes]]\n{_code_members(code)}"


def _account_members(pins: AccountPins) -> Iterator[tuple[str, str]]:
    yield "contract", _quoted(_hex(pins.contract))
    if pins.owners:
        yield "owners", _quoted_list(map(_hex, sorted(pins.owners)))
    if pins.minimum_owner_change_delay_s is not None:
        yield "minimum_owner_change_delay_s", str(pins.minimum_owner_change_delay_s)
    if pins.payers:
        yield "payers", _quoted_list(map(_hex, sorted(pins.payers)))
    if pins.accepted_replacements:
        yield "accepted_replacements", str(pins.accepted_replacements)


def _code_members(code: AccountContractCode) -> str:
    hashes = {"code_hash": code.code_hash, "views_code_hash": code.views_code_hash}
    offsets = {"views_module_at": code.views_module_at, "owner_change_delay_at": code.owner_change_delay_at}
    members = [(name, _quoted(_hex(value))) for name, value in hashes.items()]
    members += [(name, str(list(value))) for name, value in offsets.items()]
    return "".join(f"{name} = {value}\n" for name, value in members)


def _policy(tcb: TcbPolicy) -> str:
    members = {
        "accepted": _quoted_list(sorted(tcb.accepted)),
        "rejected_advisories": _quoted_list(sorted(tcb.rejected_advisories)),
        "minimum_evaluation_number": str(tcb.minimum_evaluation_number),
        "collateral_max_age_s": str(tcb.collateral_max_age_s),
        "platforms": _quoted_list(map(_hex, sorted(tcb.platforms))),
        "tdx_modules": _quoted_list(map(_hex, sorted(tcb.tdx_modules))),
    }
    return "".join(f"{name} = {value}\n" for name, value in members.items())


def _table(measurements: OsMeasurements) -> str:
    return "".join(f"{name} = {_quoted(_hex(getattr(measurements, name)))}\n" for name in OS_LENGTHS)


def _quoted_list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, values))}]"


def _quoted(value: str) -> str:
    """A TOML basic string: JSON escapes are among its own, DEL is escaped there alone."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"


Value = TypeVar("Value")
ADDRESS_BYTES: Final = 20
ROOT_LIMIT_BYTES: Final = 65_536


class ContradictionError(Exception):
    """The command line contradicts itself or the trust file, or leaves out what must be named: misuse, exit code 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustOptions:
    """The options that say what is trusted; None and empty where one is not given."""

    app_id: bytes | None = None
    chain_id: int | None = None
    rpc_urls: tuple[str, ...] = ()
    trust_file: Path | None = None
    kms_contract: bytes | None = None
    kms_public_key: bytes | None = None
    account_contract: bytes | None = None
    accept_tcb: tuple[TcbStatus, ...] = ()
    accept_env: tuple[str, ...] = ()
    freshness: Freshness | None = None
    insecure_dev_root: Path | None = None


def trust_for(host: str, options: TrustOptions, *, live: bool, unnamed: bool = False) -> Trust:
    """The trust for a host's name. `live` needs endpoints of the chain, a replay does not.

    `unnamed` lets the application be left out: its app id is then zeros, which is nobody's.

    Raises ContradictionError, and VerifierError(BAD_TRUST, BAD_ROOT) for files that cannot be read.
    """
    file = load_trust(options.trust_file) if options.trust_file is not None else None
    # A file of another host pins another application: its checks would fail for a reason that is hard to see.
    if file is not None and file.host != host:
        raise ContradictionError(f"the trust file is of {file.host}, not of {host}")
    # Never from the trust file: it would make every later verification INSECURE without a word on the command line.
    root = development_root(options.insecure_dev_root) if options.insecure_dev_root is not None else None
    app_id = _one("--app-id", options.app_id, file.app_id if file else None)
    if app_id is None and not unnamed:
        raise ContradictionError("name the application with --app-id, or a trust file that does")
    usual = DEVELOPMENT_CHAIN_ID if root is not None else DEFAULT_CHAIN_ID
    chain_id = _one("--chain-id", options.chain_id, file.chain_id if file else None) or usual
    base = file or Trust(host=host, app_id=app_id or bytes(ADDRESS_BYTES), chain_id=chain_id)
    return replace(
        base,
        rpc_urls=_endpoints(options.rpc_urls or base.rpc_urls, chain_id, live=live),
        kms_contract=_one("--kms-contract", options.kms_contract, base.kms_contract),
        accounts=_account_pins(options.account_contract, base.accounts),
        kms_public_key=_one("--kms-public-key", options.kms_public_key, base.kms_public_key),
        tcb=replace(base.tcb, accepted=base.tcb.accepted.union(options.accept_tcb)),
        host_input=base.host_input.union(options.accept_env),
        freshness=options.freshness or base.freshness,
        development_root=root,
    )


def development_root(path: Path) -> DevelopmentRoot:
    """The INSECURE root of a simulator, from a PEM file of one certificate. Raises VerifierError(BAD_ROOT)."""
    from cryptography import x509  # noqa: PLC0415 - a fifth of a replay's start, and needed here alone
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415 - likewise

    try:
        # Exactly one: of several the user could not know which is the root.
        (certificate,) = x509.load_pem_x509_certificates(read_bytes(path, ROOT_LIMIT_BYTES))
        return DevelopmentRoot(certificate.public_bytes(Encoding.DER))
    except (OSError, ValueError) as error:
        message = f"{path} is no PEM file of one certificate ({type(error).__name__})"
        raise VerifierError(VerifierErrorCode.BAD_ROOT, message) from None


def _one(option: str, asked: Value | None, filed: Value | None) -> Value | None:
    # No option overrides a file in silence: whoever wrote the command may not be who checked the file.
    if asked is not None and filed is not None and asked != filed:
        raise ContradictionError(f"{option} and the trust file name different values")
    return asked if asked is not None else filed


def _account_pins(contract: bytes | None, filed: AccountPins | None) -> AccountPins | None:
    if contract is None or filed is None:
        return filed if contract is None else AccountPins(contract=contract)
    _one("--account-contract", contract, filed.contract)
    return filed


def _endpoints(named: tuple[str, ...], chain_id: int, *, live: bool) -> tuple[str, ...]:
    if named or not live:
        return named
    known = DEFAULT_ENDPOINTS.get(chain_id)
    if known is None:
        raise ContradictionError(f"no public endpoints of chain {chain_id} are known here: name yours with --rpc-url")
    return known
