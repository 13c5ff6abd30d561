"""Why a write finds no payer: three things that look alike from outside, and are mended by different people."""

from typing import Final

from node.chain.writes.lane import Lanes
from node.errors import ErrorCode, NodeError

NOT_KNOWN_RETRY_AFTER_S: Final = 5
"""A round over the payers that did not succeed is done again after `payer_retry_interval_s`, 5 by default."""
OPERATOR_RETRY_AFTER_S: Final = 30

_NOTHING_HAPPENED: Final = "nothing was changed and nothing was charged"


def no_payer(lanes: Lanes) -> NodeError:
    """The answer, 503 `chain_unavailable`, where no payer in `lanes` can send."""
    if not lanes.looked_at:
        return _refusal(
            "The balances of this node's payers are not known yet: the chain has not told them since the node's start",
            "Try again in some seconds.",
            NOT_KNOWN_RETRY_AFTER_S,
        )
    if not lanes.payers:
        return _refusal(
            "The contract does not name a payer of this node yet",
            "Try again later. Operator: /health says which admin payer the contract's owner must name.",
            OPERATOR_RETRY_AFTER_S,
        )
    return _refusal(
        "No payer of this node has the gas money for this write",
        "Try again later; the operator tops the payers up.",
        OPERATOR_RETRY_AFTER_S,
    )


def _refusal(what: str, fix: str, retry_after_s: int) -> NodeError:
    message = f"{what}; {_NOTHING_HAPPENED}."
    return NodeError(ErrorCode.CHAIN_UNAVAILABLE, message, fix=fix, retry_after_s=retry_after_s)
