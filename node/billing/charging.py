"""Charging of what is sold: prices, the charge of a write as the journal stores it, and charges that wait for the ledger.

`UnbilledLedger` is the ledger of a node without prices (`billing = off`).
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, JsonValue

from node.chain.port import ContractCall
from node.errors import DomainError
from node.ledger.port import MICRODOLLARS_PER_CENT, Balance, Service, Spender, Usage
from node.permissions.grants import Caller
from node.runtime.tasks import TaskSet
from node.settings.credits import PriceSettings
from node.values import u256_hex


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in whole US cents: of one API-mode administrative write, and of one started second of an action."""

    write_cents: int = 1
    execution_cents_per_second: int = 1

    @classmethod
    def of(cls, settings: PriceSettings) -> "Prices":
        """Return the prices that the settings name."""
        return cls(settings.price_write_cents, settings.price_execution_cents_per_second)

    @property
    def write_microdollars(self) -> int:
        """Price of one write."""
        return self.write_cents * MICRODOLLARS_PER_CENT

    def execution_cents(self, duration_ms: float) -> int:
        """Return the price of an action that ran this long: every started second, the first one at least."""
        # A started second counts whole, as the price says it; the meter sets it aside before it begins.
        return max(1, math.ceil(duration_ms / 1000)) * self.execution_cents_per_second


class UnbilledLedger:
    """Ledger where everything is free: every balance is zero and every reservation succeeds.

    Usage keys' lifetime caps never bind, since no key ever spends anything.
    """

    async def balance(self, account: int) -> Balance:
        """Return zero."""
        del account
        return Balance(credit_microdollars=0, reserved_microdollars=0)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Succeed."""

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """Succeed."""

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Take nothing."""
        del cause, amount_microdollars, usage
        return 0

    async def release(self, cause: str) -> None:
        """Succeed: nothing was set aside."""

    async def charged(self, cause: str) -> int:
        """Return zero."""
        del cause
        return 0


def spender_of(caller: Caller) -> Spender:
    """Return the payer of this caller's work; the account key spends through no usage key."""
    usage_key = None if caller.is_account_key else caller.key_hash
    return Spender(caller.master_hash, usage_key, caller.cap_cents * MICRODOLLARS_PER_CENT)


# Strict: a row of the journal that another version wrote must not be read as another amount.
class Charge(BaseModel, frozen=True, strict=True, extra="forbid"):
    """The account (u256 hex of its master hash), the usage key it is spent through, that key's cap, the amount, the request."""

    account: str
    usage_key: str | None
    cap_microdollars: int
    amount_microdollars: int
    request_id: str | None = None

    @classmethod
    def of(cls, spender: Spender, amount_microdollars: int, request_id: str | None = None) -> "Charge":
        """The charge of this spender."""
        return cls(
            account=u256_hex(spender.account),
            usage_key=None if spender.usage_key is None else u256_hex(spender.usage_key),
            cap_microdollars=spender.cap_microdollars,
            amount_microdollars=amount_microdollars,
            request_id=request_id,
        )

    @property
    def spender(self) -> Spender:
        """Payer, as the ledger takes it."""
        usage_key = None if self.usage_key is None else int(self.usage_key, 16)
        return Spender(int(self.account, 16), usage_key, self.cap_microdollars)

    def usage(self, call: ContractCall) -> Usage:
        """Return the purpose of the charge, as the account reads it later."""
        return Usage(Service.WRITE, call.function, self.request_id)

    def to_json(self) -> Mapping[str, JsonValue]:
        """Return the form that `WriteIntent.charge` has."""
        return self.model_dump()


RETRY_AFTER_S: Final = 1.0
"""Pause between two attempts."""
CLOSING_ATTEMPTS: Final = 6
"""Attempts of a node that stops. Each waits for the ledger's patience: some 20 seconds together, of the 30 or more that an
orchestrator gives a container to stop."""


class LedgerRetries:
    """Pending work by key. Work that raises DomainError stays pending; doing it twice must change nothing.

    The callers bound how much there is: each adds work for a reservation that it holds, and while the database is out no
    new one is made. `pause` waits for so many seconds.
    """

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._pause = pause
        self._pending: dict[str, Callable[[], Awaitable[object]]] = {}
        self._tasks = TaskSet("ledger_retries")
        self._is_repeating = False

    def add(self, key: str, work: Callable[[], Awaitable[object]]) -> None:
        """Repeat this work until it succeeds."""
        # By key: a settlement that fails in two places is repeated once.
        self._pending[key] = work
        if not self._is_repeating:
            self._is_repeating = True
            self._tasks.start(self._repeat())

    async def close(self) -> int:
        """Try some more times, for an outage that ends while the node stops. Returns how much work was given up."""
        await self._tasks.stop()
        for _ in range(CLOSING_ATTEMPTS - 1):
            await self._try_all()
            if not self._pending:
                break
            await self._pause(RETRY_AFTER_S)
        else:
            await self._try_all()
        return len(self._pending)

    async def _repeat(self) -> None:
        try:
            while self._pending:
                await self._pause(RETRY_AFTER_S)
                await self._try_all()
        finally:
            # Not when the task is discarded, a moment later: work that is added in between would wait for nothing.
            self._is_repeating = False

    async def _try_all(self) -> None:
        """Stop at the first outage: while the database is out, each attempt waits for it as long as it may."""
        for key, work in list(self._pending.items()):
            try:
                await work()
            except DomainError as error:
                if error.retry_after_s is not None:
                    return
                # Refused for a reason of its own: the settlements behind it must not wait for it.
                continue
            # Only when done: a node that is stopped in the middle counts it among what was given up.
            del self._pending[key]
