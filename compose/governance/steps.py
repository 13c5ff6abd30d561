"""What there is to do for an approval or its removal, given what the contract says (pure)."""

from dataclasses import dataclass

from compose.governance.calls import Function
from compose.governance.state import GovernanceState


@dataclass(frozen=True, slots=True)
class Step:
    """`function` is None when there is nothing to send; `waits` when there will be."""

    function: Function | None
    text: str
    waits: bool = False


def approval_step(state: GovernanceState, compose_hash: bytes, now_s: float) -> Step:
    """The next transaction of an approval: with a delay it is announced first, and added when it is due.

    `now_s` is unix time; the chain's own clock counts where it is ahead.
    """
    if state.allowed:
        return Step(None, "it is allowed already")
    if state.delay_s is None:
        return Step(Function.ADD, "it counts at once: this contract announces nothing")
    due_s = state.due_s(compose_hash)
    if due_s is not None and max(now_s, state.block_time_s) < due_s:
        return Step(None, "it is scheduled, and not due yet", waits=True)
    if due_s is not None:
        return Step(Function.ADD, "it was scheduled and is due: it counts from then on")
    if state.delay_s == 0:
        return Step(Function.ADD, "it counts at once: the contract's delay is 0")
    return Step(Function.SCHEDULE, f"it is announced, and can be added {state.delay_s} s later")


def revocation_step(state: GovernanceState, compose_hash: bytes) -> Step:
    """The transaction that takes an approval back; it counts at once."""
    if state.allowed:
        return Step(Function.REMOVE, "it counts at once: machines that ask for keys from then on get none")
    if state.due_s(compose_hash) is not None:
        return Step(Function.CANCEL, "what was announced is taken back")
    return Step(None, "it is neither allowed nor scheduled")
