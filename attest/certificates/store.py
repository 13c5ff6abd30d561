"""Certificate on disk, so that a restart requests none: one file, written atomically, its key sealed."""

import base64
import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from attest.certificates.credentials import Credentials, paired
from attest.certificates.key import CertificateKey, Sealer
from attest.errors import AttestError, AttestErrorCode

FILE: Final = "certificate.json"
KIND: Final = b"svc/v1/certificate-key"
READABLE_BY_US: Final = 0o600


class _Stored(BaseModel):
    """Content of the file. `sealed_key` is base64, the rest is public."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    source: str
    domain: str
    chain_pem: str
    acme_account: str
    sealed_key: str


class CertificateStore:
    """Keeps one certificate in `directory`. `source` names its issuer; a certificate of another one is not loaded.

    A stored certificate that cannot be used is an AttestError with the reason. The caller then requests another, which
    replaces it. Nothing else is lost: a sealed key that does not open cannot be recovered.
    """

    def __init__(self, directory: Path, sealer: Sealer, domain: str, source: str) -> None:
        self._path = directory / FILE
        self._sealer = sealer
        self._domain = domain
        self._source = source

    def load(self) -> Credentials | None:
        """Returns the credentials saved last, None before the first. Raises AttestError(CERTIFICATE) for unusable ones."""
        try:
            stored = _Stored.model_validate_json(self._path.read_bytes())
            sealed = base64.b64decode(stored.sealed_key, validate=True)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(f"cannot be read ({error.strerror})") from None
        except (ValidationError, ValueError):
            raise self._unusable("is damaged") from None
        if (stored.domain, stored.source) != (self._domain, self._source):
            raise self._unusable(f"is for {stored.domain} from {stored.source}")
        key = CertificateKey.unsealed(sealed, self._sealer, self._context())
        return paired(stored.chain_pem.encode(), key, self._domain, stored.acme_account.encode())

    def save(self, credentials: Credentials) -> None:
        """Replace the file atomically: a kill leaves the old or the new one. Raises AttestError(CERTIFICATE)."""
        sealed = credentials.key.sealed(self._sealer, self._context())
        content = {
            "source": self._source,
            "domain": self._domain,
            "chain_pem": credentials.certificate.chain_pem.decode(),
            "acme_account": credentials.acme_account.decode(),
            "sealed_key": base64.b64encode(sealed).decode(),
        }
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._path, json.dumps(content, indent=1).encode())
        except OSError as error:
            raise self._unusable(f"cannot be written ({error.strerror})") from None

    def _context(self) -> bytes:
        return KIND + b"\0" + self._domain.encode()

    def _unusable(self, why: str) -> AttestError:
        return AttestError(AttestErrorCode.CERTIFICATE, f"{self._path} {why}.")


def _replace(path: Path, content: bytes) -> None:
    """Write to a draft, flush it, rename it, and flush the directory: rename(2) is atomic, fsync(2) makes it durable."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, READABLE_BY_US)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
