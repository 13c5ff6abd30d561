"""Objects of the processor that are ours, and what they become: an object is ours when its metadata names this deployment.

Several deployments, and the operator's other business, may share one account at the processor.
"""

import re
from collections.abc import Mapping
from typing import Final

from node.processor.port import BalanceTransaction, Customer, IntentStatus, PaymentIntent
from node.processor.shapes import CURRENCY, BalanceTransactionShape, CustomerShape, IntentShape

ACCOUNT: Final = "svc_account"
"""Metadata: the account (master hash), u256 hex."""
PAYMENT: Final = "svc_payment"
"""Metadata: our own id of a payment."""
CAUSE: Final = "svc_cause"
"""Metadata: why we changed a customer's balance."""
SERVICE: Final = "svc_service"
"""Metadata: the deployment."""

_U256: Final = re.compile(r"0x[0-9a-f]{64}")
_STATUS: Final[Mapping[str, IntentStatus]] = {
    "processing": IntentStatus.PROCESSING,
    "succeeded": IntentStatus.SUCCEEDED,
    "canceled": IntentStatus.CANCELED,
}
"""Every other status, known or new, is a payment that is not made yet."""


def service_name(chain_id: int, contract: str) -> str:
    """Return the name of a deployment: its chain and its contract."""
    return f"{chain_id}:{contract.lower()}"


def metadata_of_account(service: str, account: int) -> dict[str, str]:
    """Return the metadata of an account's customer."""
    return {SERVICE: service, ACCOUNT: f"0x{account:064x}"}


def account_in(metadata: Mapping[str, str], service: str) -> int | None:
    """Return the account an object is of; None when it is not ours."""
    text = metadata.get(ACCOUNT, "")
    if metadata.get(SERVICE) != service or _U256.fullmatch(text) is None:
        return None
    return int(text, 16)


def intent_of(shape: IntentShape, service: str) -> PaymentIntent:
    """Return a payment. One in another currency is not ours, whatever its metadata says, and brings no dollars."""
    in_dollars = shape.currency == CURRENCY
    account = account_in(shape.metadata, service) if in_dollars else None
    return PaymentIntent(
        id=shape.id,
        status=_STATUS.get(shape.status, IntentStatus.OPEN) if in_dollars else IntentStatus.OPEN,
        amount_cents=shape.amount,
        received_cents=shape.amount_received,
        account=account,
        payment=None if account is None else shape.metadata.get(PAYMENT),
        created_s=shape.created,
        client_secret=shape.client_secret or "",
    )


def customer_of(shape: CustomerShape, service: str) -> Customer:
    """Return a customer, ours or not."""
    return Customer(shape.id, account_in(shape.metadata, service), shape.created)


def transaction_of(shape: BalanceTransactionShape) -> BalanceTransaction:
    """Return a change of a customer's balance."""
    return BalanceTransaction(shape.id, shape.amount, (shape.metadata or {}).get(CAUSE), shape.created)
