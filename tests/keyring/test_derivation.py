"""Every derived key is pinned, follows HKDF as its labels say, and differs where its inputs differ."""

import hmac
import itertools
import json

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from node.keyring.enclave import P256_ORDER, Derivation, EnclaveKeyring, Label, Purpose, label_hash, scalar_from
from node.keyring.port import Keyring, RootKeyUnavailableError
from node.keyring.signing_key import CURVE_ORDER
from node.values import U256_MAX, keccak256
from tests.support import keyring_vectors as known

u256 = st.integers(0, U256_MAX)


def test_regenerating_the_committed_vectors_changes_nothing() -> None:
    assert known.VECTOR_FILE.read_text() == known.rendered()


def test_every_label_has_a_vector() -> None:
    written = json.loads(known.VECTOR_FILE.read_text())
    pinned = {*written["signing_keys"], *written["symmetric_keys"], *written["paths"]}
    assert pinned == {label.value for label in Label}


def test_labels_and_purposes_hash_apart() -> None:
    assert len({label_hash(name) for name in (*Label, *Purpose)}) == len(Label) + len(Purpose)


def test_the_implementation_is_the_port() -> None:
    keyring: Keyring = known.keyring()
    assert keyring.admin_payer().address.startswith("0x")


def _rfc5869(info: bytes) -> bytes:
    return HKDF(SHA256(), 32, b"svc/v1", info).derive(known.ROOT)


def test_a_wallet_is_hkdf_of_label_chain_contract_owner_and_path() -> None:
    info = (
        keccak256(b"svc/v1/wallet")
        + known.CHAIN_ID.to_bytes(32)
        + bytes(12)
        + bytes.fromhex(known.CONTRACT[2:])
        + known.OWNER.to_bytes(32)
        + known.PATH.to_bytes(32)
    )
    assert known.keyring().wallet(known.OWNER, known.PATH).reveal() == "0x" + _rfc5869(info).hex()


@given(inputs=st.lists(u256, max_size=5), label=st.sampled_from(Label))
def test_expansion_equals_a_second_implementation_of_hkdf(inputs: list[int], label: Label) -> None:
    info = label_hash(label) + b"".join(value.to_bytes(32) for value in inputs)
    assert Derivation(known.ROOT).key(label, *inputs) == _rfc5869(info)


def test_payer_and_action_inputs_are_hashed_texts() -> None:
    payer = keccak256(b"svc/v1/payer") + keccak256(b"i-1") + (7).to_bytes(32)
    action = keccak256(b"svc/v1/action-identity") + keccak256(known.CID.encode())
    assert known.keyring().payer("i-1", 7).reveal() == "0x" + _rfc5869(payer).hex()
    assert known.keyring().action_identity(known.CID).reveal() == "0x" + _rfc5869(action).hex()


def test_the_sealer_of_the_certificate_key_is_the_instances_own() -> None:
    info = keccak256(b"svc/v1/tls") + keccak256(known.INSTANCE.encode())
    sealed = AESGCM(_rfc5869(info)).encrypt(bytes(12), b"key", b"\x01context")
    assert known.keyring().tls_sealer(known.INSTANCE).open(b"\x01" + bytes(12) + sealed, b"context") == b"key"
    with pytest.raises(ValueError, match="another key"):
        known.keyring().tls_sealer("instance-1").open(b"\x01" + bytes(12) + sealed, b"context")


def test_the_acme_account_key_follows_from_the_root_alone() -> None:
    elsewhere = EnclaveKeyring(known.ROOT, 1, "0x" + "01" * 20).acme_account_key()
    seed = _rfc5869(keccak256(b"svc/v1/acme-account"))
    # RFC 5869, 2.3: T(1) = HMAC(seed, info, 1), T(2) = HMAC(seed, T(1), info, 2)
    first = hmac.digest(seed, b"p256\x01", "sha256")
    wide = int.from_bytes(first + hmac.digest(seed, first + b"p256\x02", "sha256")[:16])
    assert elsewhere.private_numbers().private_value == wide % (P256_ORDER - 1) + 1
    assert elsewhere.private_numbers() == known.keyring().acme_account_key().private_numbers()


def test_the_master_path_is_keccak_of_label_and_key_hash() -> None:
    expected = keccak256(keccak256(b"svc/v1/master-wallet-path") + (5).to_bytes(32))
    assert known.keyring().master_wallet_path(5) == int.from_bytes(expected)


def test_the_path_of_a_usage_keys_wallet_is_keccak_of_its_own_label_and_the_key_hash() -> None:
    expected = keccak256(keccak256(b"svc/v1/usage-key-wallet-path") + (5).to_bytes(32))
    assert known.keyring().usage_key_wallet_path(5) == int.from_bytes(expected)


def test_wallets_differ_in_every_input() -> None:
    keyrings = [
        EnclaveKeyring(root, chain, contract)
        for root, chain, contract in itertools.product(
            (bytes(32), b"\x01" * 32), (1, 2), ("0x" + "00" * 20, "0x" + "01" * 20)
        )
    ]
    addresses = {k.wallet(owner, path).address for k in keyrings for owner, path in ((0, 0), (0, 1), (1, 0), (1, 1))}
    assert len(addresses) == len(keyrings) * 4


def test_the_contract_in_any_case_is_one_address_space() -> None:
    lower = EnclaveKeyring(known.ROOT, 1, known.CONTRACT.lower()).wallet(1, 1).address
    assert EnclaveKeyring(known.ROOT, 1, known.CONTRACT).wallet(1, 1).address == lower


@pytest.mark.parametrize("contract", ["", "0x", "0x" + "00" * 19, "0x" + "00" * 32, "0x" + "zz" * 20])
def test_a_contract_that_is_no_address_is_refused(contract: str) -> None:
    with pytest.raises(ValueError, match=r"keyring needs|derivation input"):
        EnclaveKeyring(known.ROOT, 1, contract)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_root_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(RootKeyUnavailableError):
        EnclaveKeyring(bytes(length), 1, known.CONTRACT)


@pytest.mark.parametrize("value", [-1, U256_MAX + 1])
def test_inputs_outside_u256_are_refused(value: int) -> None:
    with pytest.raises(ValueError, match=r"keyring needs|derivation input"):
        known.keyring().wallet(value, 0)
    with pytest.raises(ValueError, match=r"keyring needs|derivation input"):
        known.keyring().payer("i", value)


def test_an_empty_instance_is_refused() -> None:
    with pytest.raises(ValueError, match=r"keyring needs|derivation input"):
        known.keyring().payer("", 0)


def test_a_scalar_outside_the_curve_is_redone_with_a_counter() -> None:
    asked: list[bytes] = []
    answers = iter([bytes(32), CURVE_ORDER.to_bytes(32), b"\xff" * 32, (CURVE_ORDER - 1).to_bytes(32)])

    def expand(info: bytes) -> bytes:
        asked.append(info)
        return next(answers)

    assert scalar_from(expand, b"info") == (CURVE_ORDER - 1).to_bytes(32)
    assert asked == [b"info"] + [b"info" + n.to_bytes(32) for n in (1, 2, 3)]
