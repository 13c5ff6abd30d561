"""What both databases answer in the same words: who may spend, and what is said to who may not. Pure."""

from pydantic import JsonValue

from node.errors import ErrorCode, NodeError
from node.ledger.port import MICRODOLLARS_PER_CENT


def require_credit(amount_microdollars: int, available_microdollars: int) -> None:
    """Raises NodeError `payment_required`, scope "account", when the account has less than `amount` unreserved."""
    if amount_microdollars > available_microdollars:
        details = _details("account", amount_microdollars, available_microdollars)
        raise NodeError(
            ErrorCode.PAYMENT_REQUIRED,
            "The account has not enough credit.",
            fix="Add credit: by card with POST /billing/create_payment_intent, in tokens as GET /billing/token_config tells. "
            "Where both are billing_disabled, ask the node's operator.",
            details=details,
        )


def require_cap(
    amount_microdollars: int, available_microdollars: int, cap_microdollars: int, used_microdollars: int
) -> None:
    """Raises NodeError `payment_required`, scope "usage_key", when `amount` goes over the key's cap (0: none).

    `used` is what was ever charged through the key plus what is reserved through it.
    """
    left = cap_microdollars - used_microdollars
    if cap_microdollars and amount_microdollars > left:
        details = _details("usage_key", amount_microdollars, available_microdollars)
        details["cap_left_cents"] = max(0, left) // MICRODOLLARS_PER_CENT
        raise NodeError(
            ErrorCode.PAYMENT_REQUIRED,
            "This usage key has reached its spending cap.",
            fix="Raise `balance` with update_usage_api_key.",
            details=details,
        )


def refuse_negative(amount_microdollars: int) -> None:
    """Raises NodeError `internal_error`: nobody reserves or settles less than nothing."""
    if amount_microdollars < 0:
        raise NodeError(ErrorCode.INTERNAL_ERROR, "The ledger takes no negative amount.")


def no_such_reservation() -> NodeError:
    """What extending a cause that is not reserved, or has ended, raises."""
    return NodeError(ErrorCode.INTERNAL_ERROR, "A reservation that does not exist cannot be extended.")


def cause_taken(cause: str) -> ValueError:
    """What a posting raises whose cause is there with another account, source or amount."""
    return ValueError(f"The ledger has {cause!r} already, as another transfer.")


def billing_unavailable(retry_after_s: int) -> NodeError:
    """What every call raises while the database is out; the same call may be repeated."""
    return NodeError(
        ErrorCode.BILLING_UNAVAILABLE,
        "The ledger's database cannot be reached.",
        fix="Try again after `Retry-After` seconds.",
        retry_after_s=retry_after_s,
    )


def _details(scope: str, needed: int, available: int) -> dict[str, JsonValue]:
    return {
        "scope": scope,
        "needed_cents": -(-needed // MICRODOLLARS_PER_CENT),
        "credit_cents": available // MICRODOLLARS_PER_CENT,
    }
