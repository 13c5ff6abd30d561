"""The simulator's root and collateral as files, for whoever wants to verify its quotes and says so explicitly."""

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

from attest.errors import AttestError, AttestErrorCode

ROOT_FILE: Final = "root.pem"
COLLATERAL_FILE: Final = "collateral.json"


def write_whole(path: Path, text: str) -> None:
    """Put `text` (nothing secret) in the file's place in one step; untouched where it is the same already.

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
