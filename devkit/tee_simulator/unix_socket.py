"""A unix socket that only this user may connect to, in the place of a dead one."""

import contextlib
import socket
import stat
from pathlib import Path
from typing import Final

from attest.errors import AttestError, AttestErrorCode

BACKLOG: Final = 256
PROBE_TIMEOUT_S: Final = 1.0


def listening_socket(path: Path) -> socket.socket:
    """A listening socket of mode 0600, set before it listens. Raises AttestError(SIMULATOR) when it cannot be had."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_dead_socket(path)
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        message = f"The socket {path} cannot be had: {error.strerror or error}."
        raise AttestError(AttestErrorCode.SIMULATOR, message) from None
    except AttestError:
        listening.close()
        raise
    return listening


def _remove_dead_socket(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise AttestError(AttestErrorCode.SIMULATOR, f"{path} exists and is no socket.")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(PROBE_TIMEOUT_S)
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
                return
        raise AttestError(AttestErrorCode.SIMULATOR, f"Another process listens on {path}.")
