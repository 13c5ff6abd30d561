"""The contract's payers for whoever asks, without a read of the chain for each of them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from node.errors import DomainError

MAX_AGE_S: Final = 10.0
"""As old as what a listener without a websocket knows: its poll interval."""
FAILED_MAX_AGE_S: Final = 1.0
"""A failure is repeated for so long, so that callers do not make endpoints that are out be asked again at once."""

Value = TypeVar("Value")


class PayerReads(Protocol):
    """The payers as the contract has them; `node.chain.port.AccountReads` is one."""

    async def api_payers(self) -> Sequence[str]:
        """The contract's payers, EIP-55. Raises DomainError `chain_unavailable`."""
        ...

    async def admin_api_payer(self) -> str:
        """The contract's admin payer, EIP-55. Raises DomainError `chain_unavailable`."""
        ...


class RecentPayers:
    """PayerReads of which each view is at most MAX_AGE_S old. `clock` is monotonic, in seconds."""

    def __init__(self, reads: PayerReads, clock: Callable[[], float]) -> None:
        self._payers = _Recent(reads.api_payers, clock)
        self._admin = _Recent(reads.admin_api_payer, clock)

    async def api_payers(self) -> Sequence[str]:
        """The contract's payers, EIP-55. Raises DomainError `chain_unavailable`."""
        return await self._payers.get()

    async def admin_api_payer(self) -> str:
        """The contract's admin payer, EIP-55. Raises DomainError `chain_unavailable`."""
        return await self._admin.get()


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[Value]):
    value: Value | DomainError
    good_until: float


class _Recent(Generic[Value]):
    """Read of the chain shared by everybody who asks while it is under way, and for a while after."""

    def __init__(self, read: Callable[[], Awaitable[Value]], clock: Callable[[], float]) -> None:
        self._read = read
        self._clock = clock
        self._lock = asyncio.Lock()
        self._outcome: _Outcome[Value] | None = None

    async def get(self) -> Value:
        """The value. Raises the DomainError of the read."""
        async with self._lock:
            if self._outcome is None or self._clock() >= self._outcome.good_until:
                self._outcome = await self._asked()
            outcome = self._outcome
        if isinstance(outcome.value, DomainError):
            raise outcome.value.with_traceback(None)  # it is raised often: each time would add to its traceback
        return outcome.value

    async def _asked(self) -> _Outcome[Value]:
        # Aged from before the read: what it gives is no younger than that.
        asked_at = self._clock()
        try:
            return _Outcome(await self._read(), asked_at + MAX_AGE_S)
        except DomainError as error:
            return _Outcome(error, self._clock() + FAILED_MAX_AGE_S)
