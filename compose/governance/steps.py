"""The transactions of an approval or its removal, and which one comes next (pure)."""

from dataclasses import dataclass
from enum import Enum

from compose.governance.state import GovernanceState
from svc_verifier.chain.abi import WORD, selector


class Function(Enum):
    """Functions of the app's contract, each with one argument `composeHash`."""

    ADD = "addComposeHash"
    REMOVE = "removeComposeHash"
    SCHEDULE = "scheduleComposeHash"
    """Ours: announces an approval, which can count once approvalDelay() is over."""
    CANCEL = "cancelComposeHash"
    """Ours: cancels an announced approval."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call on the contract at `app_id` (20 bytes), without value; `compose_hash` is 32 bytes."""

    app_id: bytes
    function: Function
    compose_hash: bytes

    @property
    def data(self) -> bytes:
        """The calldata: selector and argument."""
        return selector(f"{self.function.value}(bytes32)") + self.compose_hash.rjust(WORD, b"\0")


@dataclass(frozen=True, slots=True)
class Step:
    """Next step. `function` is None when there is nothing to send; `waits` when there will be."""

    function: Function | None
    text: str
    waits: bool = False


def approval_step(state: GovernanceState, compose_hash: bytes, now_s: float) -> Step:
    """Returns the next transaction of an approval: with a delay it is announced first, and added when it is due.

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
    """Returns the transaction that revokes an approval; it counts at once."""
    if state.allowed:
        return Step(Function.REMOVE, "it counts at once: machines that ask for keys from then on get none")
    if state.due_s(compose_hash) is not None:
        return Step(Function.CANCEL, "what was announced is taken back")
    return Step(None, "it is neither allowed nor scheduled")
