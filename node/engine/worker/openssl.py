"""AES and elliptic curves for `crypto.subtle` by OpenSSL, without own arithmetic on secrets.

Imported before the fork, so that workers share it. Nothing here draws randomness. ECDSA's nonces
follow from the message (RFC 6979), and the prelude makes keys. OpenSSL's generator would ask for
the process id after the fork, for which the call filter kills the process.
"""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers import AEADDecryptionContext, Cipher, CipherContext, algorithms, modes
from cryptography.hazmat.primitives.keywrap import aes_key_unwrap, aes_key_wrap
from cryptography.hazmat.primitives.padding import PKCS7, PaddingContext

from node.engine.worker.hashes import Steps, Text, absorbed, finished, new_hash

_CURVES: "dict[str, ec.EllipticCurve]" = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1()}
"""Curves by WebCrypto's names."""
_AGREEMENT = ec.ECDH()
_SIGNING = {
    "SHA-1": ec.ECDSA(Prehashed(hashes.SHA1()), deterministic_signing=True),  # noqa: S303
    "SHA-256": ec.ECDSA(Prehashed(hashes.SHA256()), deterministic_signing=True),
    "SHA-384": ec.ECDSA(Prehashed(hashes.SHA384()), deterministic_signing=True),
    "SHA-512": ec.ECDSA(Prehashed(hashes.SHA512()), deterministic_signing=True),
}
"""Signature algorithms by WebCrypto's names."""


def ec_public(curve: str, private: str) -> str:
    """Returns a private key's uncompressed point. Raises ValueError for an invalid key."""
    return _encoded(_private(curve, private).public_key())


def ec_point(curve: str, point: str) -> str:
    """Returns a SEC 1 point uncompressed. Raises ValueError if it is not on the curve."""
    return _encoded(_public(curve, point))


def ec_sign(curve: str, private: str, name: str, data: Text) -> str | Steps:
    """Signs by ECDSA, r ‖ s, with the nonce of RFC 6979. Raises ValueError, KeyError."""
    key, algorithm = _private(curve, private), _SIGNING[name]

    def sign(digest: bytes) -> str:
        size = _scalar_bytes(key.curve)
        r, s = decode_dss_signature(key.sign(digest, algorithm))
        return (r.to_bytes(size) + s.to_bytes(size)).hex()

    return finished(absorbed(new_hash(name), data), lambda state: sign(state.digest()))


def ec_verify(curve: str, public: str, name: str, data: Text, signature: str) -> str | Steps:
    """Returns "valid" if r ‖ s is a signature of the data, else "invalid", or raises."""
    key, algorithm, claimed = _public(curve, public), _SIGNING[name], bytes.fromhex(signature)

    def verify(digest: bytes) -> str:
        size = _scalar_bytes(key.curve)
        if len(claimed) != 2 * size:
            return "invalid"
        r, s = int.from_bytes(claimed[:size]), int.from_bytes(claimed[size:])
        try:
            key.verify(encode_dss_signature(r, s), digest, algorithm)
        except InvalidSignature:
            return "invalid"
        return "valid"

    return finished(absorbed(new_hash(name), data), lambda state: verify(state.digest()))


def ec_agree(curve: str, private: str, public: str) -> str:
    """Returns the first coordinate of the shared point. Raises ValueError."""
    return _private(curve, private).exchange(_AGREEMENT, _public(curve, public)).hex()


def _private(curve: str, text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(bytes.fromhex(text)), _CURVES[curve])


def _public(curve: str, text: str) -> ec.EllipticCurvePublicKey:
    return ec.EllipticCurvePublicKey.from_encoded_point(_CURVES[curve], bytes.fromhex(text))


def _encoded(key: ec.EllipticCurvePublicKey) -> str:
    # `public_bytes` would import key formats that are not needed.
    numbers, size = key.public_numbers(), _scalar_bytes(key.curve)
    return (b"\x04" + numbers.x.to_bytes(size) + numbers.y.to_bytes(size)).hex()


def _scalar_bytes(curve: ec.EllipticCurve) -> int:
    """Returns the bytes of a coordinate, and of a scalar."""
    return curve.key_size // 8


_WRAPPED_BYTES_MAX = 8192
"""Maximum key or JSON Web Key to wrap, which takes six AES blocks for each of its eight bytes."""
_ADDED_BYTES = 8
"""Bytes that a wrapped key has more (RFC 3394, 2.2.1)."""


def aes_wrap(key: str, data: str) -> str:
    """Wraps a key (RFC 3394). Raises ValueError for fewer than 16 bytes, or part of 8."""
    return aes_key_wrap(bytes.fromhex(key), _bounded(data, _WRAPPED_BYTES_MAX)).hex()


def aes_unwrap(key: str, data: str) -> str:
    """Unwraps a key. Raises InvalidUnwrap or ValueError unless it was wrapped with `key`."""
    return aes_key_unwrap(bytes.fromhex(key), _bounded(data, _WRAPPED_BYTES_MAX + _ADDED_BYTES)).hex()


def _bounded(data: str, bytes_max: int) -> bytes:
    if len(data) > 2 * bytes_max:
        raise ValueError("too long a key to wrap")
    return bytes.fromhex(data)


_BLOCK_BYTES = 16
_BLOCK_BITS = 8 * _BLOCK_BYTES
_TAG_BYTES_MIN = 4
_LONG_CHARACTERS = 16 * 1024
"""Characters of a part above which other fibers run after it."""
_READY = "ready"


class AesStream:
    """An AES encryption or decryption that takes its data in parts.

    Results are "=" and hex, since an empty text is a refusal. `begin` and `additional` differ.
    """

    def __init__(self) -> None:
        self._work: _Mode | None = None

    def begin(self, direction: str, mode: str, key: str, initial: str, counter_bits: str) -> str:
        """Restarts with the mode's IV or first counter block. Raises ValueError, KeyError."""
        self._work = None
        make = _MODES[mode]
        self._work = make(direction == "encrypt", bytes.fromhex(key), bytes.fromhex(initial), int(counter_bits))
        return _READY

    def additional(self, part: str) -> str:
        """Takes a part of the authenticated, unencrypted data."""
        self._begun().additional(bytes.fromhex(part))
        return _READY

    def update(self, part: str) -> str | Steps:
        """Takes a part of the data, and returns the output so far."""
        answer = "=" + self._begun().update(bytes.fromhex(part)).hex()
        return answer if len(part) <= _LONG_CHARACTERS else _giving_way(answer)

    def finish(self, tag: str) -> str:
        """Returns the rest, or GCM's tag. A given tag must fit. Raises ValueError, InvalidTag."""
        work, self._work = self._begun(), None
        return "=" + work.finish(bytes.fromhex(tag)).hex()

    def clear(self) -> None:
        """Removes unfinished work with its key."""
        self._work = None

    def _begun(self) -> "_Mode":
        if self._work is None:
            raise ValueError("nothing was begun")
        return self._work


def _giving_way(answer: str) -> Steps:
    yield
    return answer


class _Mode:
    """An unfinished encryption or decryption, driven by `AesStream`."""

    def additional(self, data: bytes) -> None:
        """Takes a part of the additional data. Raises ValueError if the mode has none."""
        del data
        raise ValueError("a mode without additional data")

    def update(self, data: bytes) -> bytes:
        """Takes a part of the data."""
        raise NotImplementedError

    def finish(self, tag: bytes) -> bytes:
        """Ends the work."""
        raise NotImplementedError


class _Galois(_Mode):
    """GCM (SP 800-38D). `cryptography` takes IVs of 8 to 128 bytes."""

    def __init__(self, encrypts: bool, key: bytes, initial: bytes, _counter_bits: int) -> None:
        cipher = Cipher(algorithms.AES(key), modes.GCM(initial, min_tag_length=_TAG_BYTES_MIN))
        self._encryptor = cipher.encryptor() if encrypts else None
        self._decryptor = None if encrypts else cipher.decryptor()

    def additional(self, data: bytes) -> None:
        (self._encryptor or self._opened()).authenticate_additional_data(data)

    def update(self, data: bytes) -> bytes:
        return (self._encryptor or self._opened()).update(data)

    def finish(self, tag: bytes) -> bytes:
        if self._encryptor is None:
            return self._opened().finalize_with_tag(tag)
        self._encryptor.finalize()
        return self._encryptor.tag

    def _opened(self) -> AEADDecryptionContext:
        if self._decryptor is None:
            raise ValueError("not to be decrypted")
        return self._decryptor


class _Chained(_Mode):
    """CBC with PKCS #7 padding (SP 800-38A)."""

    def __init__(self, encrypts: bool, key: bytes, initial: bytes, _counter_bits: int) -> None:
        cipher, padding = Cipher(algorithms.AES(key), modes.CBC(initial)), PKCS7(_BLOCK_BITS)
        self._first: PaddingContext | CipherContext = padding.padder() if encrypts else cipher.decryptor()
        self._second: PaddingContext | CipherContext = cipher.encryptor() if encrypts else padding.unpadder()

    def update(self, data: bytes) -> bytes:
        return self._second.update(self._first.update(data))

    def finish(self, tag: bytes) -> bytes:
        del tag
        return self._second.update(self._first.finalize()) + self._second.finalize()


class _Counted(_Mode):
    """CTR (SP 800-38A) with a counter in the last bits of the block, which wraps around to zero."""

    def __init__(self, encrypts: bool, key: bytes, initial: bytes, counter_bits: int) -> None:
        del encrypts  # both are the same
        # A compromised guest could send any number.
        if not 0 < counter_bits <= _BLOCK_BITS:
            raise ValueError("a counter of 1 to 128 bits")
        self._key = algorithms.AES(key)
        counter = int.from_bytes(initial)
        self._round = 1 << counter_bits
        used = counter % self._round
        self._restart = (counter - used).to_bytes(_BLOCK_BYTES)
        self._left = (self._round - used) * _BLOCK_BYTES
        self._context = Cipher(self._key, modes.CTR(initial)).encryptor()

    def update(self, data: bytes) -> bytes:
        # The caller ensures that the counter wraps at most once, as SP 800-38A forbids reuse.
        before, after = data[: self._left], data[self._left :]
        self._left -= len(before)
        done = self._context.update(before)
        if not after:
            return done
        # OpenSSL counts with all 128 bits.
        self._context = Cipher(self._key, modes.CTR(self._restart)).encryptor()
        self._left = self._round * _BLOCK_BYTES - len(after)
        return done + self._context.update(after)

    def finish(self, tag: bytes) -> bytes:
        del tag
        return self._context.finalize()


_MODES = {"GCM": _Galois, "CBC": _Chained, "CTR": _Counted}
"""Modes by the end of WebCrypto's names."""
