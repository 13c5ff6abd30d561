"""A statement is RFC 8785 JSON that anybody can rebuild, and no two statements are the same bytes."""

import hashlib
import json
import string
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from attest.errors import AttestError, AttestErrorCode
from attest.statement import CanonicalConfig, Statement

NONCES = st.text(alphabet=string.hexdigits, min_size=64, max_size=64)
HASHES = st.binary(min_size=32, max_size=32)
INTEGERS = st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(min_value=-1e15, max_value=1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
CONFIGS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(st.text(), VALUES, max_size=4)


@given(NONCES, st.text(), st.lists(HASHES, max_size=3), st.none() | HASHES, CONFIGS, st.text())
def test_the_text_is_the_canonical_json_of_its_members(
    nonce: str, host: str, spki: list[bytes], evidence: bytes | None, config: dict[str, Any], payer: str
) -> None:
    text = Statement(nonce, host, spki, evidence, CanonicalConfig(config), payer).text
    whole = {
        "purpose": "svc.attestation.v1",
        "nonce": nonce,
        "host": host,
        "spki_sha256": sorted(each.hex() for each in spki),
        "evidence_sha256": None if evidence is None else evidence.hex(),
        "config": config,
        "admin_payer": payer,
    }
    assert text.encode() == rfc8785.dumps(whole)
    assert rfc8785.dumps(json.loads(text)) == text.encode()


def test_a_known_statement() -> None:
    """Written out by hand: a change of these bytes breaks every verifier."""
    text = Statement(
        "aB" * 32, "node.example", [b"\x02" * 32, b"\x01" * 32], None, CanonicalConfig({"b": 1, "a": "é"}), "0xAb"
    ).text
    assert text == (
        '{"admin_payer":"0xAb","config":{"a":"é","b":1},"evidence_sha256":null,"host":"node.example","nonce":"'
        + "aB" * 32
        + '",'
        '"purpose":"svc.attestation.v1","spki_sha256":["' + "01" * 32 + '","' + "02" * 32 + '"]}'
    )
    assert Statement.report_data(text) == hashlib.sha256(text.encode()).digest() + bytes(32)


@pytest.mark.parametrize(
    "nonce", ["", "ab" * 31, "ab" * 33, "g" * 64, "0x" + "ab" * 31, "ab" * 32 + "\n", "\u0661" * 64]
)
def test_another_nonce_is_refused(nonce: str) -> None:
    with pytest.raises(AttestError) as refused:
        _ = Statement(nonce, "h", [], None, CanonicalConfig({}), "").text
    assert refused.value.code is AttestErrorCode.BAD_REQUEST
