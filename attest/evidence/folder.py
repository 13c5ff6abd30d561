"""Takes the evidence from the folder of a sidecar that holds the certificate, such as dstack-ingress; reads only.

The sidecar writes one file after the other. What is served is therefore a copy in memory, taken only when it is whole:
every listed file is there and has the listed hash, and the quote is over that list.
"""

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from attest.answers import HexBytes
from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode
from attest.evidence.limits import EvidenceLimits
from attest.evidence.retrying import Sleep, until_made
from attest.evidence.sets import (
    ACCOUNT_FILE,
    CERTIFICATE_FILE,
    QUOTE_FILE,
    SUMS_FILE,
    EvidenceSet,
    evidence_set,
)
from attest.evidence.shelf import EvidenceShelf, ReadySet
from attest.quote_bytes import report_data_of
from attest.statement import padded_sha256

_FIXED: Final = frozenset({ACCOUNT_FILE, SUMS_FILE, QUOTE_FILE})


class _QuoteFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    quote: HexBytes


class EvidenceFolder:
    """Reads sets for `shelf` (`attest.certificates.port.Evidence`). `clock` is unix seconds."""

    def __init__(
        self, folder: Path, shelf: EvidenceShelf, limits: EvidenceLimits, clock: Callable[[], float], sleep: Sleep
    ) -> None:
        self._folder = folder
        self._shelf = shelf
        self._limits = limits
        self._clock = clock
        self._sleep = sleep

    async def prepare(self, certificates: Sequence[Certificate], acme_account: bytes) -> ReadySet:  # noqa: ARG002 - the sidecar's own account is in its folder
        """The sidecar's set, once it is whole and has these certificates; it is waited for as long as it takes."""
        wanted = [certificate.chain_pem for certificate in certificates]

        async def look() -> EvidenceSet:
            return await asyncio.to_thread(self._read, wanted)

        return ReadySet(self._shelf, await until_made(look, self._shelf, self._limits, self._sleep))

    async def follow(self) -> None:
        """Take a newer set of the same certificates whenever the sidecar has made one; never returns."""
        while True:
            await self._sleep(self._limits.folder_poll_s)
            current = self._shelf.current
            if current is None:
                continue
            try:
                newest = await asyncio.to_thread(self._read, ())
            except AttestError as error:
                self._shelf.problem = f"no new evidence set: {error.code}"
                continue
            self._shelf.problem = None
            if newest.name == current.name and newest.etag != current.etag:
                self._shelf.put(newest)

    def _read(self, wanted: Sequence[bytes]) -> EvidenceSet:
        """One consistent copy. Raises AttestError(MALFORMED_ANSWER) saying what is wrong with the folder."""
        try:
            files = self._files()
        except OSError as error:
            raise _wrong(f"cannot be read ({error.strerror})") from None
        _check(files)
        chains = {content.strip() for name, content in files.items() if CERTIFICATE_FILE.fullmatch(name)}
        if any(chain.strip() not in chains for chain in wanted):
            raise _wrong("lacks the certificate that is to be used")
        return evidence_set(files, self._clock())

    def _files(self) -> Mapping[str, bytes]:
        directory = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            found = os.listdir(directory)  # noqa: PTH208 - of a descriptor: the folder cannot be exchanged meanwhile
            names = [name for name in found if name in _FIXED or CERTIFICATE_FILE.fullmatch(name)]
            if len(names) > self._limits.folder_files:
                raise _wrong(f"holds more than {self._limits.folder_files} files")
            return {name: self._file(directory, name) for name in names}
        finally:
            os.close(directory)

    def _file(self, directory: int, name: str) -> bytes:
        """A regular file of bounded size; a link is not followed, wherever it leads."""
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _wrong(f"holds {name}, which is no file")
            content = file.read(self._limits.folder_file_bytes + 1)
        if len(content) > self._limits.folder_file_bytes:
            raise _wrong(f"holds {name}, which is longer than {self._limits.folder_file_bytes} bytes")
        return content


def _check(files: Mapping[str, bytes]) -> None:
    """Pass when the files are one whole set."""
    if missing := sorted(_FIXED - files.keys()):
        raise _wrong(f"lacks {missing[0]}")
    listed = _listed(files[SUMS_FILE])
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
    if over != padded_sha256(files[SUMS_FILE]):
        raise _wrong("holds a quote of another set")


def _listed(sums: bytes) -> Mapping[str, str]:
    """Hashes by name of a `sha256sum.txt`; lines of another form count for nothing, and their files are then unlisted."""
    lines = (line.split(maxsplit=1) for line in sums.decode(errors="replace").splitlines())
    return {parts[1].removeprefix("*"): parts[0].lower() for parts in lines if len(parts) == 2}


def _wrong(what: str) -> AttestError:
    return AttestError(AttestErrorCode.MALFORMED_ANSWER, f"The evidence folder {what}.")
