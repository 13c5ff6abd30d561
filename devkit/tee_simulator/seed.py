"""The simulator's secret, and keys and signatures derived from it, equal for equal seeds."""

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from attest.errors import AttestError, AttestErrorCode

ROOT_FILE: Final = "root.pem"
COLLATERAL_FILE: Final = "collateral.json"


def write_whole(path: Path, text: str) -> None:
    """Replace the file by `text`, nothing secret, atomically and only if it differs.

    Raises AttestError(SIMULATOR) when it cannot be written.
    """
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        with contextlib.suppress(FileNotFoundError):
            if path.read_text(encoding="utf-8") == text:
                return
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    except (OSError, UnicodeDecodeError) as error:
        draft.unlink(missing_ok=True)
        message = f"{path} cannot be written: {getattr(error, 'strerror', None) or type(error).__name__}."
        raise AttestError(AttestErrorCode.SIMULATOR, message) from None


SEED_FILE: Final = "insecure-root-seed"
SEED_LENGTH_BYTES: Final = 32
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def load_or_create_seed(directory: Path) -> bytes:
    """Returns the seed in `directory`, made atomically on the first call (file mode 0600).

    Raises AttestError(SIMULATOR) for an unusable directory, or a damaged or exposed file.
    """
    path = directory / SEED_FILE
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _create(path)
        return _read(path)
    except OSError as error:
        message = f"{path} cannot be used: {error.strerror or type(error).__name__}."
        raise AttestError(AttestErrorCode.SIMULATOR, message) from None


def _create(path: Path) -> None:
    """Write a draft, flush and link it, so that a kill or a concurrent start leaves one seed."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(SEED_LENGTH_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            # A link fails if the name is taken. A rename would replace the seed of the other start,
            # which may be in use.
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    # The folder makes the name durable, so that a power cut does not lose a used seed.
    _flush_directory(path.parent)


def _flush_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path) -> bytes:
    if path.stat().st_mode & OTHERS:
        raise AttestError(AttestErrorCode.SIMULATOR, f"{path} can be read by others: run `chmod 600` on it.")
    text = path.read_bytes().strip()
    try:
        seed = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        seed = b""
    if len(seed) != SEED_LENGTH_BYTES:
        message = f"{path} does not hold {SEED_LENGTH_BYTES} bytes of hex: restore it, or remove it and lose every key."
        raise AttestError(AttestErrorCode.SIMULATOR, message)
    return seed


QUOTING_KEY: Final = b"svc tee-simulator quoting key "
"""Label of a derivation from the seed, which dstack does not have."""


def seeded_bytes(seed: bytes, name: str) -> bytes:
    """Returns 32 bytes of that name."""
    return hmac.digest(seed, QUOTING_KEY + name.encode(), hashlib.sha256)


def seeded_key(seed: bytes, name: str) -> ec.EllipticCurvePrivateKey:
    """Returns a P-256 key of that name."""
    # The order of P-256 is just below 2^256. Modulo order minus one, plus one, is a scalar.
    order = ec.SECP256R1().group_order
    return ec.derive_private_key(int.from_bytes(seeded_bytes(seed, name)) % (order - 1) + 1, ec.SECP256R1())


def raw_public_key(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Returns x and y, 64 bytes."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)[1:]


def raw_signature(key: ec.EllipticCurvePrivateKey, message: bytes) -> bytes:
    """Returns r and s over SHA-256 of the message, 64 bytes, deterministic (RFC 6979)."""
    r, s = decode_dss_signature(key.sign(message, ec.ECDSA(SHA256(), deterministic_signing=True)))
    return r.to_bytes(32) + s.to_bytes(32)
