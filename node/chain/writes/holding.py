"""Who may sign for an instance: the last process that has started under its id.

Two processes with one instance id derive the same payers. Each takes the payers over when it starts, by a name of its
own that stands in their rows; every change of the journal asks in its own transaction whether that name still stands
there. So a second node given the same id by mistake (or a machine that was thought dead and wakes) never makes another
transaction under a nonce of the first: the one that started earlier sends nothing new from then on, and says why.
"""

import secrets
from typing import Final

import structlog

from node.errors import ErrorCode, NodeError
from node.ledger.books import Statement

_TAKE: Final = """
INSERT INTO write_payer (chain_id, instance, payer, next_nonce, holder) VALUES (?, ?, ?, 0, ?)
ON CONFLICT (chain_id, instance, payer) DO UPDATE SET holder = excluded.holder RETURNING next_nonce
"""
_LOCK: Final = """
UPDATE write_payer SET next_nonce = next_nonce
WHERE chain_id = ? AND instance = ? AND payer = ? AND holder = ? RETURNING next_nonce
"""
_LOOK: Final = "SELECT 1 FROM write_payer WHERE chain_id = ? AND instance = ? AND payer = ? AND holder = ?"

TAKEN: Final = "Another node runs under this node's instance_id: give each node one of its own."

_log = structlog.get_logger(__name__)


class Holding:
    """One life of one instance on one chain. Its statements tell in their rows whether it still holds a payer."""

    def __init__(self, chain_id: int, instance: str) -> None:
        self.chain_id: Final = chain_id
        self.instance: Final = instance
        self.holder: Final = secrets.token_hex(16)
        self.lost = False

    def key(self, payer: str) -> tuple[int, str, str]:
        """The first columns of every row of this payer."""
        return (self.chain_id, self.instance, payer)

    def held(self, payer: str) -> tuple[int, str, str, str]:
        """The same and the holder: the row of `write_payer` with all four is there as long as the payer is held."""
        return (*self.key(payer), self.holder)

    def take(self, payer: str) -> Statement:
        """Take the payer over from whoever had it; gives its next nonce, 0 for a new one."""
        return Statement(_TAKE, self.held(payer))

    def lock(self, payer: str) -> Statement:
        """Keep others from taking the payer until the transaction ends; gives its next nonce, nothing when it is lost."""
        return Statement(_LOCK, self.held(payer))

    def look(self, payer: str) -> Statement:
        """Gives one row while the payer is held; waits for nobody."""
        return Statement(_LOOK, self.held(payer))

    def require(self) -> None:
        """Raises NodeError `chain_unavailable` once it is known that another node has taken over."""
        if self.lost:
            raise _taken()

    def refusal(self) -> NodeError:
        """For a statement that gave no row: what to raise, now and ever after."""
        if not self.lost:
            self.lost = True
            _log.error("this node sends no more writes", reason=TAKEN, instance=self.instance)
        return _taken()


def _taken() -> NodeError:
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        "Another node has taken over the payers of this one, which sends no more writes; this one was not sent, "
        "nothing was changed and nothing was charged.",
        fix="Send the request to another node. For the operator: every node needs an instance_id of its own.",
        retry_after_s=5,
    )
