"""From the processor's objects to ours."""

from collections.abc import Mapping
from typing import Final

from node.processor import metadata
from node.processor.port import BalanceTransaction, Customer, IntentStatus, PaymentIntent
from node.processor.shapes import CURRENCY, BalanceTransactionShape, CustomerShape, IntentShape

_STATUS: Final[Mapping[str, IntentStatus]] = {
    "processing": IntentStatus.PROCESSING,
    "succeeded": IntentStatus.SUCCEEDED,
    "canceled": IntentStatus.CANCELED,
}
"""Whatever else it says, known or new, is a payment that is not made yet."""


def intent_of(shape: IntentShape, service: str) -> PaymentIntent:
    """A payment; one in another currency is none of ours, whatever is written on it, and brings no dollars."""
    in_dollars = shape.currency == CURRENCY
    account = metadata.account_in(shape.metadata, service) if in_dollars else None
    return PaymentIntent(
        id=shape.id,
        status=_STATUS.get(shape.status, IntentStatus.OPEN) if in_dollars else IntentStatus.OPEN,
        amount_cents=shape.amount,
        received_cents=shape.amount_received,
        account=account,
        payment=None if account is None else shape.metadata.get(metadata.PAYMENT),
        created_s=shape.created,
        client_secret=shape.client_secret or "",
    )


def customer_of(shape: CustomerShape, service: str) -> Customer:
    """A customer, of ours or not."""
    return Customer(shape.id, metadata.account_in(shape.metadata, service), shape.created)


def transaction_of(shape: BalanceTransactionShape) -> BalanceTransaction:
    """A change of a customer's balance."""
    return BalanceTransaction(shape.id, shape.amount, (shape.metadata or {}).get(metadata.CAUSE), shape.created)
