"""Payments that were begun and that nobody pays: after some days they are given up, so that their rows do not pile up.

A row goes only when nobody can pay its intent any longer, or knows of it. Should the processor tell of a payment of ours
all the same, what we wrote on its intent makes the row again (`Settling.payment`), and it is credited once.
"""

from collections.abc import Callable
from typing import Final

from node.billing.payments.limits import PaymentLimits
from node.database.port import Database, Statement
from node.processor.port import IntentStatus

_DAY_S: Final = 86_400


class Abandoned:
    """Which payments are given up, and the end of their rows. `clock` is unix time in seconds."""

    def __init__(self, books: Database, limits: PaymentLimits, clock: Callable[[], float]) -> None:
        self._books = books
        self._limits = limits
        self._clock = clock

    def is_abandoned(self, status: IntentStatus, created_s: int) -> bool:
        """Whether to cancel it: what is being processed may still succeed, and is not."""
        return status is IntentStatus.OPEN and created_s <= self._begun_before_s

    async def forget(self) -> None:
        """Remove old rows, a bounded number: canceled, never begun at the processor, or no longer looked at.

        Raises NodeError `billing_unavailable`.
        """
        sql = """
            DELETE FROM payments_payment WHERE payment IN (
                SELECT payment FROM payments_payment WHERE received_cents IS NULL AND created_s <= ?
                AND (intent IS NULL OR status = ? OR created_s <= ?) ORDER BY created_s LIMIT ?
            ) AND received_cents IS NULL
        """
        looked_at_since_s = int(self._clock() - self._limits.payment_look_for_s)
        values = (self._begun_before_s, str(IntentStatus.CANCELED), looked_at_since_s, self._limits.forgotten_payments)
        await self._books.execute(Statement(sql, values))

    @property
    def _begun_before_s(self) -> int:
        return int(self._clock()) - self._limits.payment_open_days * _DAY_S
