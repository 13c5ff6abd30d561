"""Parses, checks and hashes the typed data that a wallet signs (docs/chain-secured.md).

Every member is required and no other is allowed, so that a wallet and this node never read one text
differently. Types and domain are fixed, so four digests replace `node.keyring.signing`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.api.calls import DuplicateFieldError, json_bytes, parse_strict_json
from node.api.errors import ErrorCode, NodeError
from node.values import U256_MAX, checksum_address, keccak256

TYPED_DATA_MAX_BYTES: Final = 4096
"""Maximum size as JSON. The API promises it and the constants below, so they are no settings."""
SIGNATURE_MAX_BYTES: Final = 4096
ISSUED_AT_WINDOW_S: Final = 300
DOMAIN_NAME: Final = "Service ChainSecured"
DOMAIN_VERSION: Final = "1"

_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,77}")
_HEX_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HEX_BYTES: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_MEMBERS: Final = frozenset({"types", "primaryType", "domain", "message"})
_DOMAIN_FIELDS: Final = (("name", "string"), ("version", "string"), ("chainId", "uint256"))
_MESSAGE_FIELDS: Final = (("address", "address"), ("issuedAt", "uint256"))
_COUNTERFACTUAL: Final = bytes.fromhex("6492" * 16)
"""Last 32 bytes of an ERC-6492 signature, one by a wallet that is not deployed."""

Json: TypeAlias = Mapping[str, JsonValue]


class Reason(StrEnum):
    """Faults of an envelope in the order of the checks. Clients may rely on these names."""

    TYPED_DATA_SIZE = "typed_data_size"
    TYPED_DATA_MALFORMED = "typed_data_malformed"
    TYPED_DATA_DUPLICATE_MEMBER = "typed_data_duplicate_member"
    TYPED_DATA_MEMBERS = "typed_data_members"
    PRIMARY_TYPE = "primary_type"
    DOMAIN_MEMBERS = "domain_members"
    DOMAIN_NAME = "domain_name"
    DOMAIN_VERSION = "domain_version"
    DOMAIN_CHAIN_ID_MALFORMED = "domain_chain_id_malformed"
    DOMAIN_CHAIN_ID = "domain_chain_id"
    TYPES = "types"
    MESSAGE_MEMBERS = "message_members"
    MESSAGE_ADDRESS = "message_address"
    ISSUED_AT_MALFORMED = "issued_at_malformed"
    ISSUED_AT_WINDOW = "issued_at_window"
    SIGNATURE_SIZE = "signature_size"
    SIGNATURE_MALFORMED = "signature_malformed"
    SIGNATURE_COUNTERFACTUAL = "signature_counterfactual"
    SIGNATURE_NO_CODE = "signature_no_code"
    SIGNATURE_REJECTED = "signature_rejected"
    ADDRESS_MISMATCH = "address_mismatch"


_SIGN_ANEW: Final = "Build the envelope as the example of this endpoint in /core/v1/openapi.json, and sign it again."


class EnvelopeFault(ValueError):  # noqa: N818 - a fault of the client's input, named by its reason
    """Fault of an envelope, shown to the client. It repeats only the time of the envelope."""

    def __init__(self, reason: Reason, message: str, fix: str | None = None, **details: JsonValue) -> None:
        super().__init__(message)
        self.reason = reason
        self.fix = fix
        self.details = details

    def refusal(self) -> NodeError:
        """Returns the 400 `bad_request` of this fault."""
        return NodeError(
            ErrorCode.BAD_REQUEST,
            str(self),
            fix=self.fix or _SIGN_ANEW,
            details={"reason": str(self.reason), **self.details},
        )


class PrimaryType(StrEnum):
    """Purpose of a signature. Each endpoint accepts one."""

    CREATE_WALLET = "CreateWallet"
    CONVERT_ACCOUNT = "ConvertAccount"
    ADD_USAGE_API_KEY = "AddUsageApiKey"
    BILLING_AUTH = "BillingAuth"


@dataclass(frozen=True, slots=True)
class Expected:
    """Required type (of the endpoint), chain id (of the node), and present unix time."""

    primary_type: PrimaryType
    chain_id: int
    now: float


@dataclass(frozen=True, slots=True)
class Envelope:
    """A valid envelope whose signature has not been checked. `address` is EIP-55."""

    primary_type: PrimaryType
    chain_id: int
    address: str
    issued_at: int

    def digest(self) -> bytes:
        """Returns the 32 bytes that the wallet signs (EIP-712)."""
        # No RLP list begins with 0x19, so this is never the hash of a transaction (EIP-191).
        return keccak256(b"\x19\x01" + _domain_separator(self.chain_id) + self._struct_hash())

    def _struct_hash(self) -> bytes:
        # EIP-712 begins a struct with its type's hash; each atomic value takes one word.
        address = bytes.fromhex(self.address[2:]).rjust(32, b"\0")
        return keccak256(_type_hash(self.primary_type, _MESSAGE_FIELDS) + address + self.issued_at.to_bytes(32))


def typed_data_text(value: JsonValue) -> str:
    """Returns `typed_data`, object or JSON text, as text of at most 4 KiB. Raises EnvelopeFault."""
    if isinstance(value, dict):
        # Serialise it again, so that white space does not count towards the limit.
        raw = json_bytes(value)
    elif isinstance(value, str):
        raw = value.encode()
    else:
        raise EnvelopeFault(Reason.TYPED_DATA_MALFORMED, "typed_data is neither an object nor a JSON text of one.")
    if len(raw) > TYPED_DATA_MAX_BYTES:
        message = f"typed_data is larger than {TYPED_DATA_MAX_BYTES} bytes of JSON."
        raise EnvelopeFault(Reason.TYPED_DATA_SIZE, message, max_bytes=TYPED_DATA_MAX_BYTES)
    return raw.decode()


def read_envelope(text: str, expected: Expected) -> Envelope:
    """Returns `text` as an envelope if it is as expected. Raises EnvelopeFault (first fault)."""
    # Clients may rely on the order of `Reason`: the purpose comes first, the time last.
    envelope = _object_of(text)
    primary_type = expected.primary_type
    # Each endpoint has its own type, so a mint cannot be replayed as a conversion.
    if envelope["primaryType"] != primary_type.value:
        raise EnvelopeFault(
            Reason.PRIMARY_TYPE,
            f"typed_data is for something else: this endpoint takes the primaryType {primary_type} alone.",
            fix="Sign a message of this endpoint's own; one made for another endpoint counts nowhere else.",
        )
    _check_domain(envelope["domain"], expected.chain_id)
    _check_types(envelope["types"], primary_type)
    address, issued_at = _read_message(envelope["message"])
    _check_window(issued_at, expected.now)
    return Envelope(primary_type, expected.chain_id, address, issued_at)


def signature_bytes(text: str) -> bytes:
    """Returns the bytes of a 0x hex signature of at most 4,096 bytes. Refuses ERC-6492.

    Raises EnvelopeFault.
    """
    # Check the length first: a valid text may be sent to every provider as calldata.
    if len(text) > len("0x") + 2 * SIGNATURE_MAX_BYTES:
        message = f"The signature is larger than {SIGNATURE_MAX_BYTES} bytes."
        raise EnvelopeFault(Reason.SIGNATURE_SIZE, message, max_bytes=SIGNATURE_MAX_BYTES)
    if not _HEX_BYTES.fullmatch(text):
        raise EnvelopeFault(Reason.SIGNATURE_MALFORMED, "The signature is not 0x and two hex digits for each byte.")
    signature = bytes.fromhex(text[2:])
    # The contract does not exist yet, and the node deploys none on behalf of a signature.
    if signature.endswith(_COUNTERFACTUAL):
        raise EnvelopeFault(
            Reason.SIGNATURE_COUNTERFACTUAL,
            "This is a signature of a contract wallet that is not deployed (ERC-6492).",
            fix="Deploy the wallet on the node's chain first, then sign.",
        )
    return signature


def _object_of(text: str) -> Json:
    try:
        value = parse_strict_json(text.encode())
    except DuplicateFieldError:
        # With two members of one name, a wallet may show one and sign the other.
        raise EnvelopeFault(
            Reason.TYPED_DATA_DUPLICATE_MEMBER, "typed_data names a member twice in one object."
        ) from None
    except ValueError:
        raise EnvelopeFault(Reason.TYPED_DATA_MALFORMED, "typed_data is not JSON in UTF-8.") from None
    return _with_members(value, _MEMBERS, "typed_data", Reason.TYPED_DATA_MEMBERS)


def _with_members(value: JsonValue, members: frozenset[str], what: str, reason: Reason) -> Json:
    """Returns `value` as an object of exactly these members."""
    if not isinstance(value, dict) or value.keys() != members:
        raise EnvelopeFault(reason, f"{what} must be an object of exactly {', '.join(sorted(members))}.")
    return value


def _check_domain(value: JsonValue, chain_id: int) -> None:
    domain = _with_members(value, _names(_DOMAIN_FIELDS), "domain", Reason.DOMAIN_MEMBERS)
    if domain["name"] != DOMAIN_NAME:
        raise EnvelopeFault(Reason.DOMAIN_NAME, f"domain.name must be the text {DOMAIN_NAME}.")
    if domain["version"] != DOMAIN_VERSION:
        raise EnvelopeFault(Reason.DOMAIN_VERSION, f"domain.version must be the text {DOMAIN_VERSION}.")
    given = _chain_id(domain["chainId"])
    if given is None:
        raise EnvelopeFault(
            Reason.DOMAIN_CHAIN_ID_MALFORMED, "domain.chainId must be a decimal text, a 0x-hex text or a whole number."
        )
    # Without this check a signature made on a test network would be valid on the main one.
    if given != chain_id:
        raise EnvelopeFault(
            Reason.DOMAIN_CHAIN_ID,
            f"domain.chainId is not the node's, which is {chain_id}.",
            fix="Take chain_id from get_node_chain_config.",
        )


def types_of(primary_type: PrimaryType) -> dict[str, JsonValue]:
    """Returns the `types` that an envelope of this purpose must have."""
    fields = {"EIP712Domain": _DOMAIN_FIELDS, primary_type.value: _MESSAGE_FIELDS}
    return {name: [{"name": field, "type": kind} for field, kind in listed] for name, listed in fields.items()}


def _check_types(value: JsonValue, primary_type: PrimaryType) -> None:
    # The order of fields matters, since the type's hash depends on it.
    if value != types_of(primary_type):
        raise EnvelopeFault(
            Reason.TYPES,
            f"types must be exactly EIP712Domain and {primary_type}, with exactly their fields in exactly their order.",
            fix="The order of fields is part of what is signed: see docs/chain-secured.md.",
        )


def _read_message(value: JsonValue) -> tuple[str, int]:
    message = _with_members(value, _names(_MESSAGE_FIELDS), "message", Reason.MESSAGE_MEMBERS)
    address = message["address"]
    if not isinstance(address, str) or not _ADDRESS.fullmatch(address) or int(address, 16) == 0:
        raise EnvelopeFault(
            Reason.MESSAGE_ADDRESS, "message.address must be 0x and 40 hex digits, and not the zero address."
        )
    issued_at = _decimal(message["issuedAt"])
    if issued_at is None:
        raise EnvelopeFault(
            Reason.ISSUED_AT_MALFORMED,
            "message.issuedAt must be unix seconds: a whole number, or decimal digits without sign, blanks or leading zeros.",
        )
    return checksum_address(address.lower()), issued_at


def _check_window(issued_at: int, now: float) -> None:
    # In both directions: a future time would be a signature that can be replayed for longer.
    seconds = int(now)
    if abs(seconds - issued_at) > ISSUED_AT_WINDOW_S:
        raise EnvelopeFault(
            Reason.ISSUED_AT_WINDOW,
            f"message.issuedAt is more than {ISSUED_AT_WINDOW_S} seconds from the node's time.",
            fix="Set the wallet's clock, sign anew and send at once.",
            server_time=seconds,
        )


def _names(fields: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset(name for name, _ in fields)


def _decimal(value: JsonValue) -> int | None:
    """Returns an integer given as number or decimal digits; else None, as for `true` or `1.0`."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = int(value)
    # In Python `true` is an int.
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and isinstance(value, int) and 0 <= value <= U256_MAX else None


def _chain_id(value: JsonValue) -> int | None:
    return int(value, 16) if isinstance(value, str) and _HEX_NUMBER.fullmatch(value) else _decimal(value)


def _type_hash(name: str, fields: tuple[tuple[str, str], ...]) -> bytes:
    return keccak256(f"{name}({','.join(f'{kind} {field}' for field, kind in fields)})".encode())


def _domain_separator(chain_id: int) -> bytes:
    name, version = keccak256(DOMAIN_NAME.encode()), keccak256(DOMAIN_VERSION.encode())
    return keccak256(_type_hash("EIP712Domain", _DOMAIN_FIELDS) + name + version + chain_id.to_bytes(32))
