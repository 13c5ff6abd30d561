"""Whether what was sent is in force, as every endpoint tells: a receipt alone is one endpoint's word."""

import asyncio
from collections.abc import Sequence

import aiohttp

from compose.errors import ComposeError, Exit
from compose.governance.calls import Call, Function
from compose.governance.sending import Sent
from compose.governance.state import GovernanceState, read_state
from compose.limits import ComposeLimits


async def state_after(
    session: aiohttp.ClientSession, urls: Sequence[str], call: Call, chain_id: int, sent: Sent, limits: ComposeLimits
) -> GovernanceState:
    """The state that each endpoint shows by itself, since their heads differ. Raises ComposeError(UNDECIDED) with the hash
    of the transaction when one of them does not show in time what it did.
    """
    until_s = asyncio.get_running_loop().time() + limits.effect_timeout_s
    states = [await _shown(session, url, call, chain_id, sent, until_s, limits) for url in urls]
    return states[0]


async def _shown(
    session: aiohttp.ClientSession,
    url: str,
    call: Call,
    chain_id: int,
    sent: Sent,
    until_s: float,
    limits: ComposeLimits,
) -> GovernanceState:
    while True:
        try:
            state = await read_state(session, [url], call.app_id, chain_id, call.compose_hash)
            why = f"an endpoint does not show at block {state.block_number} what it did: one lags or lies"
            if is_in_force(call, state):
                return state
        except ComposeError as error:
            why = error.message
        if asyncio.get_running_loop().time() >= until_s:
            told = f"the transaction 0x{sent.transaction_hash.hex()} is said to be in block {sent.block_number}, and"
            raise ComposeError(Exit.UNDECIDED, f"{told} {why}. Look for it before sending again.")
        await asyncio.sleep(limits.receipt_poll_s)


def is_in_force(call: Call, state: GovernanceState) -> bool:
    """Whether the contract says what the call makes it say (pure)."""
    match call.function:
        case Function.ADD:
            return state.allowed
        case Function.REMOVE:
            return not state.allowed
        case Function.SCHEDULE:
            return state.due_s(call.compose_hash) is not None
        case Function.CANCEL:
            return state.due_s(call.compose_hash) is None
