"""The naming of the account contract's admin payer: its state, and the owner's next transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import aiohttp

from compose.errors import ComposeError, Exit
from compose.governance.sending import Method, checksum_address, rpc_call
from svc_verifier.chain.abi import WORD, address_word, decode_address, decode_byte_strings, decode_number, selector
from svc_verifier.formats.strict_json import Json
from svc_verifier.gathering.chain import RpcEndpoint
from svc_verifier.gathering.host import GatheringLimits

_NOBODY: Final = bytes(20)
_KMS_STRINGS: Final = 4
"""Of `kmsInfo()`: k256Pubkey, caPubkey, quote, eventlog."""


class Naming(Enum):
    """Functions of the account contract that the owner calls to name its admin payer."""

    SET = "setAdminApiPayerAccount"
    APPLY = "applyOwnerChange"
    CANCEL = "cancelOwnerChange"


@dataclass(frozen=True, slots=True)
class NamingState:
    """Account contract as all endpoints report it. Addresses are 20 bytes; `due_s` 0: nothing is scheduled."""

    owner: bytes
    named: bytes
    delay_s: int
    scheduled: bytes
    due_s: int
    block_time_s: int


@dataclass(frozen=True, slots=True)
class NamingStep:
    """Next transaction; `function` is None when there is nothing to send, `waits` when there will be."""

    function: Naming | None
    text: str
    waits: bool = False

    def method(self, payer: bytes) -> Method | None:
        """Returns the function with its arguments."""
        if self.function is None:
            return None
        arguments = (("account", "address", checksum_address(payer)),) if self.function is Naming.SET else ()
        return Method(self.function.value, arguments)

    def data(self, payer: bytes) -> bytes | None:
        """Returns the calldata."""
        if self.function is None:
            return None
        if self.function is Naming.SET:
            return selector(f"{self.function.value}(address)") + address_word(payer)
        return selector(f"{self.function.value}()")


def naming_step(state: NamingState, payer: bytes, *, again: bool) -> NamingStep:
    """Returns the next transaction for `payer` to be the admin payer. Raises ComposeError(REFUSED) for another one.

    A contract counts each replacement for good, and nodes run nothing for API-mode accounts on it from then on.
    """
    if state.named not in {_NOBODY, payer}:
        raise ComposeError(
            Exit.REFUSED,
            f"the contract's admin payer is {checksum_address(state.named)}. Putting another in its place is counted for "
            "good, and nodes run nothing for API-mode accounts on this contract from then on: deploy a new contract.",
        )
    # Whoever scheduled it holds the owner's key: to go on with our own naming would hide that.
    if state.due_s and state.scheduled != payer:
        raise ComposeError(
            Exit.REFUSED,
            f"the naming of {checksum_address(state.scheduled)} is scheduled. If that is not yours, treat it as an attack "
            "on the owner; --cancel makes the call that takes it back.",
        )
    # By the chain's clock: the contract goes by that of its blocks.
    if state.due_s > state.block_time_s:
        return NamingStep(None, "it is scheduled, and not due yet", waits=True)
    if state.due_s:
        return NamingStep(Naming.APPLY, "it was scheduled and is due: it removes every payer, and nodes add theirs")
    if state.named == _NOBODY:
        return NamingStep(Naming.SET, "it is the first naming, and counts at once")
    if not again:
        return NamingStep(None, "it is the admin payer already; --again removes every payer")
    return NamingStep(Naming.SET, f"it is named again {state.delay_s} s later, which removes every payer")


def cancelling_step(state: NamingState) -> NamingStep:
    """Returns the transaction that takes a scheduled naming back."""
    if not state.due_s:
        return NamingStep(None, "nothing is scheduled")
    return NamingStep(Naming.CANCEL, f"the naming of {checksum_address(state.scheduled)} is taken back")


async def read_naming(
    session: aiohttp.ClientSession, urls: Sequence[str], contract: bytes, chain_id: int
) -> NamingState:
    """Read the account contract; all endpoints must agree. Raises ComposeError (UNDECIDED, REFUSED)."""
    states = [await _state(RpcEndpoint(session, url, GatheringLimits()), contract, chain_id) for url in urls]
    # Endpoints are a block or two apart: everything but the time of the block must be equal.
    if len({(each.owner, each.named, each.delay_s, each.scheduled, each.due_s) for each in states}) > 1:
        raise ComposeError(Exit.UNDECIDED, "the endpoints differ: one of them lies or lags.")
    # The oldest of them: what is due there is due at every endpoint.
    return min(states, key=lambda each: each.block_time_s)


async def read_kms_info(
    session: aiohttp.ClientSession, urls: Sequence[str], contract: bytes, chain_id: int
) -> tuple[bytes, bytes]:
    """Return `k256Pubkey` and `caPubkey` of the key service's contract; all endpoints must agree. Raises as above."""
    found = []
    for url in urls:
        endpoint = RpcEndpoint(session, url, GatheringLimits())
        await _require_chain(endpoint, chain_id)
        strings = decode_byte_strings(await _view(endpoint, contract, "kmsInfo()"), _KMS_STRINGS)
        if strings is None:
            raise ComposeError(Exit.REFUSED, f"the contract at {checksum_address(contract)} knows no kmsInfo().")
        found.append(strings[:2])
    if len(set(found)) > 1:
        raise ComposeError(Exit.UNDECIDED, "the endpoints differ: one of them lies or lags.")
    return found[0][0], found[0][1]


async def _state(endpoint: RpcEndpoint, contract: bytes, chain_id: int) -> NamingState:
    await _require_chain(endpoint, chain_id)
    block = await rpc_call(endpoint, "eth_getBlockByNumber", "latest", False)
    time_s = block.get("timestamp") if isinstance(block, dict) else None
    owner = decode_address(await _view(endpoint, contract, "owner()"))
    named = decode_address(await _view(endpoint, contract, "adminApiPayerAccount()"))
    delay_s = decode_number(await _view(endpoint, contract, "ownerChangeDelay()"))
    change = await _view(endpoint, contract, "scheduledOwnerChange()")
    if owner is None or named is None or delay_s is None or len(change) < 4 * WORD or not isinstance(time_s, str):
        raise ComposeError(Exit.REFUSED, f"the contract at {checksum_address(contract)} is no account contract.")
    # (bytes4, address[], uint256): selector, offset of the list, time; then the list's length and its addresses.
    due_s = int.from_bytes(change[2 * WORD : 3 * WORD])
    scheduled = decode_address(change[4 * WORD : 5 * WORD]) or _NOBODY
    return NamingState(owner, named, delay_s, scheduled, due_s, int(time_s, 16))


async def _require_chain(endpoint: RpcEndpoint, chain_id: int) -> None:
    found = await rpc_call(endpoint, "eth_chainId")
    if found != hex(chain_id):
        raise ComposeError(Exit.REFUSED, f"{endpoint.name} is of chain {found}, and {chain_id} was named.")


async def _view(endpoint: RpcEndpoint, contract: bytes, signature: str) -> bytes:
    request: dict[str, Json] = {"to": f"0x{contract.hex()}", "data": f"0x{selector(signature).hex()}"}
    answer = await rpc_call(endpoint, "eth_call", request, "latest")
    try:
        return bytes.fromhex(str(answer).removeprefix("0x"))
    except ValueError:
        raise ComposeError(Exit.UNDECIDED, f"{endpoint.name} answers what is no hex.") from None
