"""A certificate that somebody else keeps in files, such as dstack-ingress: watched, and taken over when it changes."""

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from attest.certificates.credentials import Credentials, paired
from attest.certificates.key import CertificateKey
from attest.certificates.limits import CertificateLimits
from attest.certificates.renewal import Logger, Time
from attest.certificates.serving import ServedCertificate
from attest.errors import AttestError, AttestErrorCode

ACME_ACCOUNT: Final = b'{"uri":"files"}\n'
"""Whose account it is the sidecar knows, and says in its own evidence."""

Seen = tuple[tuple[int, int, int], ...]
"""Inode, size and time of modification in nanoseconds, of each file."""


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """PEM files: the chain, leaf first, and the private key, unencrypted."""

    chain: Path
    key: Path


class FileWatch:
    """Keeps `served` at what the files hold. `run` never ends but by being cancelled.

    Files that are not a pair are of two versions, one of them still to be written: what is served stays, and they are
    looked at again. A file that cannot be read, or is for another name, is said once for each version of it.
    """

    def __init__(
        self,
        files: CertificateFiles,
        domain: str,
        served: ServedCertificate,
        limits: CertificateLimits,
        time: Time,
        logger: Logger,
    ) -> None:
        self._files = files
        self._domain = domain
        self._served = served
        self._limits = limits
        self._time = time
        self._logger = logger
        self._said = ""

    async def run(self) -> None:
        """Look for ever."""
        adopted: Seen | None = None
        while True:
            try:
                adopted = await self._look(adopted)
                self._said, self._served.problem = "", None
            except AttestError as error:
                self._complain(error.message)
            await self._time.sleep(self._limits.files_poll_s)

    async def _look(self, adopted: Seen | None) -> Seen:
        """Take over what changed. Returns what is in use; raises AttestError, and then nothing has changed."""
        seen = await asyncio.to_thread(self._seen)
        if seen == adopted:
            return seen
        credentials = await asyncio.to_thread(self._read)
        if [credentials.certificate] != list(self._served.current):
            await self._adopt(credentials, seen)
            self._logger.info(
                "certificate_served", domain=self._domain, not_after_s=credentials.certificate.not_after_s
            )
        return seen

    async def _adopt(self, credentials: Credentials, seen: Seen) -> None:
        """Evidence may be waited for as long as it takes, but not that of a certificate which is no longer there."""
        adopting = asyncio.create_task(self._served.adopt(credentials))
        changing = asyncio.create_task(self._changed(seen))
        try:
            await asyncio.wait([adopting, changing], return_when=asyncio.FIRST_COMPLETED)
            if adopting.done():
                await adopting
                return
        finally:
            for task in (adopting, changing):
                task.cancel()
            await asyncio.gather(adopting, changing, return_exceptions=True)
        raise AttestError(
            AttestErrorCode.CERTIFICATE, "The certificate files changed before there was evidence of them."
        )

    async def _changed(self, seen: Seen) -> None:
        """Return when the files are others, or gone."""
        with contextlib.suppress(AttestError):
            while await asyncio.to_thread(self._seen) == seen:
                await self._time.sleep(self._limits.files_poll_s)

    def _seen(self) -> Seen:
        try:
            found = [path.stat() for path in (self._files.chain, self._files.key)]
        except OSError as error:
            raise _unreadable(error) from None
        return tuple((each.st_ino, each.st_size, each.st_mtime_ns) for each in found)

    def _read(self) -> Credentials:
        key = CertificateKey.from_pem(self._content(self._files.key))
        return paired(self._content(self._files.chain), key, self._domain, ACME_ACCOUNT)

    def _content(self, path: Path) -> bytes:
        try:
            with path.open("rb") as file:
                content = file.read(self._limits.files_max_bytes + 1)
        except OSError as error:
            raise _unreadable(error) from None
        if len(content) > self._limits.files_max_bytes:
            raise AttestError(AttestErrorCode.CERTIFICATE, f"{path} is too large.")
        return content

    def _complain(self, message: str) -> None:
        self._served.failed("the certificate files cannot be taken over", self._time.clock())
        if message != self._said:
            self._said = message
            self._logger.warning("certificate_not_taken_over", reason=message)


def _unreadable(error: OSError) -> AttestError:
    return AttestError(AttestErrorCode.CERTIFICATE, f"{error.filename} cannot be read ({error.strerror}).")
