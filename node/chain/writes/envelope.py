"""From a transaction, a nonce and an offer to stored bytes (EIP-1559)."""

from node.chain.writes.model import Attempt, Fees, JournaledWrite, Transaction
from node.errors import NodeError
from node.keyring.port import SigningKey
from node.keyring.transactions import sign_transaction, transaction_hash

TRANSFER_GAS = 21_000
"""What an empty transaction costs (Yellow Paper, G_transaction)."""


def sign_attempt(
    key: SigningKey, chain_id: int, nonce: int, transaction: Transaction, fees: Fees, *, cancels: bool, now: float
) -> Attempt:
    """Sign one attempt; `cancels` says that `transaction` is the empty one that takes the write's place."""
    raw = sign_transaction(
        key,
        {
            "type": 2,
            "chainId": chain_id,
            "nonce": nonce,
            "to": transaction.to,
            "value": transaction.value,
            "data": "0x" + transaction.data.hex(),
            "gas": transaction.gas_limit,
            "maxFeePerGas": fees.max_fee,
            "maxPriorityFeePerGas": fees.priority_fee,
        },
    )
    return Attempt(transaction_hash(raw), raw, fees, cancels, now)


def is_as_signed(key: SigningKey, chain_id: int, row: JournaledWrite) -> bool:
    """Whether the transaction of a row is the one that its payer signed first: signatures are deterministic (RFC 6979).

    Whoever keeps the database can write another one there, which must not be signed under a new offer.
    """
    first = row.attempts[0]
    try:
        again = sign_attempt(key, chain_id, row.nonce, row.transaction, first.fees, cancels=False, now=first.stored_at)
    except NodeError:
        return False
    return again.raw == first.raw


def empty_transaction(payer: str) -> Transaction:
    """A transfer of nothing to oneself: uses up a nonce and changes nothing."""
    return Transaction(to=payer, data=b"", value=0, gas_limit=TRANSFER_GAS)
