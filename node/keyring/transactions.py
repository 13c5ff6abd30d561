"""Signs Ethereum transactions: legacy with EIP-155, EIP-2930 and EIP-1559 (pure; no chain access)."""

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from node.keyring import rlp
from node.keyring.errors import UnsignableTransactionError
from node.keyring.port import SigningKey
from node.keyring.signing_key import FIRST_RECOVERY_ID
from node.keyring.transaction_model import Transaction
from node.values import keccak256

EIP155_V_OFFSET: Final = 35
SHOWN_FAULTS: Final = 8
SHOWN_NAME_CHARACTERS: Final = 64
FIELDS_MAX: Final = 32
"""More than there are names of a transaction's fields: pydantic would make an error of each unknown one."""


def sign_transaction(key: SigningKey, transaction: Mapping[str, object]) -> bytes:
    """The raw signed transaction, ready for eth_sendRawTransaction; the bytes are those eth-account makes.

    `transaction` names its fields as JSON-RPC, ethers v5 or web3 do: `nonce`, `gas` or `gasLimit`, `chainId` (required:
    nothing is signed without replay protection), `to` (absent, null or empty creates a contract), `value`, `data` or
    `input`, then `gasPrice` (with `accessList`: EIP-2930), or `maxFeePerGas` and `maxPriorityFeePerGas` (EIP-1559).
    `type` may be 0, 1 or 2 and follows from the fees when absent; `from`, when given, must be the key's address.
    Quantities are integers, decimal strings or 0x hex. Raises UnsignableTransactionError naming what is wrong.
    """
    checked = _checked(transaction)
    if checked.sender is not None and "0x" + checked.sender.hex() != key.address.lower():
        raise UnsignableTransactionError("`from` is not the address of the signing key.", ["from"])
    body, prefix = _body(checked), bytes([checked.kind]) if checked.kind else b""
    # EIP-155 signs (chain id, 0, 0) in the place of the signature; the typed ones have the chain id in front
    unsigned = body if checked.kind else [*body, checked.chain_id, b"", b""]
    signature = key.sign_digest(keccak256(prefix + rlp.encode(unsigned)))
    parity = signature[64] - FIRST_RECOVERY_ID
    v = parity if checked.kind else EIP155_V_OFFSET + 2 * checked.chain_id + parity
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])
    return prefix + rlp.encode([*body, v, r, s])


def transaction_hash(raw_transaction: bytes) -> str:
    """The hash by which the chain knows a signed transaction: 0x and 64 hex digits."""
    return "0x" + keccak256(raw_transaction).hex()


def _body(transaction: Transaction) -> list[rlp.RlpItem]:
    head: list[rlp.RlpItem] = [transaction.nonce]
    tail: list[rlp.RlpItem] = [transaction.gas, transaction.to, transaction.value, transaction.data]
    fees = (transaction.gas_price, transaction.max_priority_fee_per_gas, transaction.max_fee_per_gas)
    head += [fee for fee in fees if fee is not None]
    if not transaction.kind:
        return head + tail
    entries: list[rlp.RlpItem] = [[entry.address, entry.storage_keys] for entry in transaction.access_list or []]
    return [transaction.chain_id, *head, *tail, entries]


def _checked(transaction: Mapping[str, object]) -> Transaction:
    if len(transaction) > FIELDS_MAX:
        raise UnsignableTransactionError("The transaction has more fields than there are.", ["transaction"])
    try:
        return Transaction.model_validate(dict(transaction))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)[:SHOWN_FAULTS]
        names = [".".join(map(str, fault["loc"]))[:SHOWN_NAME_CHARACTERS] or "transaction" for fault in faults]
        said = "; ".join(f"`{name}` {fault['msg']}" for name, fault in zip(names, faults, strict=True))
        raise UnsignableTransactionError(f"The transaction cannot be signed: {said}.", names) from None
