"""Ethereum's curve by libsecp256k1 (`coincurve`), on hex. Points have 65 bytes, uncompressed."""

from coincurve import PrivateKey, PublicKey
from coincurve.context import GLOBAL_CONTEXT


class _SigningKey(PrivateKey):
    """A private key without its two public keys, which take twice the time of a signature."""

    def __init__(self, secret: bytes) -> None:
        # libsecp256k1 checks the range when it signs.
        self.secret, self.context = secret, GLOBAL_CONTEXT


def public_key(private_key: str) -> str:
    """Returns a private key's point. Raises ValueError if it is zero or not below the order."""
    return _hex(PublicKey.from_valid_secret(_exactly(32, private_key)))


def sign_recoverable(private_key: str, digest: str) -> str:
    """Signs by ECDSA with the nonce of RFC 6979 and a low s, which EIP-2 requires.

    Returns r, s and the recovery id, 65 bytes. Raises ValueError.
    """
    return _SigningKey(_exactly(32, private_key)).sign_recoverable(_exactly(32, digest), hasher=None).hex()


def recover(digest: str, compact: str, recovery: str) -> str:
    """Returns the signer's point. Raises if r or s is out of range or fits no point."""
    if recovery not in {"0", "1", "2", "3"}:
        raise ValueError("no recovery id")
    signature = _exactly(64, compact) + bytes([int(recovery)])
    return _hex(PublicKey.from_signature_and_message(signature, _exactly(32, digest), hasher=None))


def parse(point: str) -> str:
    """Returns a SEC 1 point uncompressed. Raises ValueError if it is not on the curve."""
    return _hex(_point(point))


def add(one: str, other: str) -> str:
    """Returns the sum of two points. Raises ValueError if it is the point at infinity."""
    return _hex(PublicKey.combine_keys([_point(one), _point(other)]))


def multiply(point: str, scalar: str) -> str:
    """Returns the point times the scalar, the shared point of ECDH. Raises ValueError."""
    return _hex(_point(point).multiply(_exactly(32, scalar)))


def _point(encoded: str) -> PublicKey:
    return PublicKey(bytes.fromhex(encoded))


def _hex(point: PublicKey) -> str:
    return point.format(compressed=False).hex()


def _exactly(count: int, text: str) -> bytes:
    # libsecp256k1 reads the bytes it expects from any input, and coincurve pads some with zeros.
    raw = bytes.fromhex(text)
    if len(raw) != count:
        raise ValueError(f"needs {count} bytes")
    return raw
