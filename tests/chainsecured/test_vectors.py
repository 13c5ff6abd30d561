"""What is published for wallets to compare themselves with: made without the node's code, and what the node does."""

import json
from typing import Any

import pytest

from node.chainsecured.envelope import Envelope, Expected, PrimaryType, Reason, read_envelope
from node.keyring.signing_key import recovered_address
from node.values import hash_of_address, hash_of_text, u256_hex
from tests.support import chainsecured_vectors as known
from tests.support.keyring_vectors import keyring
from tests.support.node import REPOSITORY

VECTORS: dict[str, Any] = json.loads(known.VECTOR_FILE.read_text())
PAGE = (REPOSITORY / "docs" / "chain-secured.md").read_text()


def test_writing_the_vectors_again_changes_nothing() -> None:
    assert known.VECTOR_FILE.read_text() == known.rendered()


@pytest.mark.parametrize("vector", VECTORS["usage_keys"], ids=lambda vector: vector["usage_api_key"])
def test_the_hash_and_the_path_of_a_usage_key(vector: dict[str, str]) -> None:
    key_hash = hash_of_text(vector["usage_api_key"])
    assert u256_hex(key_hash) == vector["api_key_hash"]
    assert u256_hex(keyring().usage_key_wallet_path(key_hash)) == vector["derivation_path"]


@pytest.mark.parametrize("vector", VECTORS["accounts"], ids=lambda vector: vector["admin_wallet_address"])
def test_the_hash_of_a_wallets_account(vector: dict[str, str]) -> None:
    assert u256_hex(hash_of_address(vector["admin_wallet_address"])) == vector["api_key_hash"]


@pytest.mark.parametrize("vector", VECTORS["envelopes"], ids=lambda vector: vector["typed_data"]["primaryType"])
def test_an_envelope_its_digest_and_who_signed_it(vector: dict[str, Any]) -> None:
    primary_type = PrimaryType(vector["typed_data"]["primaryType"])
    expected = Expected(primary_type, known.CHAIN_ID, known.ISSUED_AT)
    read = read_envelope(json.dumps(vector["typed_data"]), expected)
    assert read == Envelope(primary_type, known.CHAIN_ID, known.KEY.address, known.ISSUED_AT)
    assert "0x" + read.digest().hex() == vector["digest"]
    for signature in (vector["signature"], vector["compact_signature"]):
        assert recovered_address(read.digest(), bytes.fromhex(signature[2:])) == known.KEY.address


def test_the_page_shows_vectors_of_the_file_and_every_reason() -> None:
    for vector in VECTORS["usage_keys"][1:3]:
        assert f"| `{vector['usage_api_key']}` | `{vector['api_key_hash']}` |" in PAGE
    account = VECTORS["accounts"][0]
    assert f"| `{account['admin_wallet_address']}` | `{account['api_key_hash']}` |" in PAGE
    assert [reason for reason in Reason if f"`{reason}`" not in PAGE] == []


def test_the_example_of_the_page_is_taken() -> None:
    example = PAGE.partition("```json\n")[2].partition("```")[0]
    expected = Expected(PrimaryType.CREATE_WALLET, known.CHAIN_ID, known.ISSUED_AT)
    assert read_envelope(example, expected).digest().hex() == VECTORS["envelopes"][0]["digest"][2:]
