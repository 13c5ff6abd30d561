"""The account contract: planted payers, other code, other hands (docs/threat-model.md)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from svc_verifier.chain.contracts import AccountQuestions
from svc_verifier.material import ContractCall, ProviderAnswers
from tests.support.attested.accounts import (
    CONTRACT,
    DELAY_S,
    KMS_ROOT,
    NAMING,
    OTHER_MODULE,
    PAYER,
    PINS,
    PLANTED,
    account_code,
    addresses,
    scheduled,
    word,
)
from tests.support.attested.case import ACCOUNTS, Case, accepted, case
from tests.support.attested.cases.connection import stated
from tests.support.attested.cases.governance import both, second
from tests.support.attested.governance import CHAIN_ID
from tests.support.attested.look import HOST, Look
from tests.support.attested.td import NOW_S


def contract(**changes: Any) -> Callable[[Look], None]:
    """Something else is true of the account contract."""

    def tamper(look: Look) -> None:
        look.chain.accounts = replace(look.chain.accounts, **changes)

    return tamper


def pinned(**changes: Any) -> dict[str, Any]:
    """Another trust in it."""
    return {"accounts": replace(PINS, **changes)}


def behind(name: str) -> frozenset[str]:
    """What rests on that check of the group."""
    return ACCOUNTS - {"accounts.contract", f"accounts.{name}"}


def not_asked(answers: ProviderAnswers) -> ProviderAnswers:
    """The providers said nothing of the contract."""
    return replace(answers, code={address: code for address, code in answers.code.items() if address != CONTRACT})


def says(view: bytes, answer: bytes | None) -> Callable[[ProviderAnswers], ProviderAnswers]:
    """One view of the contract answers something else."""

    def change(answers: ProviderAnswers) -> ProviderAnswers:
        found = {call: answer if _is(call, view) else known for call, known in answers.calls.items()}
        return replace(answers, calls=found)

    return change


def _is(call: ContractCall, view: bytes) -> bool:
    return call.to == CONTRACT and call.data[:4] == view


def attests(group: str, **changes: Any) -> Callable[[Look], None]:
    """The node attests other members of `settings` or `account_contract`; None takes one away."""

    def tamper(look: Look) -> None:
        members = look.statement["config"][group] | changes
        look.statement["config"][group] = {name: value for name, value in members.items() if value is not None}

    return tamper


def foreign(look: Look) -> None:
    """A node of another application: its statement names other things."""
    stated(config={"color": "blue"}, admin_payer=None)(look)


def of_other_contract(look: Look) -> None:
    """The node is set up with another contract, and says so."""
    attests("account_contract", address=f"0x{PLANTED.hex()}", code_hash="0x" + "11" * 32)(look)
    attests("settings", contract_address=f"0x{PLANTED.hex()}")(look)


REPLACEMENTS_VIEW: Final = AccountQuestions(CONTRACT).replacements.data
PAYERS_VIEW: Final = bytes.fromhex("93c8bc43")
WEEK_S: Final = 604_800
NO_OWNER_PINNED: Final = pinned(owners=frozenset())

ACCOUNT_CASES: Final[tuple[Case, ...]] = (
    case("accounts: a payer that is none of the pinned ones", "accounts.payers", tamper=contract(payers=(PAYER, PLANTED)),
         trust=pinned(payers=frozenset({PAYER}))),
    accepted("accounts: the pinned payers", trust=pinned(payers=frozenset({PAYER}))),
    accepted("accounts: no payer yet", tamper=contract(payers=())),
    case("accounts: payers not told", "", "accounts.payers", tamper=contract(payers=None)),
    case("accounts: other code at the pinned address", "accounts.code", behind("code"), tamper=contract(code=b"\x5b" + account_code())),
    case("accounts: one instruction more", "accounts.code", behind("code"), tamper=contract(code=account_code() + b"\x00")),
    case("accounts: code too short for its immutables", "accounts.code", behind("code"), tamper=contract(code=account_code()[:40])),
    case("accounts: an account that delegates its code", "accounts.code", behind("code"), tamper=contract(code=b"\xef\x01\x00" + bytes(20))),
    case("accounts: code that nobody published", "accounts.code", behind("code"), trust=pinned(codes=())),
    case("accounts: no code", "accounts.contract", ACCOUNTS - {"accounts.contract"}, tamper=contract(code=b"")),
    case("accounts: the endpoints were not asked", "", ACCOUNTS, tamper=both(not_asked)),
    case("accounts: another views module", "accounts.views", tamper=contract(views_code=b"\x5b\xfe")),
    case("accounts: a views module without code", "accounts.views", tamper=contract(views_code=b"")),
    case("accounts: calls are delegated to another module than the getter names", "accounts.views",
         tamper=contract(code=account_code(used_views=OTHER_MODULE))),
    case("accounts: a views module at no address", "accounts.views", tamper=contract(code=account_code(b"\1" * 32))),
    case("accounts: the getter hides the views module", "", "accounts.views", tamper=contract(views_module=OTHER_MODULE)),
    case("accounts: a delay of 0", "accounts.delay", tamper=(
        lambda look: (contract(code=account_code(delay_s=0))(look), attests("account_contract", owner_change_delay_s=0)(look)))),
    case("accounts: a delay shorter than pinned", "accounts.delay", trust=pinned(minimum_owner_change_delay_s=WEEK_S)),
    accepted("accounts: a delay as long as pinned", trust=pinned(minimum_owner_change_delay_s=DELAY_S)),
    case("accounts: no delay where it counts", "accounts.delay", tamper=contract(code=account_code(used_delay_s=0))),
    case("accounts: another owner", "accounts.owner", tamper=contract(owner=PLANTED)),
    case("accounts: another owner is to take over", "accounts.owner", tamper=contract(pending_owner=PLANTED)),
    case("accounts: owner not told", "", "accounts.owner", tamper=contract(owner=None)),
    accepted("accounts: no owner pinned", trust=NO_OWNER_PINNED),
    case("accounts: a change is scheduled", "accounts.scheduled", tamper=contract(scheduled=scheduled(NAMING, NOW_S + DELAY_S, PLANTED))),
    case("accounts: a change that may be applied already", "accounts.scheduled", tamper=contract(scheduled=scheduled(NAMING, 1, PLANTED))),
    case("accounts: a change of another kind", "accounts.scheduled", tamper=contract(scheduled=scheduled(b"\1\2\3\4", NOW_S))),
    case("accounts: scheduled change not told", "", "accounts.scheduled", tamper=contract(scheduled=None)),
    case("accounts: scheduled change told in another form", "", "accounts.scheduled", tamper=contract(scheduled=word(0))),
    case("accounts: another admin payer", "accounts.admin-payer", tamper=contract(admin_payer=PLANTED)),
    case("accounts: no admin payer named", "", "accounts.admin-payer", tamper=contract(admin_payer=bytes(20))),
    case("accounts: admin payer not told", "", "accounts.admin-payer", tamper=contract(admin_payer=None)),
    case("accounts: the enclave holds another key", "accounts.admin-payer", tamper=stated(admin_payer=f"0x{PLANTED.hex()}")),
    case("accounts: another admin payer for a while", "accounts.history", tamper=contract(replacements=2)),
    accepted("accounts: replacements that the user knows of", tamper=contract(replacements=2), trust=pinned(accepted_replacements=2)),
    case("accounts: a replacement more than the user knows of", "accounts.history", tamper=contract(replacements=3),
         trust=pinned(accepted_replacements=2)),
    case("accounts: replacements not told", "", "accounts.history", tamper=contract(replacements=None)),
    case("accounts: one endpoint hides a replacement", "",
         ACCOUNTS | frozenset(f"governance.{name}" for name in (
             "endpoints", "contract", "compose-allowed", "owner", "upgradeability", "policy", "allowed-set", "pending")),
         tamper=second(says(REPLACEMENTS_VIEW, word(1)))),
    case("accounts: the node attests no admin payer", "", "accounts.admin-payer", tamper=stated(admin_payer=None)),
    case("accounts: one endpoint hides a payer", "",
         ACCOUNTS | frozenset(f"governance.{name}" for name in (
             "endpoints", "contract", "compose-allowed", "owner", "upgradeability", "policy", "allowed-set", "pending")),
         tamper=second(says(PAYERS_VIEW, addresses()))),
    case("accounts: the node attests other code", "accounts.code", tamper=attests("account_contract", code_hash="0x" + "11" * 32)),
    case("accounts: the node attests another views module", "accounts.views",
         tamper=attests("account_contract", views_module=f"0x{OTHER_MODULE.hex()}")),
    case("accounts: the node attests another delay", "accounts.delay", tamper=attests("account_contract", owner_change_delay_s=1)),
    case("accounts: the node uses one, and the user pins none", "", ACCOUNTS | {"config.contract"}, trust={"accounts": None}),
    accepted("accounts: another application, which has none", tamper=foreign,
             trust={"accounts": None, "rpc_providers": frozenset(), "kms_root_public_key": None}),
    case("accounts: one is pinned, and the node attests none", "", "config.chain config.contract accounts.admin-payer", tamper=foreign,
         trust={"rpc_providers": frozenset(), "kms_root_public_key": None}),
    # the attested configuration
    case("configuration: another contract", "config.contract", tamper=of_other_contract),
    case("configuration: another chain", "config.chain", tamper=attests("account_contract", chain_id=1)),
    case("configuration: another domain", "config.domain", tamper=attests("settings", domain="other.example")),
    accepted("configuration: two domains", tamper=attests("settings", domain=["127.0.0.1", HOST])),
    case("configuration: an RPC provider more", "config.rpc-providers",
         tamper=attests("settings", rpc_endpoints=["https://rpc.example", "https://evil.example"])),
    accepted("configuration: one of two pinned RPC providers",
             trust={"rpc_providers": frozenset({"https://rpc.example", "https://rpc.two.example"})}),
    case("configuration: another key service", "config.kms-key", tamper=attests("settings", kms_root_public_key="03" + "ab" * 32)),
    case("configuration: any key service", "config.kms-key", tamper=attests("settings", kms_root_public_key="")),
    accepted("configuration: nothing pinned of it", trust={"rpc_providers": frozenset(), "kms_root_public_key": None}),
    case("configuration: RPC providers in no known form", "", "config.rpc-providers", tamper=attests("settings", rpc_endpoints="all")),
    case("configuration: RPC providers not stated", "", "config.rpc-providers", tamper=attests("settings", rpc_endpoints=None)),
    case("configuration: an empty list of RPC providers", "", "config.rpc-providers", tamper=attests("settings", rpc_endpoints=[])),
    accepted("configuration: an RPC provider in another spelling",
             tamper=attests("settings", rpc_endpoints=["HTTPS://RPC.Example:443/"])),
    case("configuration: a path below a pinned RPC provider", "config.rpc-providers",
         tamper=attests("settings", rpc_endpoints=["https://rpc.example/else"])),
    case("configuration: a pinned RPC provider without TLS", "config.rpc-providers",
         tamper=attests("settings", rpc_endpoints=["http://rpc.example"])),
    case("configuration: the key service not stated", "", "config.kms-key", tamper=attests("settings", kms_root_public_key=None)),
    case("configuration: the key service in no known form", "", "config.kms-key",
         tamper=attests("settings", kms_root_public_key="04" + "ab" * 64)),
    accepted("configuration: the key service in another spelling",
             tamper=attests("settings", kms_root_public_key="0x" + KMS_ROOT.hex().upper())),
    case("configuration: settings that name another chain", "config.chain", tamper=attests("settings", chain_id=1)),
    case("configuration: settings that name a chain of no known form", "config.chain", tamper=attests("settings", chain_id=[CHAIN_ID])),
    case("configuration: settings that name another contract", "config.contract",
         tamper=attests("settings", contract_address=f"0x{PLANTED.hex()}")),
    case("configuration: settings that name another contract, and none is pinned", "config.contract", ACCOUNTS,
         tamper=attests("settings", contract_address=f"0x{PLANTED.hex()}"), trust={"accounts": None}),
    accepted("configuration: settings without a contract", tamper=attests("settings", contract_address=None, chain_id=None)),
    accepted("configuration: a contract in another case", tamper=attests("settings", contract_address=f"0x{CONTRACT.hex().upper()}")),
)  # fmt: skip
