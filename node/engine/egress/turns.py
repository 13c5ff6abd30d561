"""Turns at something scarce: so many at a time of everybody's, and fewer of one account's."""

import asyncio
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Account:
    free: asyncio.Semaphore
    users: int = field(default=0)


class Turns:
    """Whoever has waited for a turn gives it back once, when what it was for has ended."""

    def __init__(self, turns_max: int, turns_max_per_account: int) -> None:
        self._free = asyncio.Semaphore(turns_max)
        self._per_account = turns_max_per_account
        self._accounts: dict[int, _Account] = {}

    async def take(self, account: int) -> None:
        """Wait for the account's turn, then for everybody's."""
        entry = self._accounts.setdefault(account, _Account(asyncio.Semaphore(self._per_account)))
        entry.users += 1
        try:
            await entry.free.acquire()
            try:
                await self._free.acquire()
            except asyncio.CancelledError:
                entry.free.release()
                raise
        except asyncio.CancelledError:
            self._leave(account, entry)
            raise

    def give_back(self, account: int) -> None:
        """End a turn that `take` gave."""
        entry = self._accounts[account]
        self._free.release()
        entry.free.release()
        self._leave(account, entry)

    def _leave(self, account: int, entry: _Account) -> None:
        entry.users -= 1
        if not entry.users:
            del self._accounts[account]
