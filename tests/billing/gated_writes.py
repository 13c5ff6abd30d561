"""AccountWrites whose every step the test decides: the one thing a real chain cannot be told is when to fail."""

import asyncio
from dataclasses import replace
from typing import Final

from node.api.errors import ErrorCode, NodeError
from node.chain.errors import WriteUnconfirmedError
from node.chain.port import BeforeSending, WriteIntent, WriteObserver, WriteResult, send_at_any_cost
from node.errors import DomainError

COST_WEI: Final = 10**15
"""The most that each of its transactions may cost."""
TIMEOUT = WriteUnconfirmedError("0x01")


class GatedWrites:
    """Journals intents as the port says, and ends each as told. `observer` hears of every end."""

    def __init__(self) -> None:
        self.observer: WriteObserver | None = None
        self.refusal: DomainError | None = None
        """Raised by simulation: nothing is journaled."""
        self.times_out = False
        """Whether `write` gives up waiting; the write then ends when the test says so."""
        self.journal_is_out = False
        self.gate = asyncio.Event()
        self.gate.set()
        self.entered = asyncio.Event()
        self.journal: dict[str, WriteIntent] = {}
        self.results: dict[str, WriteResult] = {}

    async def earlier(self, idempotency_id: str) -> WriteResult | None:
        """The end of a journaled write; `chain_timeout` while it has none."""
        for intent in self.journal.values():
            if intent.idempotency_id == idempotency_id:
                if intent.write_id not in self.results:
                    raise TIMEOUT
                return self.results[intent.write_id]
        return None

    async def is_journaled(self, write_id: str) -> bool:
        """As the port says."""
        if self.journal_is_out:
            raise NodeError(ErrorCode.INTERNAL_ERROR, "The journal cannot be read.")
        return write_id in self.journal

    async def write(self, intent: WriteIntent, before_sending: BeforeSending = send_at_any_cost) -> WriteResult:
        """Wait at the gate, then refuse, time out or succeed."""
        self.entered.set()
        await self.gate.wait()
        if intent.idempotency_id and (earlier := await self.earlier(intent.idempotency_id)):
            return earlier
        if self.refusal:
            raise self.refusal
        await before_sending(COST_WEI)
        self.journal[intent.write_id] = intent
        if self.times_out:
            raise TIMEOUT
        return await self.end(intent.write_id)

    async def end(self, write_id: str, *, failed: bool = False) -> WriteResult:
        """Let a journaled write end, and tell the observer."""
        intent = self.journal[write_id]
        result = WriteResult("0x02", 9, write_id=write_id, answer=intent.answer)
        if not failed:
            self.results[write_id] = result
        if self.observer:
            await self.observer.write_ended(replace(intent), None if failed else result)
        return result
