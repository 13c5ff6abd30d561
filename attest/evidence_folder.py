"""Reads evidence from the folder of a sidecar that holds the certificate, such as dstack-ingress.

The sidecar writes one file after the other. The node therefore serves a copy in memory, which it
takes only when every listed file exists and has its listed hash and the quote covers that list.
"""

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode
from attest.evidence import (
    ACCOUNT_FILE,
    CERTIFICATE_FILE,
    QUOTE_FILE,
    SUMS_FILE,
    EvidenceSet,
    EvidenceStore,
    ReadySet,
    Sleep,
    evidence_set,
    until_made,
)
from attest.responses import HexBytes, report_data_of
from attest.statement import padded_sha256

_FIXED: Final = frozenset({ACCOUNT_FILE, SUMS_FILE, QUOTE_FILE})
FILE_MAX_BYTES: Final = 1024 * 1024
"""Largest file that is read. A quote with its event log has less than 100 KiB."""
FILES_MAX: Final = 64
"""Most files of a set, which has three and one for each domain."""
POLL_S: Final = 5.0
"""Pause between two reads of the folder. Sidecars renew certificates every few weeks."""


class _QuoteFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    quote: HexBytes


class EvidenceFolder:
    """Reads sets of a sidecar for `store`. Implements `Evidence`. `unix` is a clock.

    If `alone`, the sidecar terminates TLS and this node publishes every whole set.
    """

    def __init__(
        self,
        folder: Path,
        store: EvidenceStore,
        unix: Callable[[], float],
        sleep: Sleep,
        *,
        alone: bool = False,
    ) -> None:
        self._folder = folder
        self._store = store
        self._alone = alone
        self._unix = unix
        self._sleep = sleep

    async def prepare(self, certificates: Sequence[Certificate], acme_account: bytes) -> ReadySet:  # noqa: ARG002 - the sidecar's own account is in its folder
        """Wait, without a limit, until the sidecar's set is whole and has these certificates."""
        wanted = [certificate.chain_pem for certificate in certificates]

        async def look() -> EvidenceSet:
            return await asyncio.to_thread(self._read, wanted)

        return ReadySet(self._store, await until_made(look, self._store, self._sleep))

    async def follow(self) -> None:
        """Publish each newer set; unless `alone`, only of current certificates. Never returns."""
        self._store.awaited = self._store.awaited or self._alone
        while True:
            await self._look(self._store.current)
            await self._sleep(POLL_S)

    async def _look(self, current: EvidenceSet | None) -> None:
        if current is None and not self._alone:
            return
        try:
            newest = await asyncio.to_thread(self._read, ())
        except AttestError as error:
            self._store.problem = f"no new evidence set: {error.code}"
            return
        self._store.problem = None
        # Unless `alone`, `prepare` publishes sets of another certificate together with it.
        if current is None or (newest.etag != current.etag and (self._alone or newest.name == current.name)):
            self._store.put(newest)

    def _read(self, wanted: Sequence[bytes]) -> EvidenceSet:
        """Returns one consistent copy. Raises AttestError(MALFORMED_ANSWER) with the fault."""
        try:
            files = self._files()
        except OSError as error:
            raise _wrong(f"cannot be read ({error.strerror})") from None
        # After all files are read, so that the copy that will be served is checked.
        _check(files)
        chains = {content.strip() for name, content in files.items() if CERTIFICATE_FILE.fullmatch(name)}
        # A renewed certificate may reuse the key, so whole chains are compared.
        if any(chain.strip() not in chains for chain in wanted):
            raise _wrong("lacks the certificate that is to be used")
        return evidence_set(files, self._unix())

    def _files(self) -> Mapping[str, bytes]:
        directory = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            found = os.listdir(directory)  # noqa: PTH208 - of a descriptor: the folder cannot be replaced meanwhile
            names = [name for name in found if name in _FIXED or CERTIFICATE_FILE.fullmatch(name)]
            if len(names) > FILES_MAX:
                raise _wrong(f"holds more than {FILES_MAX} files")
            return {name: self._file(directory, name) for name in names}
        finally:
            os.close(directory)

    def _file(self, directory: int, name: str) -> bytes:
        """Returns the content of a regular file of bounded size. Links are not followed."""
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
            # Of the open descriptor, since the name may be exchanged before the open.
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _wrong(f"holds {name}, which is no file")
            content = file.read(FILE_MAX_BYTES + 1)
        if len(content) > FILE_MAX_BYTES:
            raise _wrong(f"holds {name}, which is longer than {FILE_MAX_BYTES} bytes")
        return content


def _check(files: Mapping[str, bytes]) -> None:
    """Pass when the files are one whole set. Raises AttestError(MALFORMED_ANSWER)."""
    if missing := sorted(_FIXED - files.keys()):
        raise _wrong(f"lacks {missing[0]}")
    # Lines of another form than `sha256sum` writes are ignored, so their files are unlisted.
    lines = (line.split(maxsplit=1) for line in files[SUMS_FILE].decode(errors="replace").splitlines())
    listed = {parts[1].removeprefix("*"): parts[0].lower() for parts in lines if len(parts) == 2}
    for name, content in files.items():
        if name not in {SUMS_FILE, QUOTE_FILE} and listed.get(name) != hashlib.sha256(content).hexdigest():
            raise _wrong(f"holds {name}, whose hash is not the listed one")
    if any(name not in files for name in listed) or not any(map(CERTIFICATE_FILE.fullmatch, listed)):
        raise _wrong("lists files that are not there, or no certificate")
    try:
        over = report_data_of(_QuoteFile.model_validate_json(files[QUOTE_FILE]).quote)
    except ValidationError:
        raise _wrong("holds no quote") from None
    except ValueError as error:
        raise _wrong(f"holds a quote that {error}") from None
    # The sidecar writes the list some seconds before the quote. Until then they do not match.
    if over != padded_sha256(files[SUMS_FILE]):
        raise _wrong("holds a quote of another set")


def _wrong(what: str) -> AttestError:
    return AttestError(AttestErrorCode.MALFORMED_ANSWER, f"The evidence folder {what}.")
