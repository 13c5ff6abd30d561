"""The configuration that a node attests: members of its statement that the verifier compares with pins.

Other applications state other things, or nothing. A member that is absent, or of another form, is None here.
"""

import re
from dataclasses import dataclass
from typing import Final

from svc_verifier.formats.strict_json import Json, parse_json_object

LIMIT_BYTES: Final = 1_048_576
NESTING: Final = 16
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HASH: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{64}")
_PUBLIC_KEY: Final = re.compile(r"(?:[0-9a-f]{66})?")


@dataclass(frozen=True, slots=True)
class AttestedConfig:
    """Configuration that a node attests: its accounts, and whom it believes.

    `contract` and `views_module` are 20 bytes, code hashes 32, as in `AccountContractCode`. `kms_root_public_key` is
    empty where the node requires no key.
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


def parse_attested_config(statement: str) -> AttestedConfig:
    """The configuration in the text of a statement. Raises VerifierError(TOO_LARGE, NOT_JSON), and nothing else."""
    read = parse_json_object(statement, "statement", LIMIT_BYTES, NESTING)
    config = _object(read.get("config"))
    settings, accounts = _object(config.get("settings")), _object(config.get("account_contract"))
    return AttestedConfig(
        chain_id=_number(accounts.get("chain_id", settings.get("chain_id"))),
        domains=_domains(settings.get("domain")),
        rpc_providers=_texts(settings.get("rpc_endpoints")),
        kms_root_public_key=_hex(settings.get("kms_root_public_key"), _PUBLIC_KEY),
        contract=_hex(accounts.get("address", settings.get("contract_address")), _ADDRESS),
        code_hash=_hex(accounts.get("code_hash"), _HASH),
        views_module=_hex(accounts.get("views_module"), _ADDRESS),
        views_code_hash=_hex(accounts.get("views_code_hash"), _HASH),
        owner_change_delay_s=_number(accounts.get("owner_change_delay_s")),
        admin_payer=_hex(read.get("admin_payer"), _ADDRESS),
    )


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _number(value: Json) -> int | None:
    """A number, or one that JSON does not hold exactly, as decimal text."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,78}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _domains(value: Json) -> tuple[str, ...] | None:
    """Read one domain or several; none where the node was given no domain."""
    return _texts([value] if isinstance(value, str) else value) or None


def _texts(value: Json) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    texts = tuple(item for item in value if isinstance(item, str))
    return texts if len(texts) == len(value) and "" not in texts else None


def _hex(value: Json, form: re.Pattern[str]) -> bytes | None:
    if not isinstance(value, str) or not form.fullmatch(value):
        return None
    return bytes.fromhex(value.removeprefix("0x"))
