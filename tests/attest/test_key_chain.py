"""The signature chain of GetKey leads to the KMS root, and a changed link leads elsewhere or nowhere."""

import hashlib
import secrets
from typing import Any

import pytest
import sha3
from coincurve import PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from attest.errors import AttestError, AttestErrorCode
from attest.key_chain import kms_root_public_key
from attest.responses import DerivedKey

APP_ID = b"\xaa" * 20
PURPOSE = "svc/v1/root"


def _keccak256(data: bytes) -> bytes:
    digest: bytes = sha3.keccak_256(data).digest()
    return digest


def _chain(root: PrivateKey, app: PrivateKey, key: PrivateKey, purpose: str = PURPOSE) -> dict[str, Any]:
    """Made as dstack's key service does it, with no code of ours."""
    signed = _keccak256(f"{purpose}:{key.public_key.format().hex()}".encode())
    issued = _keccak256(b"dstack-kms-issued:" + APP_ID + app.public_key.format())
    links = [app.sign_recoverable(signed, hasher=None), root.sign_recoverable(issued, hasher=None)]
    return {"key": key.secret.hex(), "signature_chain": [link.hex() for link in links]}


ROOT, APP, KEY = (PrivateKey(hashlib.sha256(name).digest()) for name in (b"root", b"app", b"key"))
ROOT_PUBLIC = ROOT.public_key.format()
HONEST = _chain(ROOT, APP, KEY)


def test_an_honest_chain_leads_to_the_root() -> None:
    assert kms_root_public_key(DerivedKey.model_validate(HONEST), PURPOSE, APP_ID) == ROOT_PUBLIC


@pytest.mark.parametrize(
    ("answer", "purpose", "app_id"),
    [
        (HONEST, "another", APP_ID),
        (HONEST, PURPOSE, b"\xab" * 20),
        ({**HONEST, "key": "01" * 32}, PURPOSE, APP_ID),
        (_chain(PrivateKey(b"\x02" * 32), APP, KEY), PURPOSE, APP_ID),
        ({**HONEST, "signature_chain": HONEST["signature_chain"][::-1]}, PURPOSE, APP_ID),
    ],
)
def test_a_changed_chain_leads_elsewhere_or_nowhere(answer: dict[str, Any], purpose: str, app_id: bytes) -> None:
    try:
        found: bytes | None = kms_root_public_key(DerivedKey.model_validate(answer), purpose, app_id)
    except AttestError:
        found = None
    assert found != ROOT_PUBLIC


@pytest.mark.parametrize("key", ["00" * 32, "ff" * 32])
def test_a_key_outside_the_curve_is_refused(key: str) -> None:
    with pytest.raises(AttestError) as refused:
        kms_root_public_key(DerivedKey.model_validate({**HONEST, "key": key}), PURPOSE, APP_ID)
    assert refused.value.code is AttestErrorCode.BAD_KEY_CHAIN


@given(links=st.lists(st.binary(min_size=65, max_size=65), min_size=2, max_size=2))
def test_arbitrary_signatures_never_lead_to_the_root(links: list[bytes]) -> None:
    answer = DerivedKey.model_validate({**HONEST, "signature_chain": [link.hex() for link in links]})
    try:
        assert kms_root_public_key(answer, PURPOSE, APP_ID) != ROOT_PUBLIC
    except AttestError as error:
        code = error.code
        assert code is AttestErrorCode.BAD_KEY_CHAIN


def test_every_flipped_bit_of_the_first_link_changes_the_end() -> None:
    first = bytearray.fromhex(HONEST["signature_chain"][0])
    for position in (0, 31, 32, 63, 64, secrets.randbelow(64)):
        damaged = bytearray(first)
        damaged[position] ^= 1
        answer = DerivedKey.model_validate({**HONEST, "signature_chain": [damaged.hex(), HONEST["signature_chain"][1]]})
        try:
            found: bytes | None = kms_root_public_key(answer, PURPOSE, APP_ID)
        except AttestError:
            found = None
        assert found != ROOT_PUBLIC
