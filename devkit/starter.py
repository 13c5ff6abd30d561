"""Starter credit of every account of a development node."""

import contextlib
from typing import Final

from node.ledger.port import MICRODOLLARS_PER_CENT, Balance, LedgerDatabase, Posting, Source, Spender, Usage
from node.values import u256_hex

DEFAULT_STARTER_CENTS: Final = 10_000_000


class StarterLedger:
    """A Ledger that gives each account `starter_cents` once, when it is first used."""

    def __init__(self, database: LedgerDatabase, starter_cents: int = DEFAULT_STARTER_CENTS) -> None:
        self._database = database
        self._starter_microdollars = starter_cents * MICRODOLLARS_PER_CENT
        self._met: set[int] = set()

    async def balance(self, account: int) -> Balance:
        """Returns the balance in the database."""
        await self._meet(account)
        return await self._database.balance(account)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Delegate to the database. Raises PaymentRequiredError."""
        await self._meet(spender.account)
        await self._database.reserve(spender, cause, amount_microdollars)

    async def extend(self, cause: str, amount_microdollars: int, cap_microdollars: int | None = None) -> None:
        """Delegate to the database. Raises PaymentRequiredError."""
        await self._database.extend(cause, amount_microdollars, cap_microdollars)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Delegate to the database."""
        return await self._database.settle(cause, amount_microdollars, usage)

    async def release(self, cause: str, account: int | None = None) -> None:
        """Delegate to the database."""
        await self._database.release(cause, account)

    async def charged(self, cause: str) -> int:
        """Delegate to the database."""
        return await self._database.charged(cause)

    async def _meet(self, account: int) -> None:
        if account in self._met:
            return
        if self._starter_microdollars:
            cause = f"starter:{u256_hex(account)}"
            with contextlib.suppress(ValueError):  # given before, under another setting
                await self._database.post(Posting(cause, account, Source.STARTER, self._starter_microdollars))
        # Last, so that the next call retries a failed posting. The cause is the account's, so that
        # a restart repeats none.
        self._met.add(account)
