"""Signatures are RFC 6979, low s, and the very ones eth-keys makes."""

import pytest
from eth_keys.datatypes import PrivateKey, Signature
from hypothesis import given
from hypothesis import strategies as st

from node.keyring.signing_key import CURVE_ORDER, Secp256k1Key

scalars = st.integers(1, CURVE_ORDER - 1).map(lambda scalar: scalar.to_bytes(32))


@given(scalar=scalars, digest=st.binary(min_size=32, max_size=32))
def test_signatures_equal_eth_keys_and_recover(scalar: bytes, digest: bytes) -> None:
    key, reference = Secp256k1Key(scalar), PrivateKey(scalar)
    signature = key.sign_digest(digest)
    expected = reference.sign_msg_hash(digest)
    assert signature == expected.to_bytes()[:64] + bytes([27 + expected.v])
    assert int.from_bytes(signature[32:64]) <= CURVE_ORDER // 2
    recovered = Signature(signature[:64] + bytes([signature[64] - 27])).recover_public_key_from_msg_hash(digest)
    assert recovered.to_checksum_address() == key.address
    assert key.public_key == b"\x04" + recovered.to_bytes()
    assert key.reveal() == "0x" + scalar.hex()


@pytest.mark.parametrize("length", [0, 31, 33])
def test_only_digests_are_signed(length: int) -> None:
    with pytest.raises(ValueError, match="digest to sign"):
        Secp256k1Key(b"\x01" * 32).sign_digest(bytes(length))
