"""Watches certificate files of a sidecar such as dstack-ingress and serves each new version."""

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from attest.certificates.credentials import CertificateKey, Credentials, paired
from attest.certificates.renewal import Logger, RenewalClock
from attest.certificates.serving import ServedCertificate
from attest.errors import AttestError, AttestErrorCode

ACME_ACCOUNT: Final = b'{"uri":"files"}\n'
"""Placeholder, since the sidecar knows the ACME account and states it in its own evidence."""
POLL_S: Final = 5.0
"""Pause between two reads of the files. Sidecars renew certificates every few weeks."""
FILE_MAX_BYTES: Final = 256 * 1024
"""Largest file that is read. A chain has some 6 KiB."""

Seen = tuple[tuple[int, int, int], ...]
"""Inode, size and time of modification in nanoseconds, of each file."""


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """PEM files of the chain, leaf first, and of the private key, unencrypted."""

    chain: Path
    key: Path


class FileWatch:
    """Serves the certificate in `files`. `run` ends only when it is cancelled.

    If the two files do not match, the sidecar is still writing, so the served certificate stays and
    the files are read again. An unusable file is logged once for each version.
    """

    def __init__(
        self,
        files: CertificateFiles,
        domain: str,
        served: ServedCertificate,
        clock: RenewalClock,
        logger: Logger,
    ) -> None:
        self._files = files
        self._domain = domain
        self._served = served
        self._clock = clock
        self._logger = logger
        self._logged = ""

    async def run(self) -> None:
        """Poll the files."""
        adopted: Seen | None = None
        while True:
            try:
                # Taken before the content is read, so that the next poll sees a change in between.
                seen = await asyncio.to_thread(self._seen)
                if seen != adopted:
                    credentials = await asyncio.to_thread(self._read)
                    certificate = credentials.certificate
                    if [certificate] != list(self._served.current):
                        await self._adopt(credentials, seen)
                        self._logger.info(
                            "certificate_served", domain=self._domain, not_after_s=certificate.not_after_s
                        )
                    adopted = seen
                self._logged, self._served.problem = "", None
            except AttestError as error:
                self._served.failed("the certificate files cannot be taken over", self._clock.unix())
                if error.message != self._logged:
                    self._logged = error.message
                    self._logger.warning("certificate_not_taken_over", reason=error.message)
            await self._clock.sleep(POLL_S)

    async def _adopt(self, credentials: Credentials, seen: Seen) -> None:
        """Wait for evidence of `credentials` and serve them. Gives up if the files change first."""
        adopting = asyncio.create_task(self._served.adopt(credentials))
        changing = asyncio.create_task(self._changed(seen))
        try:
            await asyncio.wait([adopting, changing], return_when=asyncio.FIRST_COMPLETED)
            # Both may be done. Complete evidence is used, and the next poll sees the change.
            if adopting.done():
                await adopting
                return
        finally:
            for task in (adopting, changing):
                task.cancel()
            # Both end before the next poll. Of two concurrent adoptions the older could end last.
            await asyncio.gather(adopting, changing, return_exceptions=True)
        raise AttestError(
            AttestErrorCode.CERTIFICATE, "The certificate files changed before there was evidence of them."
        )

    async def _changed(self, seen: Seen) -> None:
        """Wait until the files change or disappear."""
        with contextlib.suppress(AttestError):
            while await asyncio.to_thread(self._seen) == seen:
                await self._clock.sleep(POLL_S)

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
                content = file.read(FILE_MAX_BYTES + 1)
        except OSError as error:
            raise _unreadable(error) from None
        if len(content) > FILE_MAX_BYTES:
            raise AttestError(AttestErrorCode.CERTIFICATE, f"{path} is too large.")
        return content


def _unreadable(error: OSError) -> AttestError:
    return AttestError(AttestErrorCode.CERTIFICATE, f"{error.filename} cannot be read ({error.strerror}).")
