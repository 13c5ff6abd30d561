"""The account contract's admin payer: its state, and the owner's next transaction to name it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from compose.errors import ComposeError, Exit
from compose.governance.state import Step, checksum_address
from svc_client.chain.providers import Providers, call_of
from svc_client.chain.safe_batch import NamedCall
from svc_verifier.chain.abi import decode_address, decode_byte_strings, decode_number, selector
from svc_verifier.chain.contracts import AccountQuestions, decode_scheduled_change, kms_info
from svc_verifier.material import ContractCall

_NOBODY: Final = bytes(20)
_KMS_STRINGS: Final = 4
"""Byte strings that `kmsInfo()` returns: k256Pubkey, caPubkey, quote, eventlog."""


class Naming(Enum):
    """Functions of the account contract that the owner calls to name its admin payer."""

    SET = "setAdminApiPayerAccount"
    APPLY = "applyOwnerChange"
    CANCEL = "cancelOwnerChange"


@dataclass(frozen=True, slots=True)
class NamingState:
    """Account contract as all providers report it. Addresses are 20 bytes; `due_s` 0 is none."""

    owner: bytes
    named: bytes
    delay_s: int
    scheduled: bytes
    due_s: int
    block_time_s: int


def naming_call(function: Naming, contract: bytes, payer: bytes) -> NamedCall:
    """Returns the call for a step of naming `payer`."""
    arguments = (("account", "address", checksum_address(payer)),) if function is Naming.SET else ()
    return NamedCall(checksum_address(contract), function.value, arguments)


def naming_step(state: NamingState, payer: bytes, *, again: bool) -> Step[Naming]:
    """Returns the next transaction that names `payer`. Raises ComposeError(REFUSED).

    A contract counts replacements permanently; nodes then run nothing for its API-mode accounts.
    """
    if state.named not in {_NOBODY, payer}:
        raise ComposeError(
            Exit.REFUSED,
            f"the contract's admin payer is {checksum_address(state.named)}. Putting another in its place is counted for "
            "good, and nodes run nothing for API-mode accounts on this contract from then on: deploy a new contract.",
        )
    # The scheduler holds the owner's key. Continuing with our own naming would hide that.
    if state.due_s and state.scheduled != payer:
        raise ComposeError(
            Exit.REFUSED,
            f"the naming of {checksum_address(state.scheduled)} is scheduled. If that is not yours, treat it as an attack "
            "on the owner; --cancel makes the call that takes it back.",
        )
    # Compare with the chain's clock, which the contract uses.
    if state.due_s > state.block_time_s:
        return Step(None, "it is scheduled, and not due yet", waits=True)
    if state.due_s:
        return Step(Naming.APPLY, "it was scheduled and is due: it removes every payer, and nodes add theirs")
    if state.named == _NOBODY:
        return Step(Naming.SET, "it is the first naming, and counts at once")
    if not again:
        return Step(None, "it is the admin payer already; --again removes every payer")
    return Step(Naming.SET, f"it is named again {state.delay_s} s later, which removes every payer")


def cancelling_step(state: NamingState) -> Step[Naming]:
    """Returns the transaction that cancels a scheduled naming."""
    if not state.due_s:
        return Step(None, "nothing is scheduled")
    return Step(Naming.CANCEL, f"the naming of {checksum_address(state.scheduled)} is taken back")


async def read_naming(providers: Providers, contract: bytes) -> NamingState:
    """Reads the account contract. Raises ComposeError(REFUSED) and the client's errors."""
    asked = AccountQuestions(contract)
    delay = ContractCall(contract, selector("ownerChangeDelay()"))
    calls = (asked.owner, asked.admin_payer, delay, asked.scheduled_change)
    agreed = await providers.at_head([call_of(call) for call in calls])
    owner, named = map(decode_address, agreed.results[:2])
    delay_s, change = decode_number(agreed.results[2]), decode_scheduled_change(agreed.results[3])
    if owner is None or named is None or delay_s is None or change is None:
        raise ComposeError(Exit.REFUSED, f"the contract at {checksum_address(contract)} is no account contract.")
    scheduled = change.accounts[0] if change.accounts else _NOBODY
    return NamingState(owner, named, delay_s, scheduled, change.effective_at_s, agreed.block.time_s)


async def read_kms_info(providers: Providers, contract: bytes) -> tuple[bytes, bytes]:
    """Returns `k256Pubkey` and `caPubkey` of the key service's contract, as `read_naming`."""
    agreed = await providers.at_head([call_of(kms_info(contract))])
    strings = decode_byte_strings(agreed.results[0], _KMS_STRINGS)
    if strings is None:
        raise ComposeError(Exit.REFUSED, f"the contract at {checksum_address(contract)} knows no kmsInfo().")
    return strings[0], strings[1]
