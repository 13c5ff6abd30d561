"""Charges: prices, the charge of a write in the journal, and charges that the ledger retries.

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
    """Prices in whole US cents, of an administrative write and of a started second of an action."""

    write_cents: int = 1
    execution_cents_per_second: int = 1

    @classmethod
    def of(cls, settings: PriceSettings) -> "Prices":
        """Returns the prices of the settings."""
        return cls(settings.price_write_cents, settings.price_execution_cents_per_second)

    @property
    def write_microdollars(self) -> int:
        """Price of one write."""
        return self.write_cents * MICRODOLLARS_PER_CENT

    def execution_cents(self, duration_ms: float) -> int:
        """Returns the price of an action of this duration, at least that of one second."""
        # Every started second is charged in full. The meter reserves it before it begins.
        return max(1, math.ceil(duration_ms / 1000)) * self.execution_cents_per_second


class UnbilledLedger:
    """Ledger where everything is free. Every balance is zero and every reservation succeeds.

    Usage keys' lifetime caps have no effect, since no key spends anything.
    """

    async def balance(self, account: int) -> Balance:
        """Returns zero."""
        del account
        return Balance(credit_microdollars=0, reserved_microdollars=0)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Does nothing."""

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """Does nothing."""

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Charges nothing and returns 0."""
        del cause, amount_microdollars, usage
        return 0

    async def release(self, cause: str, account: int | None = None) -> None:
        """Does nothing, since nothing was reserved."""

    async def charged(self, cause: str) -> int:
        """Returns zero."""
        del cause
        return 0


def spender_of(caller: Caller) -> Spender:
    """Returns the payer of this caller's work. The account key pays without a usage key."""
    usage_key = None if caller.is_account_key else caller.key_hash
    return Spender(caller.master_hash, usage_key, caller.cap_cents * MICRODOLLARS_PER_CENT)


# Strict, since a row of another version must not be read as another amount.
class Charge(BaseModel, frozen=True, strict=True, extra="forbid"):
    """Charge of a write in the journal. `account` and `usage_key` are u256 hex."""

    account: str
    usage_key: str | None
    cap_microdollars: int
    amount_microdollars: int
    request_id: str | None = None

    @classmethod
    def of(cls, spender: Spender, amount_microdollars: int, request_id: str | None = None) -> "Charge":
        """Returns the charge of this spender."""
        return cls(
            account=u256_hex(spender.account),
            usage_key=None if spender.usage_key is None else u256_hex(spender.usage_key),
            cap_microdollars=spender.cap_microdollars,
            amount_microdollars=amount_microdollars,
            request_id=request_id,
        )

    @property
    def spender(self) -> Spender:
        """Payer in the ledger's form."""
        usage_key = None if self.usage_key is None else int(self.usage_key, 16)
        return Spender(int(self.account, 16), usage_key, self.cap_microdollars)

    def usage(self, call: ContractCall) -> Usage:
        """Returns the purpose of the charge, which the account's usage records show."""
        return Usage(Service.WRITE, call.function, self.request_id)

    def to_json(self) -> Mapping[str, JsonValue]:
        """Returns the form of `WriteIntent.charge`."""
        return self.model_dump()


RETRY_AFTER_S: Final = 1.0
"""Seconds between two attempts."""
CLOSING_ATTEMPTS: Final = 6
"""Attempts while the node stops. With the ledger's time-outs they take some 20 seconds, below the
30 or more that an orchestrator gives a container to stop."""


class LedgerRetries:
    """Pending work by key. Work that raises DomainError stays pending, so it must be idempotent.

    Callers bound its amount: each work is for a reservation, and no new reservation can be made
    while the database is unavailable. `pause` waits for a number of seconds.
    """

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._pause = pause
        self._pending: dict[str, Callable[[], Awaitable[object]]] = {}
        self._tasks = TaskSet("ledger_retries")
        self._is_repeating = False

    def add(self, key: str, work: Callable[[], Awaitable[object]]) -> None:
        """Repeats this work until it succeeds."""
        # By key, so that a settlement that fails in two places is repeated only once.
        self._pending[key] = work
        if not self._is_repeating:
            self._is_repeating = True
            self._tasks.start(self._repeat())

    async def close(self) -> int:
        """Retries a few times while the node stops. Returns the number of works given up."""
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
            # Reset here, since work added before the task is discarded would never be retried.
            self._is_repeating = False

    async def _try_all(self) -> None:
        """Tries all up to the first outage, in which each attempt would wait for its time-out."""
        for key, work in list(self._pending.items()):
            try:
                await work()
            except DomainError as error:
                if error.retry_after_s is not None:
                    return
                # Refused for its own reason, which must not delay the settlements behind it.
                continue
            # Removed only when done, so that a stop in between counts it as given up.
            del self._pending[key]
