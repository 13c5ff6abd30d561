"""The functions behind crypto.subtle against published vectors and another implementation."""

import hashlib
import hmac as standard_hmac

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from hypothesis import given, settings
from hypothesis import strategies as st

from node.engine.worker import natives
from node.engine.worker.openssl import AesStream
from tests.engine.natives import at_once

STREAM = AesStream()
NATIVE = {name: at_once(function) for name, function in natives.crypto_functions(lambda: STREAM).items()}
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Of P-256."""
PRIVATE = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
RFC_6979 = {
    (
        "SHA-1",
        b"sample",
    ): "61340c88c3aaebeb4f6d667f672ca9759a6ccaa9fa8811313039ee4a35471d326d7f147dac089441bb2e2fe8f7a3fa264b9c475098fdcf6e00d7c996e1b8b7eb",
    (
        "SHA-256",
        b"sample",
    ): "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    (
        "SHA-384",
        b"sample",
    ): "0eafea039b20e9b42309fb1d89e213057cbf973dc0cfc8f129edddc800ef77194861f0491e6998b9455193e34e7b0d284ddd7149a74b95b9261f13abde940954",
    (
        "SHA-512",
        b"sample",
    ): "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f002362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe",
    (
        "SHA-256",
        b"test",
    ): "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
}


@pytest.mark.parametrize(("name", "message"), RFC_6979)
def test_signatures_are_those_of_rfc_6979(name: str, message: bytes) -> None:
    assert NATIVE["ecSign"]("P-256", f"{PRIVATE:064x}", name, message.hex()) == RFC_6979[name, message]


SCALARS = st.integers(1, ORDER - 1)


@settings(max_examples=25, deadline=None)
@given(SCALARS, st.binary(max_size=100), st.sampled_from(["SHA-1", "SHA-256", "SHA-384", "SHA-512"]))
def test_another_implementation_agrees_about_p256(scalar: int, data: bytes, name: str) -> None:
    key = ec.derive_private_key(scalar, ec.SECP256R1())
    numbers = key.public_key().public_numbers()
    public = f"04{numbers.x:064x}{numbers.y:064x}"
    assert NATIVE["ecPublic"]("P-256", f"{scalar:064x}") == public
    assert NATIVE["ecPoint"]("P-256", f"{2 + numbers.y % 2:02x}{numbers.x:064x}") == public
    signature = NATIVE["ecSign"]("P-256", f"{scalar:064x}", name, data.hex())
    made = {"SHA-1": hashes.SHA1(), "SHA-256": hashes.SHA256(), "SHA-384": hashes.SHA384(), "SHA-512": hashes.SHA512()}[
        name
    ]
    der = encode_dss_signature(int(signature[:64], 16), int(signature[64:], 16))
    key.public_key().verify(der, data, ec.ECDSA(made))
    with pytest.raises(InvalidSignature):
        key.public_key().verify(der, data + b"!", ec.ECDSA(made))
    assert NATIVE["ecVerify"]("P-256", public, name, data.hex(), signature) == "valid"
    assert NATIVE["ecVerify"]("P-256", public, name, (data + b"!").hex(), signature) == "invalid"
    other = ec.derive_private_key(scalar % 1000 + 1, ec.SECP256R1())
    shared = other.exchange(ec.ECDH(), key.public_key()).hex()
    assert NATIVE["ecAgree"]("P-256", f"{scalar % 1000 + 1:064x}", public) == shared


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=300), st.integers(1, 20), st.integers(1, 200))
def test_digests_and_what_is_made_of_them(key: bytes, data: bytes, iterations: int, length: int) -> None:
    for name in ("SHA-1", "SHA-256", "SHA-384", "SHA-512"):
        python = name.replace("-", "").lower()
        assert NATIVE["subtleDigest"](name, data.hex()) == hashlib.new(python, data).hexdigest()
        assert NATIVE["subtleHmac"](name, key.hex(), data.hex()) == standard_hmac.new(key, data, python).hexdigest()
        derived = hashlib.pbkdf2_hmac(python, key, data, iterations, length).hex()
        assert NATIVE["subtlePbkdf2"](name, key.hex(), data.hex(), str(iterations), str(length)) == derived


def test_no_iteration_derives_what_one_does() -> None:
    # As in the pbkdf2 of ethers v5, for which the function stands.
    one = hashlib.pbkdf2_hmac("sha256", b"\1", b"\2", 1, 40).hex()
    assert NATIVE["subtlePbkdf2"]("SHA-256", "01", "02", "0", "40") == one


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("subtleDigest", ("MD5", "")),
        ("subtleDigest", ("SHA-256", "0")),
        ("subtleDigest", ()),
        ("subtleHmac", ("SHA-256", None, "")),
        ("subtlePbkdf2", ("SHA-256", "", "", "x", "1")),
        (
            "ecPublic",
            (
                "P-256",
                "00" * 32,
            ),
        ),
        (
            "ecPublic",
            (
                "P-256",
                f"{ORDER:x}",
            ),
        ),
        (
            "ecPublic",
            (
                "P-256",
                "ff" * 33,
            ),
        ),
        (
            "ecPublic",
            (
                "P-256",
                "",
            ),
        ),
        (
            "ecPoint",
            (
                "P-256",
                "04" + "00" * 64,
            ),
        ),
        (
            "ecPoint",
            (
                "P-256",
                "02" + "ff" * 32,
            ),
        ),
        (
            "ecPoint",
            (
                "P-256",
                "00",
            ),
        ),
        ("ecVerify", ("P-256", "04" + "11" * 64, "SHA-256", "", "")),
        ("ecAgree", ("P-256", "00" * 31 + "01", "04" + "11" * 64)),
        ("ecPublic", ("P-521", "00" * 65 + "01")),
        ("ecPoint", ("P-384", "04" + "00" * 96)),
        ("ecVerify", ("P-384", "04" + "11" * 96, "SHA-384", "", "")),
        ("aesWrap", ("00" * 16, "00" * 8)),
        ("aesWrap", ("00" * 16, "00" * 17)),
        ("aesWrap", ("00" * 15, "00" * 16)),
        ("aesWrap", ("00" * 16, "00" * 8200)),
        ("aesUnwrap", ("00" * 16, "00" * 24)),
        ("aesUnwrap", ("00" * 16, "")),
        ("ecAgree", ("P-256", "00" * 31 + "01", "00")),
    ],
)
def test_a_function_refuses_and_never_raises(function: str, arguments: tuple[object, ...]) -> None:
    assert NATIVE[function](*arguments) == ""


def test_signatures_out_of_range_are_invalid() -> None:
    public = NATIVE["ecPublic"]("P-256", "00" * 31 + "01")
    for signature in (
        b"",
        b"\0" * 64,
        b"\xff" * 64,
        b"\0" * 32 + b"\x01" * 32,
        b"\x01" * 32 + b"\0" * 32,
        b"\x01" * 63,
    ):
        assert NATIVE["ecVerify"]("P-256", public, "SHA-256", "", signature.hex()) == "invalid"


def test_points_that_cancel_out_are_no_signature() -> None:
    # With the public key -G and r equal to the digest, the two products of a verification sum to infinity.
    g = NATIVE["ecPublic"]("P-256", "00" * 31 + "01")
    minus_g = NATIVE["ecPoint"]("P-256", f"{2 + (int(g[-1], 16) + 1) % 2:02x}{g[2:66]}")
    assert minus_g not in {"", g}
    hashed = NATIVE["subtleDigest"]("SHA-256", "")
    assert NATIVE["ecVerify"]("P-256", minus_g, "SHA-256", "", hashed + "11" * 32) == "invalid"
