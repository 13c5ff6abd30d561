"""Failures of the ledger: missing credit, misuse of reservations, an unreachable or inconsistent ledger."""

from pydantic import JsonValue

from node.errors import ErrorCode, NodeError
from node.ledger.port import MICRODOLLARS_PER_CENT


class PaymentRequiredError(NodeError):
    """A reservation needs more than the account, or the usage key, may spend."""


class InsufficientCreditError(PaymentRequiredError):
    """The account has less unreserved credit than a reservation needs."""

    def __init__(self, needed_microdollars: int, available_microdollars: int) -> None:
        super().__init__(
            ErrorCode.PAYMENT_REQUIRED,
            "The account has not enough credit.",
            fix="Add credit: by card with POST /billing/create_payment_intent, in tokens as GET /billing/token_config tells. "
            "Where both are billing_disabled, ask the node's operator.",
            details=_details("account", needed_microdollars, available_microdollars),
        )


class SpendingCapReachedError(PaymentRequiredError):
    """The usage key's lifetime cap allows less than a reservation needs."""

    def __init__(self, needed_microdollars: int, available_microdollars: int, cap_left_microdollars: int) -> None:
        details = _details("usage_key", needed_microdollars, available_microdollars)
        details["cap_left_cents"] = max(0, cap_left_microdollars) // MICRODOLLARS_PER_CENT
        super().__init__(
            ErrorCode.PAYMENT_REQUIRED,
            "This usage key has reached its spending cap.",
            fix="Raise `balance` with update_usage_api_key.",
            details=details,
        )


class ReservationMissingError(NodeError):
    """A cause that is not reserved, or has ended, cannot be extended."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.INTERNAL_ERROR, "A reservation that does not exist cannot be extended.")


class NegativeAmountError(NodeError):
    """No amount that is reserved or settled is below zero."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.INTERNAL_ERROR, "The ledger takes no negative amount.")


class LedgerUnavailableError(NodeError):
    """The ledger's database cannot be reached. The same call may be repeated after `retry_after_s`."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            ErrorCode.BILLING_UNAVAILABLE,
            "The ledger's database cannot be reached.",
            fix="Try again after `Retry-After` seconds.",
            retry_after_s=retry_after_s,
        )


class LedgerInconsistentError(NodeError):
    """The entries of a book do not add up to its balance."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.INTERNAL_ERROR, message, fix="Run `svc-node ledger check`.")


def _details(scope: str, needed_microdollars: int, available_microdollars: int) -> dict[str, JsonValue]:
    return {
        "scope": scope,
        "needed_cents": -(-needed_microdollars // MICRODOLLARS_PER_CENT),
        "credit_cents": available_microdollars // MICRODOLLARS_PER_CENT,
    }
