"""Sealed values open only whole, under the same key and in the same context."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.keyring.enclave import OVERHEAD_BYTES, AesGcmSealer, Label
from node.keyring.port import Sealer
from tests.support import keyring_vectors as known


@given(plaintext=st.binary(max_size=300), context=st.binary(max_size=60))
def test_what_is_sealed_opens(plaintext: bytes, context: bytes) -> None:
    sealer: Sealer = known.keyring().idempotency_sealer()
    sealed = sealer.seal(plaintext, context)
    assert len(sealed) == len(plaintext) + OVERHEAD_BYTES
    assert sealed[0] == 1
    assert sealer.open(sealed, context) == plaintext


@given(position=st.integers(0, 36), bit=st.integers(0, 7))
def test_every_flipped_bit_is_refused(position: int, bit: int) -> None:
    sealer = AesGcmSealer(bytes(32))
    damaged = bytearray(sealer.seal(b"12345678", b"c"))
    damaged[position] ^= 1 << bit
    with pytest.raises(ValueError, match="seal"):
        sealer.open(bytes(damaged), b"c")


@given(garbage=st.binary(max_size=64))
def test_garbage_is_a_value_error(garbage: bytes) -> None:
    with pytest.raises(ValueError, match="seal"):
        AesGcmSealer(bytes(32)).open(garbage, b"")


def test_context_and_wallet_bind() -> None:
    keyring = known.keyring()
    sealed = keyring.wallet_sealer(1, 2).seal(b"secret", b"a")
    assert keyring.wallet_sealer(1, 2).open(sealed, b"a") == b"secret"
    for owner, path, context in ((1, 2, b"b"), (2, 2, b"a"), (1, 1, b"a")):
        with pytest.raises(ValueError, match="another key or context"):
            keyring.wallet_sealer(owner, path).open(sealed, context)


def test_sealing_twice_differs() -> None:
    sealer = known.keyring().idempotency_sealer()
    assert sealer.seal(b"same", b"") != sealer.seal(b"same", b"")


def test_a_wallets_sealer_uses_the_pinned_key() -> None:
    symmetric = known.vectors()["symmetric_keys"]
    assert isinstance(symmetric, dict)
    reference = AesGcmSealer(bytes.fromhex(symmetric[Label.ENCRYPTION.value][2:]))
    assert reference.open(known.keyring().wallet_sealer(known.OWNER, known.PATH).seal(b"x", b"c"), b"c") == b"x"
    reference = AesGcmSealer(bytes.fromhex(symmetric[Label.IDEMPOTENCY_SEAL.value][2:]))
    assert reference.open(known.keyring().idempotency_sealer().seal(b"x", b"c"), b"c") == b"x"
    reference = AesGcmSealer(bytes.fromhex(symmetric[Label.CUSTOMER_EMAIL.value][2:]))
    assert reference.open(known.keyring().email_sealer().seal(b"x", b"c"), b"c") == b"x"
