"""The certificate on disk, so that a restart asks for none: one file, written whole or not at all, its key sealed."""

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
    """The file's content. `sealed_key` is base64, the rest is public."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    source: str
    domain: str
    chain_pem: str
    acme_account: str
    sealed_key: str


class CertificateStore:
    """Keeps one certificate in `directory`. `source` tells what issued it: one of another source is not taken over.

    One that cannot be used is an AttestError that says why: whoever holds the store then asks for another, which takes
    its place. Nothing is lost but that request: a key that does not open cannot be had back in any way.
    """

    def __init__(self, directory: Path, sealer: Sealer, domain: str, source: str) -> None:
        self._path = directory / FILE
        self._sealer = sealer
        self._domain = domain
        self._source = source

    def load(self) -> Credentials | None:
        """What was saved last, None before the first. Raises AttestError(CERTIFICATE) when it cannot be used."""
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
        """Replace what is there at once: a kill leaves the one before or this one. Raises AttestError(CERTIFICATE)."""
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
    """Write aside, flush to the disk, rename, and flush the directory."""
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
