"""Errors of the library as our own. The processor's messages are never repeated: they repeat what was sent.

Source: https://docs.stripe.com/error-handling, https://docs.stripe.com/error-codes.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import stripe

from node.processor.port import Fault, ProcessorError


class NoAnswer(StrEnum):
    """Reason why an HTTP exchange gave no response."""

    LATE = "did not answer in time"
    TLS = "TLS failed: its certificate is not trusted"
    UNREACHABLE = "cannot be connected to"
    BROKEN = "broke off its answer, or does not speak HTTP"
    TOO_LARGE = "answered more than is read"


_KNOWN_CODES: Final = frozenset(
    {
        "account_invalid",
        "amount_too_large",
        "amount_too_small",
        "api_key_expired",
        "balance_insufficient",
        "country_unsupported",
        "email_invalid",
        "idempotency_key_in_use",
        "invalid_characters",
        "livemode_mismatch",
        "lock_timeout",
        "parameter_invalid_empty",
        "parameter_invalid_integer",
        "parameter_invalid_string_empty",
        "parameter_missing",
        "parameter_unknown",
        "parameters_exclusive",
        "payment_intent_unexpected_state",
        "payment_method_types_no_longer_supported",
        "platform_api_key_expired",
        "rate_limit",
        "resource_missing",
        "secret_key_required",
        "testmode_charges_only",
        "tls_version_unsupported",
    }
)
"""Codes that may be logged. Another might be a made-up one that repeats a parameter."""

_FAULTS: Final[Sequence[tuple[type[Exception], Fault, str]]] = (
    (stripe.AuthenticationError, Fault.UNAUTHORIZED, "it does not know the secret key"),
    (stripe.PermissionError, Fault.UNAUTHORIZED, "the secret key may not do this"),
    (stripe.RateLimitError, Fault.UNAVAILABLE, "too many requests"),
    (stripe.IdempotencyError, Fault.REFUSED, "the idempotency key was used for something else"),
    (stripe.InvalidRequestError, Fault.REFUSED, "it refused"),
    (stripe.CardError, Fault.REFUSED, "it refused"),
    (stripe.APIError, Fault.UNAVAILABLE, "it failed"),
    (TimeoutError, Fault.UNAVAILABLE, NoAnswer.LATE.value),
    (UnicodeEncodeError, Fault.REFUSED, "what it is to be asked is no text"),
)
"""Fault of each class of errors; the first that fits."""

_REQUEST: Final = re.compile(r"req_[A-Za-z0-9]{6,40}")


def error_of(error: Exception) -> ProcessorError:
    """Return our error for what the library raised."""
    fault, reason = _fault(error)
    return ProcessorError(fault, reason + _details(error))


def _fault(error: Exception) -> tuple[Fault, str]:
    if isinstance(error, stripe.InvalidRequestError) and (error.http_status == 404 or error.code == "resource_missing"):
        return Fault.NOT_FOUND, "there is no such object"
    if isinstance(error, stripe.APIConnectionError):
        return Fault.UNAVAILABLE, _why(error)
    met = ((fault, reason) for kind, fault, reason in _FAULTS if isinstance(error, kind))
    return next(met, (Fault.UNAVAILABLE, "its answer cannot be read"))


def _why(error: stripe.APIConnectionError) -> str:
    said = error.user_message
    return said if said in set(NoAnswer) else NoAnswer.BROKEN


def _details(error: Exception) -> str:
    if not isinstance(error, stripe.StripeError):
        return ""
    request = error.request_id if isinstance(error.request_id, str) else ""
    code = error.code if isinstance(error.code, str) else ""
    known = [
        "" if error.http_status is None else str(int(error.http_status)),
        code if code in _KNOWN_CODES else "",
        request if _REQUEST.fullmatch(request) else "",
    ]
    described = " ".join(filter(None, known))
    return f" ({described})" if described else ""
