"""Events of the processor, from webhook calls and from its list: signature, form, meaning. Pure.

Refunds are read from `refund.*` alone. `charge.refunded` reports their sum for a charge, without
ids, so reading both would count money twice. `charge.refund.updated` repeats `refund.updated`. A
dispute moves money only with `funds_withdrawn` and `funds_reinstated`; many are inquiries that move
none. A lost dispute still gives back what had been refunded before it.
Source: https://docs.stripe.com/api/events/types,
https://docs.stripe.com/changelog/acacia/2024-10-28/refund-webhook-update,
https://support.stripe.com/questions/dispute-for-full-charge-amount-after-a-partial-refund-was-issued

Signatures (https://docs.stripe.com/webhooks/signature) are checked here, since the library's check
reads the machine's clock, takes one secret, and accepts a time in the future.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from pydantic import ValidationError

from node.processor.port import (
    Change,
    CustomerBalanceChanged,
    DisputeChanged,
    Event,
    Fault,
    PaymentChanged,
    ProcessorError,
    RefundChanged,
)
from node.processor.shapes import (
    CURRENCY,
    CustomerShape,
    EventData,
    EventShape,
    IntentShape,
    Shape,
    TakenBackShape,
    account_in,
    intent_of,
)

_Read = Callable[[EventData, str], Change | None]
_SomeShape = TypeVar("_SomeShape", bound=Shape)

HEADER_MAX_CHARACTERS: Final = 2048
_TIME: Final = re.compile(r"[0-9]{1,12}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{64}")
WEBHOOK_TOLERANCE_S: Final = 300.0
"""Maximum age of a webhook's signature (the library's default), which limits replays of a call."""

_NOT_TAKEN: Final = frozenset({"failed", "canceled"})
"""States of a refund that took no money from us."""

_LOST: Final = "lost"
"""State of a dispute that gives back at most a part."""


def _object(data: EventData, shape: type[_SomeShape]) -> _SomeShape:
    return shape.model_validate(data.object)


def _payment(data: EventData, service: str) -> Change | None:
    intent = intent_of(_object(data, IntentShape), service)
    return None if intent.account is None else PaymentChanged(intent)


def refund_of(refund: TakenBackShape) -> RefundChanged | None:
    """Returns a refund's state; None if it is not of a payment in dollars."""
    if refund.intent is None or refund.currency != CURRENCY:
        return None
    return RefundChanged(refund.id, refund.intent, refund.amount, takes_back=refund.status not in _NOT_TAKEN)


def disputes_of(dispute: TakenBackShape) -> Sequence[DisputeChanged]:
    """Returns what a dispute has taken and given back until now."""
    moves = ((True, dispute.took_money), (False, dispute.gave_money_back))
    changes = [_moved(dispute, takes_back=takes_back) for takes_back, happened in moves if happened]
    return [change for change in changes if change is not None]


def _refund(data: EventData, _service: str) -> Change | None:
    return refund_of(_object(data, TakenBackShape))


def _dispute(data: EventData, *, takes_back: bool) -> Change | None:
    return _moved(_object(data, TakenBackShape), takes_back=takes_back)


def _moved(dispute: TakenBackShape, *, takes_back: bool) -> DisputeChanged | None:
    if dispute.intent is None or dispute.currency != CURRENCY:
        return None
    # Only a lost dispute gives back less than it took. It gives back what had been refunded before.
    only_a_part = not takes_back and dispute.status == _LOST
    amount = min(dispute.amount, dispute.came_back) if only_a_part else dispute.amount
    return DisputeChanged(dispute.id, dispute.intent, amount, takes_back=takes_back)


def _customer(data: EventData, service: str) -> Change | None:
    customer = _object(data, CustomerShape)
    # Most updates of a customer change no balance, and each would cost a request.
    ours = account_in(customer.metadata, service) is not None
    return CustomerBalanceChanged(customer.id) if ours and "balance" in (data.previous_attributes or {}) else None


_READ: Final[Mapping[str, _Read]] = {
    "payment_intent.succeeded": _payment,
    "payment_intent.processing": _payment,
    "payment_intent.payment_failed": _payment,
    "payment_intent.canceled": _payment,
    "refund.created": _refund,
    "refund.updated": _refund,
    "refund.failed": _refund,
    "charge.dispute.funds_withdrawn": lambda data, _service: _dispute(data, takes_back=True),
    "charge.dispute.funds_reinstated": lambda data, _service: _dispute(data, takes_back=False),
    "customer.updated": _customer,
}

EVENT_TYPES: Final = tuple(_READ)
"""Types to which the webhook endpoint must be subscribed."""

LISTED_TYPES: Final = tuple(kind for kind in EVENT_TYPES if kind != "customer.updated")
"""Types that are read from the list of events. `customer.updated` is left out, since each of our
balance changes makes one, tens of thousands an hour. The sweep reads the customers instead.
"""


def event_of(shape: EventShape, service: str, *, live: bool) -> Event:
    """Returns an event. `change` is None for unread types, foreign objects and the other mode.

    Events of connected accounts are foreign, as their owner is paid and writes any metadata.
    Raises ProcessorError `refused` if the object does not fit the event's type.
    """
    # An endpoint of a platform gets test events as well (https://docs.stripe.com/connect/webhooks).
    ours = shape.livemode == live and shape.account is None
    read = _READ.get(shape.type) if ours else None
    try:
        change = None if read is None else read(shape.data, service)
    except ValidationError:
        unreadable = True
    else:
        unreadable = False
    # Raised outside the handler, or pydantic's error, which has the object, would be its context.
    if unreadable:
        raise ProcessorError(Fault.REFUSED, "the object of an event has an unexpected form")
    return Event(shape.id, shape.created, change)


def parse_event(payload: bytes, service: str, *, live: bool) -> Event:
    """Returns the event of a webhook call. Raises ProcessorError `refused` for anything else."""
    try:
        shape = EventShape.model_validate_json(payload)
    except ValidationError:
        shape = None
    if shape is None:
        raise ProcessorError(Fault.REFUSED, "the payload is no event")
    return event_of(shape, service, live=live)


def _bad(reason: str) -> ProcessorError:
    return ProcessorError(Fault.BAD_SIGNATURE, reason)


def _parts(header: str) -> tuple[str, list[str]]:
    # Checked before parsing, since any client may call.
    if len(header) > HEADER_MAX_CHARACTERS:
        raise _bad("the signature header is too long")
    items = [item.strip().partition("=") for item in header.split(",")]
    times = [value for name, _, value in items if name == "t"]
    # With two times a caller could have one signed and the other checked.
    if len(times) != 1 or _TIME.fullmatch(times[0]) is None:
        raise _bad("the signature header names no time")
    return times[0], [value for name, _, value in items if name == "v1" and _SIGNATURE.fullmatch(value)]


def require_signed(payload: bytes, header: str, secrets: Sequence[str], now_s: float) -> None:
    """Checks that one of `secrets` signed `payload` within WEBHOOK_TOLERANCE_S of `now_s` (unix).

    Raises ProcessorError `bad_signature`.
    """
    time, signatures = _parts(header)
    signed = time.encode() + b"." + payload
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    # Compare all pairs in constant time, so that the duration tells nothing of the secrets.
    matches = [hmac.compare_digest(ours, theirs) for ours in expected for theirs in signatures]
    if not any(matches):
        raise _bad("no signature is of our secret")
    # The signature covers the time. A future time would let a recorded call stay valid until then.
    if abs(now_s - int(time)) > WEBHOOK_TOLERANCE_S:
        raise _bad("signed too long ago, or in the future")
