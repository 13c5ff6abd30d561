"""Reads and writes trust files, and joins one with the options of a command line."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast

from svc_verifier.compose.known_scripts import script_digests
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import (
    DEFAULT_CHAIN_ID,
    DEFAULT_PROVIDERS,
    DEVELOPMENT_CHAIN_ID,
    HostAddress,
    is_rpc_url,
    rpc_origin,
)
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

Value = TypeVar("Value")

LIMIT_BYTES: Final = 262_144
_OFFSET_END: Final = 1 << 16
"""End of byte offsets. Code on chain is shorter (EIP-170: 24,576 bytes)."""

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
    """Read the text of a trust file. Raises VerifierError(BAD_TRUST)."""
    try:
        read: dict[str, Toml] = dict(tomllib.loads(text))
    except (ValueError, RecursionError):
        raise _bad("is no TOML") from None
    return _TRUST.read(read)


def trust_text(trust: Trust, reasons: Mapping[str, str] | None = None) -> str:
    """Returns a trust file's text, for `parse_trust`, with `reasons` by member as comments.

    It has no development root, which must be named by hand each time.
    """
    return _HEADER + "".join(_TRUST.written(trust, reasons or {}))


def parse_hex(text: str, length: int | None, what: str) -> bytes:
    """Parse hex with or without 0x, of that length if any. Raises VerifierError(BAD_TRUST)."""
    # bytes.fromhex alone would skip blanks.
    digits = text.removeprefix("0x")
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})+", digits) or length not in {None, len(digits) // 2}:
        raise _bad(f"{what} is not {'' if length is None else f'{length} bytes in '}hex")
    return bytes.fromhex(digits)


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_TRUST, f"trust: {what}")


@dataclass(frozen=True, slots=True)
class _Form:
    """A value's form in a file. `read` takes TOML's value and a name for errors."""

    read: Callable[[Toml, str], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class _Table(Generic[Value]):
    """A table of a file, with the class it is read into and its members' forms in written order.

    A member with a table as form is one table or none; in `lists` any number. Members are required
    if the class has no default, and not written if they equal it, except for `always`.
    """

    of: type[Value]
    forms: Mapping[str, "_Form | _Table[Any]"]
    lists: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()

    def read(self, value: Toml, name: str = "") -> Value:
        """Parse a table. Raises VerifierError(BAD_TRUST)."""
        prefix = f"{name}." if name else ""
        if not isinstance(value, dict):
            raise _bad(f"{name} is no table")
        # A misspelt member would pin nothing without the user's knowledge.
        for unknown in sorted(value.keys() - self.forms.keys()):
            raise _bad(f"{prefix}{unknown} is not known; known are {', '.join(sorted(self.forms))}")
        for member, default in self._defaults().items():
            if default is MISSING and member not in value:
                raise _bad(f"{prefix}{member} is missing")
        make: Callable[..., Value] = self.of
        return make(**{each: self._member(each, item, f"{prefix}{each}") for each, item in value.items()})

    def _member(self, member: str, value: Toml, name: str) -> Any:
        form = self.forms[member]
        if member not in self.lists:
            return form.read(value, name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise _bad(f"{name} is no list of tables")
        return tuple(form.read(item, name) for item in value)

    def written(self, value: Value, reasons: Mapping[str, str], name: str = "") -> Iterator[str]:
        """Yields the members, each below its reason, and then the tables among them."""
        for member, default in self._defaults().items():
            item, form, path = getattr(value, member), self.forms[member], f"{name}.{member}" if name else member
            if item == default and member not in self.always:
                continue
            reason = f"# {plain(reasons[path])}\n" if path in reasons else ""
            if isinstance(form, _Form):
                line = form.write(item) if member == IMPLEMENTATIONS else f"{member} = {form.write(item)}\n"
                yield f"{reason}{line}" if name else f"\n{reason}{line}"
                continue
            for each in item if member in self.lists else (item,):
                yield f"\n{reason}[[{path}]]\n" if member in self.lists else f"\n{reason}[{path}]\n"
                yield from form.written(each, reasons, path)

    def _defaults(self) -> Mapping[str, object]:
        """Returns the default of each member in written order; MISSING for required ones."""
        declared = fields(cast("Any", self.of))
        made = {field.name: field.default_factory() for field in declared if field.default_factory is not MISSING}
        defaults = {field.name: field.default for field in declared} | made
        return {name: defaults[name] for name in self.forms}


def _text(value: Toml, name: str) -> str:
    if not isinstance(value, str) or not value:
        raise _bad(f"{name} is no text")
    return value


def _texts(value: Toml, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _bad(f"{name} is no list of texts")
    return [str(item) for item in value]


def _host(value: Toml, name: str) -> str:
    """Returns the name alone, since the port is no part of a host's identity."""
    try:
        return HostAddress.of(_text(value, name)).name
    except VerifierError as error:
        raise _bad(f"{name}: {error.message}") from None


def _number(value: Toml, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _bad(f"{name} is no number of 0 or more")
    return value


def _chain_id(value: Toml, name: str) -> int:
    if not _number(value, name):
        raise _bad(f"{name} is missing")
    return _number(value, name)


def _rpc_urls(value: Toml, name: str) -> tuple[str, ...]:
    urls = tuple(_texts(value, name))
    if not all(map(is_rpc_url, urls)):
        raise _bad(f"{name} holds what is no http or https URL (it is not shown: it may hold credentials)")
    return urls


def _origins(value: Toml, name: str) -> frozenset[str]:
    """Returns origins in the form in which a node's are compared. A node states no more."""
    origins = frozenset(map(rpc_origin, _texts(value, name)))
    if not all(origins):
        raise _bad(
            f"{name} holds what is no origin as https://HOST[:PORT] in ASCII (not shown: it may hold credentials)"
        )
    return origins


def _compressed_key(value: Toml, name: str) -> bytes:
    """Returns a compressed key. A node states no other form, so another pin could never pass."""
    point = parse_hex(_text(value, name), 33, name)
    if point[0] not in {2, 3}:
        raise _bad(f"{name} is no compressed public key, which starts with 02 or 03")
    return point


def _script(text: str, name: str) -> frozenset[bytes]:
    """Returns hashes of a script by SHA-256 or by an exact NAME@VERSION of the table."""
    if "@" not in text:
        return frozenset({parse_hex(text, 32, name)})
    digests = script_digests(text)
    if not digests:
        raise _bad(f"{name}: {text!r} is not in this verifier's table; name its sha256")
    return digests


def _scripts(value: Toml, name: str) -> frozenset[bytes]:
    return frozenset().union(*(_script(text, name) for text in _texts(value, name)))


def _offsets(value: Toml, name: str) -> tuple[int, ...]:
    """Returns one offset or more, since an immutable without a place could not be read."""
    if not isinstance(value, list) or not 0 < len(value) <= _OFFSETS_MAX:
        raise _bad(f"{name} is no list of 1 to {_OFFSETS_MAX} byte offsets")
    offsets = tuple(item for item in value if isinstance(item, int) and not isinstance(item, bool))
    if len(offsets) < len(value) or not all(0 <= offset < _OFFSET_END for offset in offsets):
        raise _bad(f"{name} holds what is no byte offset below {_OFFSET_END}")
    return offsets


def _statuses(value: Toml, name: str) -> frozenset[TcbStatus]:
    known = {status.value: status for status in TcbStatus}
    for status in _texts(value, name):
        if status not in known:
            raise _bad(f"{name}: {status!r} is none of {', '.join(known)}")
    return frozenset(known[status] for status in _texts(value, name))


def _advisories(value: Toml, name: str) -> frozenset[str]:
    """Returns ids as Intel writes them, since another form would reject nothing."""
    for text in (ids := _texts(value, name)):
        if not _ADVISORY.fullmatch(text):
            raise _bad(f"{name}: {text!r} is no id as INTEL-SA-00615")
    return frozenset(ids)


def _freshness(value: Toml, name: str) -> Freshness:
    if not isinstance(value, str) or value not in set(Freshness):
        raise _bad(f"{name} is neither nonce nor evidence")
    return Freshness(value)


def _implementations(value: Toml, name: str) -> Mapping[bytes, str]:
    if not isinstance(value, dict) or not all(isinstance(known_as, str) for known_as in value.values()):
        raise _bad(f"{name} is no table of code hash and name")
    return {parse_hex(digest, 32, name): str(known_as) for digest, known_as in value.items()}


def _written_implementations(names: Mapping[bytes, str]) -> str:
    rows = (f"{_quoted(_hex(digest))} = {_quoted(known_as)}\n" for digest, known_as in sorted(names.items()))
    return f"[{IMPLEMENTATIONS}]\n{''.join(rows)}"


def _quoted(value: str) -> str:
    """Returns a TOML basic string, whose escapes are JSON's and DEL's."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _quoted_list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, values))}]"


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"


def _of_bytes(length: int | None) -> _Form:
    """Returns the form of bytes in hex, of a given length if any."""
    return _Form(lambda value, name: parse_hex(_text(value, name), length, name), lambda data: _quoted(_hex(data)))


def _of_hashes(length: int) -> _Form:
    """Returns the form of a set of bytes in hex, all of one length."""
    return _Form(
        lambda value, name: frozenset(parse_hex(text, length, name) for text in _texts(value, name)), _written_hashes
    )


def _written_hashes(values: Iterable[bytes]) -> str:
    return _quoted_list(map(_hex, sorted(values)))


def _written_texts(values: Iterable[str]) -> str:
    return _quoted_list(sorted(values))


IMPLEMENTATIONS: Final = "implementations"
_NUMBER: Final = _Form(_number, str)
_OFFSETS: Final = _Form(_offsets, lambda offsets: str(list(offsets)))
_TEXTS: Final = _Form(lambda value, name: frozenset(_texts(value, name)), _written_texts)
_TCB: Final = {
    "accepted": _Form(_statuses, _written_texts),
    "rejected_advisories": _Form(_advisories, _written_texts),
    "minimum_evaluation_number": _NUMBER,
    "collateral_max_age_s": _NUMBER,
    "platforms": _of_hashes(16),
    "tdx_modules": _of_hashes(48),
}
_ACCOUNTS: Final = _Table(
    AccountPins,
    {
        "contract": _of_bytes(20),
        "owners": _of_hashes(20),
        "minimum_owner_change_delay_s": _NUMBER,
        "payers": _of_hashes(20),
        "accepted_replacements": _NUMBER,
        "codes": _Table(
            AccountContractCode,
            {
                "code_hash": _of_bytes(32),
                "views_code_hash": _of_bytes(32),
                "views_module_at": _OFFSETS,
                "owner_change_delay_at": _OFFSETS,
            },
        ),
    },
    lists=frozenset({"codes"}),
)
_MEASUREMENTS: Final = _Table(
    OsMeasurements,
    {
        "os_image_hash": _of_bytes(32),
        "mrtd": _of_bytes(48),
        "kernel": _of_bytes(48),
        "command_line": _of_bytes(48),
        "initrd": _of_bytes(48),
    },
)
# No development root, which in a file would make every later verification INSECURE.
_TRUST: Final = _Table(
    Trust,
    {
        "host": _Form(_host, _quoted),
        "app_id": _of_bytes(20),
        "chain_id": _Form(_chain_id, str),
        "freshness": _Form(_freshness, lambda freshness: _quoted(freshness.value)),
        "rpc_urls": _Form(_rpc_urls, _quoted_list),
        "kms_contract": _of_bytes(20),
        "kms_public_key": _of_bytes(None),
        "kms_root_public_key": _Form(_compressed_key, lambda key: _quoted(_hex(key))),
        "mr_owner": _of_bytes(48),
        "mr_owner_config": _of_bytes(48),
        "rpc_providers": _Form(_origins, _written_texts),
        "host_input": _TEXTS,
        "app_compose_members": _TEXTS,
        "mounts": _TEXTS,
        "owners": _of_hashes(20),
        "os_images": _of_hashes(32),
        "acpi_tables": _of_hashes(48),
        "compose_hashes": _of_hashes(32),
        "scripts": _Form(_scripts, _written_hashes),
        IMPLEMENTATIONS: _Form(_implementations, _written_implementations),
        "os_measurements": _MEASUREMENTS,
        "accounts": _ACCOUNTS,
        "tcb": _Table(TcbPolicy, _TCB, always=frozenset(_TCB)),
    },
    lists=frozenset({"os_measurements"}),
    always=frozenset({"freshness", "tcb"}),
)
_HEADER: Final = (
    "# What `svc-verify --trust` measures this host against. Whoever may write this file decides what is accepted.\n"
)


ADDRESS_BYTES: Final = 20
ROOT_LIMIT_BYTES: Final = 65_536


class ContradictionError(Exception):
    """The command line contradicts itself or the trust file, or is incomplete (exit code 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustOptions:
    """Options that say what is trusted; None and empty if they are not given."""

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
    """Returns the trust for a host's name. `live` needs providers of the chain, a replay does not.

    If `unnamed`, the application may be absent, and its id is zeros. Raises ContradictionError, and
    VerifierError(BAD_TRUST, BAD_ROOT) for files that cannot be read.
    """
    file = load_trust(options.trust_file) if options.trust_file is not None else None
    # A file of another host pins another application, whose failures would be confusing.
    if file is not None and file.host != host:
        raise ContradictionError(f"the trust file is of {file.host}, not of {host}")
    # Never from the trust file, since only the command line may make a verification INSECURE.
    root = development_root(options.insecure_dev_root) if options.insecure_dev_root is not None else None
    app_id = _one("--app-id", options.app_id, file.app_id if file else None)
    if app_id is None and not unnamed:
        raise ContradictionError("name the application with --app-id, or a trust file that does")
    usual = DEVELOPMENT_CHAIN_ID if root is not None else DEFAULT_CHAIN_ID
    chain_id = _one("--chain-id", options.chain_id, file.chain_id if file else None) or usual
    base = file or Trust(host=host, app_id=app_id or bytes(ADDRESS_BYTES), chain_id=chain_id)
    return replace(
        base,
        rpc_urls=_providers(options.rpc_urls or base.rpc_urls, chain_id, live=live),
        kms_contract=_one("--kms-contract", options.kms_contract, base.kms_contract),
        accounts=_account_pins(options.account_contract, base.accounts),
        kms_public_key=_one("--kms-public-key", options.kms_public_key, base.kms_public_key),
        tcb=replace(base.tcb, accepted=base.tcb.accepted.union(options.accept_tcb)),
        host_input=base.host_input.union(options.accept_env),
        freshness=options.freshness or base.freshness,
        development_root=root,
    )


def development_root(path: Path) -> DevelopmentRoot:
    """Returns a simulator's INSECURE root from a PEM file. Raises VerifierError(BAD_ROOT)."""
    from cryptography import x509  # noqa: PLC0415 - a fifth of a replay's start, and needed here alone
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415 - likewise

    try:
        # Exactly one, since with several the user could not know which is the root.
        (certificate,) = x509.load_pem_x509_certificates(read_bytes(path, ROOT_LIMIT_BYTES))
        return DevelopmentRoot(certificate.public_bytes(Encoding.DER))
    except (OSError, ValueError) as error:
        message = f"{path} is no PEM file of one certificate ({type(error).__name__})"
        raise VerifierError(VerifierErrorCode.BAD_ROOT, message) from None


def _one(option: str, asked: Value | None, filed: Value | None) -> Value | None:
    # No option overrides a file silently, since their authors may be different people.
    if asked is not None and filed is not None and asked != filed:
        raise ContradictionError(f"{option} and the trust file name different values")
    return asked if asked is not None else filed


def _account_pins(contract: bytes | None, filed: AccountPins | None) -> AccountPins | None:
    if contract is None or filed is None:
        return filed if contract is None else AccountPins(contract=contract)
    _one("--account-contract", contract, filed.contract)
    return filed


def _providers(named: tuple[str, ...], chain_id: int, *, live: bool) -> tuple[str, ...]:
    if named or not live:
        return named
    known = DEFAULT_PROVIDERS.get(chain_id)
    if known is None:
        raise ContradictionError(f"no public endpoints of chain {chain_id} are known here: name yours with --rpc-url")
    return known
