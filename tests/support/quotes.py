"""Answers of GetQuote that are well-formed and prove nothing, and a platform that gives them as a test says."""

import asyncio
import json

from attest.errors import AttestError, AttestErrorCode
from attest.responses import Quote

EVENT = {"imr": 3, "event_type": 134217729, "digest": "", "event": "compose-hash", "event_payload": "ab" * 32}


def quote_bytes(report_data: bytes) -> bytes:
    """The head and body of a TDX quote, version 4, over these 64 bytes; the signature is missing."""
    head = (4).to_bytes(2, "little") + (2).to_bytes(2, "little") + (0x81).to_bytes(4, "little")
    return head.ljust(48 + 520, b"\x07") + report_data


def quote_answer(report_data: bytes = bytes(64)) -> dict[str, str]:
    """What a guest agent answers."""
    return {
        "quote": quote_bytes(report_data).hex(),
        "event_log": json.dumps([EVENT]),
        "report_data": report_data.hex(),
        "vm_config": '{"spec_version":1}',
    }


class QuotePlatform:
    """Makes quotes one after the other, each when the test lets it; `failure` is raised instead while it is set."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.failure: AttestError | None = None
        self.most_at_once = 0
        self._running = 0
        self._gate = asyncio.Event()
        self._gate.set()
        self._changed = asyncio.Condition()

    def hold(self) -> None:
        """From now on quotes do not end."""
        self._gate.clear()

    def release(self) -> None:
        """All quotes end."""
        self._gate.set()

    def fail(self, code: AttestErrorCode) -> None:
        """From now on quotes fail."""
        self.failure = AttestError(code, f"GetQuote: {code}.")

    async def begun(self, count: int) -> None:
        """Wait until so many quotes were begun."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.asked) >= count)

    async def get_quote(self, report_data: bytes) -> Quote:
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        self.asked.append(report_data)
        try:
            async with self._changed:
                self._changed.notify_all()
            await self._gate.wait()
            if self.failure is not None:
                raise self.failure
            return Quote.model_validate(quote_answer(report_data))
        finally:
            self._running -= 1
