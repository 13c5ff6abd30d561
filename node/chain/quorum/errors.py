"""Errors of a read without an answer: each is 503 `chain_unavailable` and names no endpoint."""

from typing import Final

from node.errors import ErrorCode, NodeError

RETRY_AFTER_S: Final = 2
"""Seconds until a client may try again."""
FOREIGN_PAYERS_RETRY_AFTER_S: Final = 300
"""Only the contract's owner can change this, and not within seconds."""


class NotComputedError(NodeError):
    """Endpoints ran out of their own bounds while they computed a view; less may well be computed."""

    def __init__(self) -> None:
        super().__init__(
            ErrorCode.CHAIN_UNAVAILABLE,
            "The chain's endpoints could not compute the answer; nothing was changed and nothing was charged.",
            fix="Try again in a few seconds, or ask for less at a time.",
            retry_after_s=RETRY_AFTER_S,
        )


def _unavailable(what: str) -> NodeError:
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        f"{what}; nothing was changed and nothing was charged.",
        fix="Try again in a few seconds.",
        retry_after_s=RETRY_AFTER_S,
    )


def too_few_answer() -> NodeError:
    """Return the error for fewer usable answers than a quorum."""
    return _unavailable("The chain cannot be reached just now")


def contradicted() -> NodeError:
    """Return the error for endpoints that contradict each other about one block."""
    return _unavailable("What the chain says cannot be told just now: its endpoints contradict one another")


def no_common_block() -> NodeError:
    """Return the error for endpoints of which no quorum confirms one block."""
    return _unavailable("What the chain says cannot be told just now: its endpoints are not at one block")


def behind() -> NodeError:
    """Return the error for a quorum below a block that this process has used already."""
    return _unavailable("The chain is behind what this node has seen of it already")


def head_too_old(age_s: float) -> NodeError:
    """Return the error for an agreed head that is older than a head may be."""
    return _unavailable(f"The chain has shown this node no new block for {age_s:.0f} seconds")


def foreign_payers(admin_payer: str) -> NodeError:
    """Return the error for a contract whose admin payer is not this enclave's: a stranger may have made its grants."""
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        f"The contract's owner has put {admin_payer} in the place of this node's admin payer: its payers may change what "
        "API-mode accounts grant, so nothing runs for them; nothing was changed and nothing was charged.",
        fix="Ask the operator; accounts that were opened ChainSecured are not affected.",
        retry_after_s=FOREIGN_PAYERS_RETRY_AFTER_S,
    )


def former_payers() -> NodeError:
    """Return the error for a contract that had another admin payer: grants of its payers may be among the present ones."""
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        "The contract has had another admin payer, whose payers may have changed what API-mode accounts grant, so nothing "
        "runs for them; nothing was changed and nothing was charged.",
        fix="Ask the operator, who needs a new contract; accounts that were opened ChainSecured are not affected.",
        retry_after_s=FOREIGN_PAYERS_RETRY_AFTER_S,
    )


def not_reached(number: int, seen: int) -> NodeError:
    """Return the error for a block that a request names and the chain does not reach in time."""
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        f"The node has seen the chain up to block {seen}, not yet block {number}.",
        fix="Try again, or leave `min_block` out.",
        details={"min_block": number, "block_number": seen},
        retry_after_s=RETRY_AFTER_S,
    )
