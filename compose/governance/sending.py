"""Sends a transaction and waits for its effect on every provider, or writes it for a Safe."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from compose.errors import ComposeError, Exit
from compose.governance.state import Call, Function, GovernanceState, calldata, checksum_address, read_state
from node.errors import DomainError
from node.keyring.port import SigningKey
from node.keyring.signing_key import Secp256k1Key
from node.keyring.transactions import sign_transaction
from svc_client.chain.providers import Providers, RevertData, WrongChain
from svc_client.chain.receipts import Receipt
from svc_client.chain.safe_batch import NamedCall, batch_file
from svc_client.chain.sending import Request, Sender, Sending
from svc_client.errors import InvalidArgument, NotSent, Reverted, SvcError
from svc_verifier.formats.addresses import DEVELOPMENT_CHAIN_ID

RECEIPT_TIMEOUT_S: Final = 180.0
"""Longest time from a transaction's simulation to its confirmation, fifteen slots."""
POLL_S: Final = 0.5
"""Pause between two looks at the contract's state."""
EFFECT_TIMEOUT_S: Final = 60.0
"""Longest wait for every provider to show a confirmed transaction's effect, five slots."""
FEE_PER_GAS_MAX_WEI: Final = 500 * 10**9
"""Highest offer in wei for a unit of gas, whatever providers suggest."""
_KEY: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{64}")


def signing_key(text: str) -> SigningKey:
    """Returns the key of 64 hex digits (0x optional). Its ComposeError(MISUSE) hides the digits."""
    refusal = ComposeError(Exit.MISUSE, "the key file holds no secp256k1 private key (0x and 64 hex digits).")
    digits = text.strip()
    if not _KEY.fullmatch(digits):
        raise refusal
    try:
        return Secp256k1Key(bytes.fromhex(digits.removeprefix("0x")))
    except ValueError:  # zero, or not below the order of the curve
        raise refusal from None


@contextlib.asynccontextmanager
async def providers_of(urls: Sequence[str], chain_id: int) -> AsyncIterator[Providers]:
    """Yields the providers, which must all agree. Turns the client's errors into ComposeError.

    REFUSED means that nothing was sent or a transaction failed, UNDECIDED that it is unknown.
    """
    is_development = chain_id == DEVELOPMENT_CHAIN_ID
    try:
        # The operator may name only one provider; the report then says so.
        providers = Providers(urls, chain_id, one_is_enough=True, is_development=is_development, least=len(urls))
    except InvalidArgument as error:
        raise ComposeError(Exit.MISUSE, str(error)) from None
    try:
        yield providers
    except (InvalidArgument, NotSent, Reverted, WrongChain) as error:
        raise ComposeError(Exit.REFUSED, str(error)) from None
    except SvcError as error:
        raise ComposeError(Exit.UNDECIDED, str(error)) from None
    finally:
        await providers.close()


def sender_of(key: SigningKey) -> Sender:
    """Returns the account of a key."""
    return Sender(key.address, partial(_signed, key))


def _signed(key: SigningKey, transaction: Mapping[str, Any]) -> bytes:
    try:
        return sign_transaction(key, transaction)
    except DomainError as error:
        raise InvalidArgument(f"{error.message} Nothing was sent.") from None


async def send(providers: Providers, key: SigningKey, owner: bytes | None, call: NamedCall) -> Receipt:
    """Signs and sends a call of a contract of `owner`, and waits until it is confirmed.

    Raises ComposeError(REFUSED) for another account's key, and the client's errors.
    """
    # Checked first, because a failed simulation would not name the owner.
    if owner != bytes.fromhex(key.address.removeprefix("0x")):
        whose = checksum_address(owner) if owner is not None else "nobody"
        raise ComposeError(
            Exit.REFUSED,
            f"the key is of {key.address}, and the contract's owner is {whose}. Nothing was sent; without a key the call "
            "is printed for the owner to make.",
        )
    sending = Sending(providers, max_fee_wei=FEE_PER_GAS_MAX_WEI, tell=lambda _: None)
    request = Request(call.to, calldata(call), _require_success)
    return await sending.send(request, sender_of(key), time.monotonic() + RECEIPT_TIMEOUT_S)


def _require_success(result: bytes | RevertData) -> None:
    if isinstance(result, RevertData):
        raise Reverted("the contract refuses it (it would revert): nothing was sent.", "", {})


async def require_not_made(providers: Providers, call: Call, state: GovernanceState) -> None:
    """Raises ComposeError(UNDECIDED) if a provider shows that the call was made after `state`.

    `state` is of a block that all providers have. It may lack a transaction of seconds ago, and so
    lead to a step that is already done.
    """
    for provider in providers.members():
        now = await read_state(providers, call.app_id, call.compose_hash, [provider])
        if now.block_number > state.block_number and is_in_force(call, now):
            text = f"{call.function.value} was made after block {state.block_number}, on which the providers agree."
            raise ComposeError(Exit.UNDECIDED, f"{text} Run this again in a moment.")


async def state_after(providers: Providers, call: Call, receipt: Receipt) -> GovernanceState:
    """Waits until every provider shows the effect at its head, and returns the first state.

    Raises ComposeError(UNDECIDED) with the transaction's hash if one does not show it in time.
    """
    deadline_s = time.monotonic() + EFFECT_TIMEOUT_S
    states = []
    for place in range(len(providers.hosts)):
        try:
            # Ask each alone: a block that all have may be from before the effect.
            states.append(await _state_with_effect(providers, place, call, deadline_s))
        except ComposeError as error:
            text = f"the transaction {receipt.shown} is said to be in block {receipt.block_number}, and"
            raise ComposeError(Exit.UNDECIDED, f"{text} {error.message}. Look for it before sending again.") from None
    return states[0]


async def _state_with_effect(providers: Providers, place: int, call: Call, deadline_s: float) -> GovernanceState:
    """Polls until the provider shows the effect. After the deadline raises the last fault."""
    while True:
        try:
            state = await read_state(providers, call.app_id, call.compose_hash, [providers.members()[place]])
            if is_in_force(call, state):
                return state
            behind = f"a provider does not show at block {state.block_number} what it did: one lags or lies"
            fault = ComposeError(Exit.UNDECIDED, behind)
        except ComposeError as error:
            fault = error
        if time.monotonic() >= deadline_s:
            raise fault
        await asyncio.sleep(POLL_S)


def is_in_force(call: Call, state: GovernanceState) -> bool:
    """Whether the contract's state is the result of the call (pure)."""
    match call.function:
        case Function.ADD:
            return state.allowed
        case Function.REMOVE:
            return not state.allowed
        case Function.SCHEDULE:
            return state.due_s(call.compose_hash) is not None
        case Function.CANCEL:
            return state.due_s(call.compose_hash) is None


_SHORT: Final = 18
"""Characters of an argument in a batch's name: 0x and eight bytes."""


def safe_batch(call: NamedCall, chain_id: int, safe: bytes | None) -> bytes:
    """Returns the file for a call; `safe` is the Safe's address, or None if unknown."""
    values = [value for _, _, value in call.arguments]
    short = ", ".join(value if len(value) <= _SHORT else f"{value[:_SHORT]}…" for value in values)
    owner = checksum_address(safe) if safe is not None else ""
    name, description = f"{call.function} {short}".strip(), f"{call.function}({', '.join(values)})"
    return batch_file([call], chain_id, owner, name, description).encode()
