"""What we write on the processor's objects, and how it is read back: everything else may be of anybody.

Several deployments, and the operator's other business, may share one account at the processor. An object is ours when
it names this deployment.
"""

import re
from collections.abc import Mapping
from typing import Final

ACCOUNT: Final = "svc_account"
"""The account (master hash): u256 hex."""
PAYMENT: Final = "svc_payment"
"""Our own id of a payment."""
CAUSE: Final = "svc_cause"
"""Why we changed a customer's balance."""
SERVICE: Final = "svc_service"
"""The deployment."""

_U256: Final = re.compile(r"0x[0-9a-f]{64}")


def service_name(chain_id: int, contract: str) -> str:
    """How a deployment is named: its chain and its contract."""
    return f"{chain_id}:{contract.lower()}"


def of_account(service: str, account: int) -> dict[str, str]:
    """What is written on the customer of an account."""
    return {SERVICE: service, ACCOUNT: f"0x{account:064x}"}


def account_in(metadata: Mapping[str, str], service: str) -> int | None:
    """The account an object is of; None when it is not ours."""
    text = metadata.get(ACCOUNT, "")
    if metadata.get(SERVICE) != service or _U256.fullmatch(text) is None:
        return None
    return int(text, 16)
