"""The account contract on the tests' chain: a small code in the shape of the real one, and what its views answer."""

from dataclasses import dataclass
from typing import Any, Final

from eth_utils.crypto import keccak
from pydantic import JsonValue

from svc_verifier.material import ContractCall
from svc_verifier.trust import AccountContractCode, AccountPins

CONTRACT: Final = bytes.fromhex("acc0" * 10)
VIEWS_MODULE: Final = bytes.fromhex("71e3" * 10)
OTHER_MODULE: Final = bytes.fromhex("bad1" * 10)
OWNER: Final = bytes.fromhex("0acc" * 10)
ADMIN_PAYER: Final = bytes.fromhex("ad31" * 10)
PAYER: Final = bytes.fromhex("fa7e" * 10)
PLANTED: Final = bytes.fromhex("bad0" * 10)
DELAY_S: Final = 259_200
VIEWS_CODE: Final = bytes.fromhex("6080604052600080fdfe")
RPC_PROVIDER: Final = "https://rpc.example"
KMS_ROOT: Final = bytes.fromhex("02" + "ab" * 32)
NAMING: Final = keccak(text="setAdminApiPayerAccount(address)")[:4]


def word(value: int | bytes) -> bytes:
    """One argument or answer."""
    return value.to_bytes(32, "big") if isinstance(value, int) else value.rjust(32, b"\0")


def addresses(*items: bytes) -> bytes:
    """An array of addresses."""
    return word(32) + word(len(items)) + b"".join(map(word, items))


def scheduled(selector: bytes, effective_at_s: int, *accounts: bytes) -> bytes:
    """What `scheduledOwnerChange()` returns."""
    return selector.ljust(32, b"\0") + word(96) + word(effective_at_s) + addresses(*accounts)[32:]


def account_code(
    views: bytes = VIEWS_MODULE,
    delay_s: int = DELAY_S,
    *,
    used_views: bytes | None = None,
    used_delay_s: int | None = None,
) -> bytes:
    """Each immutable stands in the code twice: where a getter returns it, and where it is used."""
    used = delay_s if used_delay_s is None else used_delay_s
    parts = (b"\x60\x80\x7f", word(views), b"\x50\x7f", word(delay_s), b"\x50\x7f")
    return b"".join((*parts, word(used_views or views), b"\x50\x7f", word(used), b"\x50\xfe"))


BUILD: Final = AccountContractCode(
    code_hash=keccak(account_code(bytes(20), 0)),
    views_code_hash=keccak(VIEWS_CODE),
    views_module_at=(3, 71),
    owner_change_delay_at=(37, 105),
)
PINS: Final = AccountPins(contract=CONTRACT, owners=frozenset({OWNER}), codes=(BUILD,))


@dataclass
class AccountContract:
    """What is true of it on chain; None: the view reverts."""

    code: bytes = account_code()
    views_code: bytes = VIEWS_CODE
    views_module: bytes = VIEWS_MODULE
    owner: bytes | None = OWNER
    pending_owner: bytes = bytes(20)
    admin_payer: bytes | None = ADMIN_PAYER
    replacements: int | None = 0
    payers: tuple[bytes, ...] | None = (PAYER,)
    scheduled: bytes | None = scheduled(bytes(4), 0)

    def codes(self) -> dict[bytes, bytes]:
        """The code at each address."""
        return {CONTRACT: self.code, self.views_module: self.views_code, OWNER: b""}

    def calls(self) -> dict[ContractCall, bytes | None]:
        """What each view returns."""
        answers = {
            "viewsModule()": word(self.views_module),
            "owner()": None if self.owner is None else word(self.owner),
            "pendingOwner()": word(self.pending_owner),
            "adminApiPayerAccount()": None if self.admin_payer is None else word(self.admin_payer),
            "adminApiPayerReplacements()": None if self.replacements is None else word(self.replacements),
            "api_payers()": None if self.payers is None else addresses(*self.payers),
            "scheduledOwnerChange()": self.scheduled,
        }
        return {ContractCall(CONTRACT, keccak(text=name)[:4]): answer for name, answer in answers.items()}


def attested(chain_id: int, domain: str, **changes: Any) -> dict[str, JsonValue]:
    """The configuration that the node attests; `changes` are of its account contract."""
    settings: dict[str, JsonValue] = {
        "chain_id": chain_id,
        "contract_address": f"0x{CONTRACT.hex()}",
        "domain": domain,
        "kms_root_public_key": KMS_ROOT.hex(),
        "rpc_endpoints": [RPC_PROVIDER],
    }
    contract: dict[str, JsonValue] = {
        "address": f"0x{CONTRACT.hex()}",
        "chain_id": chain_id,
        "code_hash": f"0x{BUILD.code_hash.hex()}",
        "owner_change_delay_s": DELAY_S,
        "views_code_hash": f"0x{BUILD.views_code_hash.hex()}",
        "views_module": f"0x{VIEWS_MODULE.hex()}",
    }
    return {"account_contract": contract | changes, "secrets": ["rpc_authorization"], "settings": settings}
