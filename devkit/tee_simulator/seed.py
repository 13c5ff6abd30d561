"""The simulator's one secret: 32 random bytes in a file, from which everything it makes follows."""

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from attest.errors import AttestError, AttestErrorCode

SEED_FILE: Final = "insecure-root-seed"
SEED_LENGTH_BYTES: Final = 32
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def load_or_create_seed(directory: Path) -> bytes:
    """The seed in `directory`, made on the first call (file mode 0600, written whole or not at all).

    Raises AttestError(SIMULATOR) when the file is damaged or others may read it, or the directory cannot be used.
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
    """Write aside, flush, then link: a kill leaves no half file, and of two starts at once one seed wins."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(SEED_LENGTH_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
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
