"""Field types of requests for pydantic models. Parsing is pure and does no I/O.

Every type takes a value of JSON or of a query string and returns the form the node works with:
ids and hashes are `int`, addresses are EIP-55 `str`. Nothing is coerced: `true`, `1.0`, `" 5 "` and
`"+5"` are not numbers. Messages never repeat the input, which may be a misplaced secret.
"""

import re
from collections.abc import Callable, Mapping, Sized
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, StrictStr, ValidationInfo, WithJsonSchema

from node.api.errors import ErrorCode, NodeError, as_node_error
from node.engine.cid import parse_cid
from node.errors import DomainError
from node.settings.http import FieldSettings
from node.values import KEY_PATTERN, U64_MAX, ZERO_ADDRESS, checksum_address, hash_of_text

_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,19}")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
_U256_HEX: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_CID: Final = re.compile(r"[A-Za-z0-9+/=_-]{10,200}")
_SHORT_WILDCARDS: Final = frozenset({"0", "0x0"})
_MAX_CAP_CENTS: Final = 10**14
"""Maximum spending cap, a trillion dollars. In micro-dollars it fits a signed 64-bit column."""
_DIGITS: Final = "0123456789abcdef"
_DEFAULTS: Final = FieldSettings()


def parse_u64(value: object) -> int:
    """Returns a u64 from a JSON number, a canonical decimal string or a 0x-hex string.

    Raises ValueError for anything else, also for `true` and `1.0`.
    """
    return _number_up_to(U64_MAX, value, "must be a u64: a number, a decimal string or a 0x-hex string")


def _number_up_to(most: int, value: object, fault: str) -> int:
    number = _number(value)
    if number is None or not 0 <= number <= most:
        raise ValueError(fault)
    return number


def _number(value: object) -> int | None:
    # `bool` is a subclass of `int`, so `true` would become group 1.
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return int(value)
    if isinstance(value, str) and _HEX.fullmatch(value):
        return int(value, 16)
    return None


def parse_target_group(value: object) -> int:
    """Returns the id of one group, a u64 other than the wildcard 0. Raises ValueError."""
    # With the wildcard, one call would change every group.
    number = parse_u64(value)
    if number == 0:
        raise ValueError("must name one group: 0 means all groups and is no group itself")
    return number


def parse_hashed_cid(value: object) -> int:
    """Returns a u256 from `0x` and 64 hex digits. Raises ValueError, which says if it is a CID."""
    if isinstance(value, str) and _U256_HEX.fullmatch(value):
        return int(value, 16)
    if isinstance(value, str) and not value.startswith("0x") and _CID.fullmatch(value):
        raise ValueError("must be the hashed CID (keccak256, 0x and 64 hex digits); this is the CID itself")
    raise ValueError("must be 0x and 64 hex digits")


def parse_action_ref(value: object) -> int:
    """Returns a hashed CID, or 0 for the wildcard: "0", "0x0" or 64 zeros. Raises ValueError."""
    return 0 if isinstance(value, str) and value in _SHORT_WILDCARDS else parse_hashed_cid(value)


def parse_cid_text(value: object) -> str:
    """Returns the text of a CID, not decoded. Raises ValueError, which says if it is a hash."""
    if isinstance(value, str) and (value.startswith("0x") or value == "0"):
        raise ValueError("must be an IPFS CID (CIDv0 or CIDv1); this is a hash, not a CID")
    if not isinstance(value, str) or not _CID.fullmatch(value):
        raise ValueError("must be an IPFS CID (CIDv0 or CIDv1)")
    return value


def parse_address(value: object) -> str:
    """Returns an address in any case as EIP-55. Raises ValueError, also for the zero address."""
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise ValueError("must be an address: 0x and 40 hex digits")
    if int(value, 16) == 0:
        raise ValueError("must not be the zero address")
    return checksum_address(value.lower())


def parse_pkp_id(value: object) -> str | int:
    """Returns a wallet's EIP-55 address, or its running id as `int`. Raises ValueError."""
    if isinstance(value, str) and value.startswith("0x"):
        return parse_address(value)
    return _number_up_to(U64_MAX, value, "must be a wallet: its address (0x and 40 hex digits) or its running id")


def parse_wallet_ref(value: object) -> str | int:
    """Returns a wallet as `parse_pkp_id`, or ZERO_ADDRESS for the wildcard. Raises ValueError."""
    return ZERO_ADDRESS if value == ZERO_ADDRESS else parse_pkp_id(value)


def parse_key(value: object) -> int:
    """Returns the hash of a key, and not the key itself. Raises ValueError."""
    # A key's hash is public on chain and must never pass as a key, so its form is refused.
    if not isinstance(value, str) or not KEY_PATTERN.fullmatch(value):
        raise ValueError("must be a key: base64 of 32 bytes")
    return hash_of_text(value)


def parse_cap(value: object) -> int:
    """Returns a usage key's spending cap in whole cents; 0 means no cap. Raises ValueError."""
    return _number_up_to(_MAX_CAP_CENTS, value, f"must be a whole number of cents from 0 to {_MAX_CAP_CENTS}")


def parse_email(value: object) -> str:
    """Returns a plausible e-mail address of at most 320 characters. Raises ValueError."""
    # RFC 5321, 4.5.3.1. Unprintable characters could begin another header line.
    if not isinstance(value, str) or len(value) > 320 or not value.isprintable():
        raise ValueError("must be an e-mail address of at most 320 characters")
    local, at, domain = value.partition("@")
    if not (local and at and domain) or "@" in domain or " " in value:
        raise ValueError("must be an e-mail address")
    return value


def _cid_v0(text: str) -> str:
    """Returns the CIDv0 of a CID. Raises ValueError, so that the refusal names the field."""
    try:
        return parse_cid(text)
    except DomainError as error:
        fix = as_node_error(error).fix or ""
        raise ValueError(f"is not usable: {error.message} {fix}".strip()) from None


def _each(parse: Callable[[object], int | str]) -> Callable[[object, ValidationInfo], list[int | str]]:
    def parse_list(value: object, info: ValidationInfo) -> list[int | str]:
        if not isinstance(value, list | tuple | set | frozenset):
            raise ValueError("must be a list")  # noqa: TRY004 - pydantic turns ValueError alone into a field error
        # Checked before parsing, since a body has room for hundreds of thousands of entries.
        most = _limits(info).list_max_entries_per_call
        if len(value) > most:
            raise ValueError(_too_many_entries(most, len(value)))
        parsed: list[int | str] = []
        for index, entry in enumerate(value):
            try:
                parsed.append(parse(entry))
            except ValueError as error:
                raise ValueError(f"entry {index} {error}") from None
        # A repetition costs gas and changes nothing. `repr` is the key, since the hash of an `int`
        # is its remainder by 2^61-1: a client could choose ids that all collide in a dict.
        return list({repr(entry): entry for entry in parsed}.values())

    return parse_list


def _too_many_entries(most: int, count: int) -> str:
    return f"the lists of one call may have {most} entries together; these have {count}"


def _limits(info: ValidationInfo) -> FieldSettings:
    """Returns the limits, which the pipeline passes as the validation context."""
    return info.context if isinstance(info.context, FieldSettings) else _DEFAULTS


def _check_name(value: str, info: ValidationInfo) -> str:
    return _at_most(value, _limits(info).name_bytes)


def _check_description(value: str, info: ValidationInfo) -> str:
    return _at_most(value, _limits(info).description_bytes)


def _at_most(value: str, max_bytes: int) -> str:
    """Returns `value`, whose length costs gas, if it is short enough. Raises ValueError."""
    if len(value.encode()) > max_bytes:
        raise ValueError(f"must have at most {max_bytes} bytes of UTF-8")
    return value


# Patterns have no lookaround, since generated clients use the engines of Rust and Go.


def _numbers_up_to(most: str, digits: str, least_first: int = 0) -> str:
    """Returns a pattern of numbers up to `most`, of its length, from the digit `least_first` on."""
    below = digits[least_first : digits.index(most[0])]
    if len(most) == 1:
        return _any_of(below + most)
    if not least_first and not most.strip(digits[-1]):
        return f"{_any_of(digits)}{{{len(most)}}}"
    smaller = f"{_any_of(below)}{_any_of(digits)}{{{len(most) - 1}}}|" if below else ""
    return f"({smaller}{_any_of(most[0])}{_numbers_up_to(most[1:], digits)})"


def _any_of(digits: str) -> str:
    """Returns a pattern of one of `digits`, which are consecutive. Letters match in either case."""
    cases = (digits.strip("abcdef"), digits.lstrip("0123456789"), digits.lstrip("0123456789").upper())
    classes = [case if len(case) == 1 else f"{case[0]}-{case[-1]}" for case in cases if case]
    return classes[0] if classes == [digits] else f"[{''.join(classes)}]"


def _decimal_forms(least: int, most: int) -> list[dict[str, object]]:
    """Returns the schemas of a number as JSON integer and as decimal string."""
    text = str(most)
    above = f"[1-9][0-9]{{0,{len(text) - 2}}}|{_numbers_up_to(text, _DIGITS[:10], 1)}"
    return [
        {"type": "integer", "minimum": least, "maximum": most},
        {"type": "string", "pattern": f"^({above})$" if least else f"^(0|{above})$"},
    ]


def _number_forms(least: int, most: int) -> list[dict[str, object]]:
    """Returns the schemas of a number as JSON integer, decimal string and 0x-hex string."""
    text = f"{most:x}"
    shorter = f"[1-9a-fA-F][0-9a-fA-F]{{0,{len(text) - 2}}}"
    above = f"0x0{{0,63}}({shorter}|{_numbers_up_to(text, _DIGITS, 1)})"
    pattern = f"^({above})$" if least else f"^(0x0{{1,64}}|{above})$"
    return [*_decimal_forms(least, most), {"type": "string", "maxLength": 66, "pattern": pattern}]


_U64_SCHEMA: Final[dict[str, object]] = {
    "anyOf": _number_forms(0, U64_MAX),
    "description": "u64: number, decimal or 0x-hex string",
    "examples": ["1"],
}
_TARGET_SCHEMA: Final[dict[str, object]] = {
    "anyOf": _number_forms(1, U64_MAX),
    "description": "one group: number, decimal or 0x-hex string",
    "examples": ["1"],
}
_EXAMPLE_HASH: Final = "0x8fb9ccf3a4bf2d51e4e97e4b3a9c2f6ce2c7d4f0a5b3d1c6e7f8091a2b3c4d5e"
_U256_SCHEMA: Final[dict[str, object]] = {
    "type": "string",
    "pattern": f"^{_U256_HEX.pattern}$",
    "examples": [_EXAMPLE_HASH],
}
_ACTION_SCHEMA: Final[dict[str, object]] = {
    "type": "string",
    "pattern": f"^({_U256_HEX.pattern}|0|0x0)$",
    "description": 'hashed CID, or "0" for any action',
    "examples": [_EXAMPLE_HASH],
}
_ADDRESS_SCHEMA: Final[dict[str, object]] = {
    "type": "string",
    "minLength": 42,
    "maxLength": 42,
    "pattern": "^0x[0-9a-fA-F]*[1-9a-fA-F][0-9a-fA-F]*$",
    "examples": ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"],
}
_RUNNING_ID: Final = _decimal_forms(0, U64_MAX)
_PKP_SCHEMA: Final[dict[str, object]] = {
    "anyOf": [*_RUNNING_ID, _ADDRESS_SCHEMA],
    "description": "wallet address, or the wallet's running id",
    "examples": ["1"],
}
_WALLET_SCHEMA: Final[dict[str, object]] = {
    "anyOf": [*_RUNNING_ID, {"type": "string", "pattern": f"^{_ADDRESS.pattern}$"}],
    "description": "wallet address, the wallet's running id, or forty zeros for every wallet",
    "examples": ["1"],
}
_BASE58: Final = "[1-9A-HJ-NP-Za-km-z]"
_CID_SCHEMA: Final[dict[str, object]] = {
    "type": "string",
    # 46 base-58 digits of a CIDv0 lie from QmNLei78… to QmfZy5bv…. The others are CIDv1 forms.
    "pattern": f"^(Qm(N[L-NP-Za-km-z]|[P-Za-e]{_BASE58}|f[1-9A-HJ-NP-Z]){_BASE58}{{42}}"
    "|bafybei[a-h][a-z2-7]{50}[aeimquy4]|f01701220[0-9a-f]{64})$",
    "description": "CIDv0, or the same as a dag-pb CIDv1 (other multibases than base32 and base16 are taken as well)",
    "examples": ["QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"],
}


def _text_schema(limit: str) -> dict[str, object]:
    # The operator sets the limit. `openapi.py` replaces the setting's name by its number.
    return {
        "type": "string",
        "maxLength": limit,
        "description": "the limit counts bytes of UTF-8",
        "examples": ["Treasury"],
    }


GroupId = Annotated[int, BeforeValidator(parse_u64), WithJsonSchema(_U64_SCHEMA)]
"""A group id; 0 means all groups."""

TargetGroupId = Annotated[int, BeforeValidator(parse_target_group), WithJsonSchema(_TARGET_SCHEMA)]
"""The group an endpoint works on. The wildcard 0 is refused."""

GroupIds = Annotated[
    list[int], BeforeValidator(_each(parse_u64)), WithJsonSchema({"type": "array", "items": _U64_SCHEMA})
]
"""Group ids in the order given, without repetitions. `[0]` means all groups."""

HashedCid = Annotated[int, BeforeValidator(parse_hashed_cid), WithJsonSchema(_U256_SCHEMA)]
"""keccak256 of a CIDv0 string, as u256."""

ActionRef = Annotated[int, BeforeValidator(parse_action_ref), WithJsonSchema(_ACTION_SCHEMA)]
"""A hashed CID, or 0 for the action wildcard."""

ActionRefs = Annotated[
    list[int], BeforeValidator(_each(parse_action_ref)), WithJsonSchema({"type": "array", "items": _ACTION_SCHEMA})
]
"""Hashed CIDs (0 for the wildcard) in the order given, without repetitions."""

CidText = Annotated[
    str,
    BeforeValidator(parse_cid_text),
    WithJsonSchema(_CID_SCHEMA),
]
"""A CID as text, not decoded."""

ActionCid = Annotated[CidText, AfterValidator(_cid_v0)]
"""The CIDv0 of an action, given as CIDv0 or CIDv1."""

Address = Annotated[str, BeforeValidator(parse_address), WithJsonSchema(_ADDRESS_SCHEMA)]
"""A nonzero address; EIP-55 after parsing."""

PkpId = Annotated[str | int, BeforeValidator(parse_pkp_id), WithJsonSchema(_PKP_SCHEMA)]
"""A wallet, by its EIP-55 address (`str`) or its running id (`int`)."""

WalletRef = Annotated[str | int, BeforeValidator(parse_wallet_ref), WithJsonSchema(_WALLET_SCHEMA)]
"""A wallet, or ZERO_ADDRESS for the wallet wildcard."""

WalletRefs = Annotated[
    list[str | int],
    BeforeValidator(_each(parse_wallet_ref)),
    WithJsonSchema({"type": "array", "items": _WALLET_SCHEMA}),
]
"""Wallets (ZERO_ADDRESS for the wildcard) in the order given, without repetitions."""

ApiKeyText = Annotated[
    int,
    BeforeValidator(parse_key),
    WithJsonSchema({"type": "string", "format": "password", "pattern": f"^{KEY_PATTERN.pattern}$"}),
]
"""A key in a body. It is base64 text on the wire and its hash (u256) in the model."""

KeyHash = Annotated[int, BeforeValidator(parse_hashed_cid), WithJsonSchema(_U256_SCHEMA)]
"""The hash of a key (`api_key_hash`); u256 as hex on the wire."""

Expiration = Annotated[int, BeforeValidator(parse_u64), WithJsonSchema(_U64_SCHEMA)]
"""Time of expiry in unix seconds, which may be past; 0 means never."""

CapCents = Annotated[
    int,
    BeforeValidator(parse_cap),
    WithJsonSchema({"anyOf": _number_forms(0, _MAX_CAP_CENTS), "description": f"cents, at most {_MAX_CAP_CENTS}"}),
]
"""Lifetime spending cap of a usage key (`balance`) in whole cents; 0 means no cap."""

Name = Annotated[StrictStr, AfterValidator(_check_name), WithJsonSchema(_text_schema("name_bytes"))]
"""A name of at most `FieldSettings.name_bytes` bytes of UTF-8."""

Description = Annotated[
    StrictStr, AfterValidator(_check_description), WithJsonSchema(_text_schema("description_bytes"))
]
"""A description of at most `FieldSettings.description_bytes` bytes of UTF-8."""

Email = Annotated[
    str,
    BeforeValidator(parse_email),
    WithJsonSchema({"type": "string", "maxLength": 320, "pattern": r"^[^@\s]+@[^@\s]+$"}),
]
"""An e-mail address for receipts."""


def require_few_entries(settings: FieldSettings, lists: Mapping[str, Sized]) -> None:
    """Checks the sum of entries in the lists, by field name. Raises NodeError `bad_request`."""
    total = sum(len(entries) for entries in lists.values())
    if total <= settings.list_max_entries_per_call:
        return
    fault = _too_many_entries(settings.list_max_entries_per_call, total)
    raise NodeError(
        ErrorCode.BAD_REQUEST,
        f"Too many entries: {fault}.",
        fix="Send the entries in several calls.",
        details={"fields": {name: fault for name, entries in lists.items() if entries}},
    )
