"""Evidence sets, which are files that name the certificates of this TD and a quote over them.

This module makes sets of the node's own certificates; evidence_folder.py reads those of a sidecar.
"""

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode
from attest.quote_queue import QuoteQueue
from attest.responses import Quote
from attest.statement import padded_sha256

ACCOUNT_FILE: Final = "acme-account.json"
SUMS_FILE: Final = "sha256sum.txt"
QUOTE_FILE: Final = "quote.json"
CERTIFICATE_FILE: Final = re.compile(r"cert-(\*\.)?[a-z0-9_][a-z0-9._:-]{0,252}\.pem")
"""Name of a certificate file. A wildcard certificate keeps its asterisk."""
RETRY_MIN_S: Final = 1.0
"""Pause after the first failed attempt to get a quote. It doubles each time."""
RETRY_MAX_S: Final = 60.0
"""Longest such pause, so that a repaired platform is noticed within a minute."""
PREVIOUS_SETS: Final = 3
"""Earlier sets that stay readable, for connections that keep an older certificate."""


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """Files by name, as they are served. `name` is the SHA-256 of `sha256sum.txt` in hex.

    `etag` changes with any byte of any file, since two sets of the same certificates have different
    quotes. `made_at_s` is unix seconds.
    """

    name: str
    etag: str
    files: Mapping[str, bytes]
    made_at_s: float

    @property
    def sums_sha256(self) -> bytes:
        """The 32 bytes that the quote of the set covers and that a statement names."""
        return bytes.fromhex(self.name)


def evidence_set(files: Mapping[str, bytes], made_at_s: float) -> EvidenceSet:
    """Returns the set of these files, `sha256sum.txt` among them."""
    name = hashlib.sha256(files[SUMS_FILE]).hexdigest()
    etag = hashlib.sha256(sums_of(files)).hexdigest()
    return EvidenceSet(name, etag, dict(sorted(files.items())), made_at_s)


def certificate_files(certificates: Sequence[Certificate]) -> Mapping[str, bytes]:
    """Returns the chains by file name.

    Raises AttestError(BAD_REQUEST) without certificates, and for an invalid or repeated domain.
    """
    files: dict[str, bytes] = {}
    for certificate in certificates:
        # The name becomes part of a URL and of HTML. The pattern allows no markup and no path.
        name = f"cert-{certificate.domain.lower()}.pem"
        if not CERTIFICATE_FILE.fullmatch(name) or name in files:
            raise AttestError(AttestErrorCode.BAD_REQUEST, "Evidence needs one certificate for each domain's name.")
        files[name] = certificate.chain_pem
    if not files:
        raise AttestError(AttestErrorCode.BAD_REQUEST, "Evidence needs a certificate.")
    return files


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """Returns the `sha256sum.txt` of these files, as `sha256sum` writes it."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


def quote_file(quote: Quote) -> bytes:
    """Returns `quote.json`, the response of GetQuote."""
    answer = {
        "quote": quote.quote.hex(),
        "event_log": quote.event_log,
        "report_data": quote.report_data.hex(),
        "vm_config": quote.vm_config,
    }
    return json.dumps(answer, separators=(",", ":")).encode()


@dataclass(slots=True)
class EvidenceStore:
    """The current evidence set and some before it, in memory. One assignment replaces them.

    `awaited` is false if this node will never have evidence.
    """

    awaited: bool = False
    problem: str | None = None
    """Reason why a newer set is missing. Published by /health."""
    _sets: tuple[EvidenceSet, ...] = field(default=())

    @property
    def current(self) -> EvidenceSet | None:
        """The newest set; None before the first."""
        return self._sets[0] if self._sets else None

    @property
    def previous(self) -> tuple[EvidenceSet, ...]:
        """Earlier sets, newest first."""
        return self._sets[1:]

    def named(self, name: str) -> EvidenceSet | None:
        """Returns the set of this name, current or previous."""
        return next((each for each in self._sets if each.name == name), None)

    def put(self, newest: EvidenceSet) -> None:
        """Make this the current set. A set of the same name and certificates is replaced."""
        others = tuple(each for each in self._sets if each.name != newest.name)
        # Bounded, since each set holds its files in memory.
        self._sets = (newest, *others[:PREVIOUS_SETS])
        self.problem = None


@dataclass(frozen=True, slots=True)
class ReadySet:
    """A complete set that is not published yet. Implements `PreparedEvidence`."""

    store: EvidenceStore
    ready: EvidenceSet

    def publish(self) -> None:
        """Make it the current set."""
        self.store.put(self.ready)


LOGGER: Final = logging.getLogger(__name__)
Made = TypeVar("Made")
Sleep = Callable[[float], Awaitable[None]]


async def until_made(make: Callable[[], Awaitable[Made]], store: EvidenceStore, sleep: Sleep = asyncio.sleep) -> Made:
    """Call `make` until it succeeds, with growing pauses. Raises AttestError(BAD_REQUEST)."""
    pause_s = RETRY_MIN_S
    store.awaited = True
    while True:
        try:
            made = await make()
        except AttestError as error:
            # An unusable name stays unusable. Every other fault is the platform's and passes.
            if error.code is AttestErrorCode.BAD_REQUEST:
                raise
            store.problem = f"no new evidence set: {error.code}"
            LOGGER.warning("no evidence set yet (%s) trying again in %g s", error.message, pause_s)
            await sleep(pause_s)
            pause_s = min(pause_s * 2, RETRY_MAX_S)
        else:
            return made


class EvidenceMaker:
    """Makes sets of the node's own certificates for `store`. Implements `Evidence`.

    `unix` is a clock in seconds since 1970.
    """

    def __init__(self, quotes: QuoteQueue, store: EvidenceStore, unix: Callable[[], float], sleep: Sleep) -> None:
        self._quotes = quotes
        self._store = store
        self._unix = unix
        self._sleep = sleep

    async def prepare(self, certificates: Sequence[Certificate], acme_account: bytes) -> ReadySet:
        """Build the set of these certificates. Waits for its quote without a limit.

        Raises AttestError(BAD_REQUEST) when no such set can exist.
        """
        files = {ACCOUNT_FILE: acme_account, **certificate_files(certificates)}
        sums = sums_of(files)
        # Spec 12.3: the quote covers the list and the list every file, so one quote is enough.
        report_data = padded_sha256(sums)
        # No limit: a certificate waits for its evidence, and the old pair stays in use.
        quote = await until_made(lambda: self._quotes.own_quote(report_data), self._store, self._sleep)
        whole = {**files, SUMS_FILE: sums, QUOTE_FILE: quote_file(quote)}
        return ReadySet(self._store, evidence_set(whole, self._unix()))


def listing(shown: EvidenceSet, previous: tuple[EvidenceSet, ...] = ()) -> bytes:
    """Returns the HTML page of a set. Clients look for `href="cert-…pem"`."""
    # Names match `CERTIFICATE_FILE` or are our own, so they need no escaping.
    files = "".join(f'<li><a href="{name}">{name}</a></li>\n' for name in shown.files)
    sets = "".join(f'<li><a href="{each.name}/">{each.name}</a></li>\n' for each in previous)
    before = f"<h2>Earlier sets</h2>\n<ul>\n{sets}</ul>\n" if previous else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Evidence</title></head>\n<body>\n'
        f"<h1>Evidence {shown.name}</h1>\n<ul>\n{files}</ul>\n{before}</body></html>\n"
    ).encode()
