"""The ledger of `svc-node dev`: real balances in memory, gone with the process."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.errors import ErrorCode, NodeError
from node.ledger.port import MICRODOLLARS_PER_CENT, Balance, Spender, Usage

DEFAULT_STARTER_CENTS: Final = 10_000_000
DEFAULT_REMEMBERED_CAUSES: Final = 100_000


@dataclass(slots=True)
class _Purse:
    """What an account, or a usage key, has taken for good and has set aside, in micro-dollars."""

    spent: int = 0
    reserved: int = 0


@dataclass(slots=True)
class _Reservation:
    spender: Spender
    amount: int


class MemoryLedger:
    """The Ledger port on dictionaries. Every account starts with `starter_cents` of credit.

    Nothing is kept across a restart: an account seen first afterwards, by whatever call, has the starter
    credit again, and usage keys' lifetime caps count from zero. Nothing is awaited between check and change,
    so within one event loop every operation is atomic. Of ended causes the last `remembered_causes` are
    known, so that a late repetition does not charge again.
    """

    def __init__(
        self, starter_cents: int = DEFAULT_STARTER_CENTS, remembered_causes: int = DEFAULT_REMEMBERED_CAUSES
    ) -> None:
        self._starter = starter_cents * MICRODOLLARS_PER_CENT
        self._remembered_causes = remembered_causes
        self._accounts: dict[int, _Purse] = {}
        self._usage_keys: dict[int, _Purse] = {}
        self._reservations: dict[str, _Reservation] = {}
        self._ended: OrderedDict[str, None] = OrderedDict()

    async def balance(self, account: int) -> Balance:
        """Credit left and the part of it set aside; the starter credit for an account not seen before."""
        purse = self._purse(account)
        return Balance(self._starter - purse.spent, purse.reserved)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Set credit aside under `cause`; a cause that is known already changes nothing.

        Raises NodeError `payment_required` with `details.scope` "account" or "usage_key".
        """
        _refuse_negative(amount_microdollars)
        if cause in self._reservations or cause in self._ended:
            return
        self._require(spender, amount_microdollars)
        self._reservations[cause] = _Reservation(spender, 0)
        self._set_aside(cause, amount_microdollars)

    async def extend(self, cause: str, amount_microdollars: int) -> None:
        """Set more aside under a cause that is reserved.

        Raises NodeError `payment_required`, and what was reserved stays.
        """
        _refuse_negative(amount_microdollars)
        reservation = self._reservations.get(cause)
        if reservation is None:
            raise NodeError(ErrorCode.INTERNAL_ERROR, "A reservation that does not exist cannot be extended.")
        self._require(reservation.spender, amount_microdollars)
        self._set_aside(cause, amount_microdollars)

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> None:
        """Take `amount`, at most what was reserved, and give the rest back; an ended cause changes nothing."""
        del usage
        _refuse_negative(amount_microdollars)
        self._end(cause, amount_microdollars)

    async def release(self, cause: str) -> None:
        """Give the whole reservation back; an ended cause changes nothing."""
        self._end(cause, 0)

    def _purse(self, account: int) -> _Purse:
        return self._accounts.setdefault(account, _Purse())

    def _purses(self, spender: Spender) -> Sequence[_Purse]:
        account = self._purse(spender.account)
        if spender.usage_key is None:
            return (account,)
        return account, self._usage_keys.setdefault(spender.usage_key, _Purse())

    def _require(self, spender: Spender, amount: int) -> None:
        account, *usage_keys = self._purses(spender)
        available = self._starter - account.spent - account.reserved
        if amount > available:
            raise _payment_required("account", amount, available)
        for key in usage_keys:
            left = spender.cap_microdollars - key.spent - key.reserved
            if spender.cap_microdollars and amount > left:
                raise _payment_required("usage_key", amount, available, left)

    def _set_aside(self, cause: str, amount: int) -> None:
        reservation = self._reservations[cause]
        reservation.amount += amount
        for purse in self._purses(reservation.spender):
            purse.reserved += amount

    def _end(self, cause: str, amount: int) -> None:
        reservation = self._reservations.pop(cause, None)
        if reservation is None:
            return
        for purse in self._purses(reservation.spender):
            purse.reserved -= reservation.amount
            purse.spent += min(amount, reservation.amount)
        self._ended[cause] = None
        if len(self._ended) > self._remembered_causes:
            self._ended.popitem(last=False)


def _refuse_negative(amount: int) -> None:
    if amount < 0:
        raise NodeError(ErrorCode.INTERNAL_ERROR, "The ledger takes no negative amount.")


def _payment_required(scope: str, needed: int, available: int, cap_left: int | None = None) -> NodeError:
    details: dict[str, JsonValue] = {
        "scope": scope,
        "needed_cents": -(-needed // MICRODOLLARS_PER_CENT),
        "credit_cents": available // MICRODOLLARS_PER_CENT,
    }
    if cap_left is None:
        message, fix = "The account has not enough credit.", "Add credit to the account."
    else:
        message, fix = "This usage key has reached its spending cap.", "Raise `balance` with update_usage_api_key."
        details["cap_left_cents"] = max(0, cap_left) // MICRODOLLARS_PER_CENT
    return NodeError(ErrorCode.PAYMENT_REQUIRED, message, fix=fix, details=details)
