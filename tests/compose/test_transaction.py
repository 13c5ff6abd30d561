"""What a key sends is what eth_account would sign and eth_abi encode, and the key itself is in nothing that prints."""

from typing import Any

import pytest
from eth_abi.abi import encode
from eth_account import Account
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st

from compose.errors import ComposeError, Exit
from compose.governance.sending import sender_of, signing_key
from compose.governance.state import Call, Function, calldata
from svc_client.chain.sending import Fees
from svc_client.errors import InvalidArgument

KEYS = st.integers(1, 2**255).map(lambda number: number.to_bytes(32).hex())
AMOUNTS = st.one_of(st.integers(0, 260), st.integers(0, 2**60))
FEES = st.builds(Fees, AMOUNTS, AMOUNTS, AMOUNTS).filter(lambda fees: fees.priority_fee_wei <= fees.max_fee_wei)
CALLS = st.builds(
    Call,
    st.binary(min_size=20, max_size=20).filter(any),
    st.sampled_from(Function),
    st.one_of(st.binary(min_size=32, max_size=32), st.integers(0, 255).map(lambda number: number.to_bytes(32))),
)


def asked(chain_id: int, nonce: int, fees: Fees, to: str, data: bytes) -> dict[str, Any]:
    """A transaction as the client asks a wallet to sign it."""
    return {
        "type": 2,
        "chainId": chain_id,
        "nonce": nonce,
        "gas": fees.gas,
        "maxFeePerGas": fees.max_fee_wei,
        "maxPriorityFeePerGas": fees.priority_fee_wei,
        "to": to,
        "value": 0,
        "data": data,
    }


@settings(max_examples=100, deadline=None)
@given(KEYS, CALLS, st.integers(1, 2**53), AMOUNTS, FEES)
def test_a_signed_call_is_byte_for_byte_that_of_others(
    digits: str, call: Call, chain_id: int, nonce: int, fees: Fees
) -> None:
    data = keccak(f"{call.function.value}(bytes32)".encode())[:4] + encode(["bytes32"], [call.compose_hash])
    assert calldata(call.named) == data
    transaction = asked(chain_id, nonce, fees, to_checksum_address(call.app_id), data)
    key = signing_key(f"0x{digits}\n")
    theirs = Account.sign_transaction({**transaction, "accessList": []}, digits)
    assert sender_of(key).sign(transaction) == bytes(theirs.raw_transaction)
    assert key.address == Account.from_key(digits).address


@pytest.mark.parametrize(
    ("chain_id", "nonce", "fees", "named"),
    [
        (0, 0, Fees(1, 1, 1), "chainId"),
        (2**64, 0, Fees(1, 1, 1), "chainId"),
        (1, 2**64, Fees(1, 1, 1), "nonce"),
        (1, 0, Fees(2**64, 1, 1), "gas"),
        (1, 0, Fees(1, 1, 2), "maxPriorityFeePerGas"),
    ],
)
def test_numbers_of_a_provider_that_no_transaction_holds_are_refused(
    chain_id: int, nonce: int, fees: Fees, named: str
) -> None:
    with pytest.raises(InvalidArgument, match=named):
        sender_of(signing_key("11" * 32)).sign(asked(chain_id, nonce, fees, f"0x{bytes(20).hex()}", b"\x01"))


@settings(max_examples=50, deadline=None)
@given(KEYS)
def test_a_key_does_not_print(digits: str) -> None:
    assert digits not in f"{signing_key(digits)!r} {signing_key(digits)}"


@pytest.mark.parametrize(
    "text", ["", "0x", "0x00", "00" * 32, "ff" * 32, "11" * 31, "11" * 33, "0x" + "1g" * 32, "1 " * 32]
)
def test_what_is_no_key_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ComposeError) as refused:
        signing_key(text)
    assert refused.value.code is Exit.MISUSE
    assert not text.strip() or text not in refused.value.message.replace("0x and 64", "")
