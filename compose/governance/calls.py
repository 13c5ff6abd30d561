"""The transactions that approvals are made of: dstack's two functions, and the two of a contract that lets them wait."""

from dataclasses import dataclass
from enum import Enum

from svc_verifier.chain.abi import WORD, selector


class Function(Enum):
    """Functions of the app's contract, each with one argument `composeHash`."""

    ADD = "addComposeHash"
    REMOVE = "removeComposeHash"
    SCHEDULE = "scheduleComposeHash"
    """Ours: announces an approval, which can count once approvalDelay() is over."""
    CANCEL = "cancelComposeHash"
    """Ours: takes an announced approval back."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call on the contract at `app_id` (20 bytes), without value; `compose_hash` is 32 bytes."""

    app_id: bytes
    function: Function
    compose_hash: bytes

    @property
    def data(self) -> bytes:
        """The calldata: selector and argument."""
        return selector(f"{self.function.value}(bytes32)") + self.compose_hash.rjust(WORD, b"\0")
