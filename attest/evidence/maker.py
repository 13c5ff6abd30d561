"""Makes the evidence of the certificates this node holds itself."""

from collections.abc import Callable, Sequence

from attest.certificates.port import Certificate
from attest.evidence.limits import EvidenceLimits
from attest.evidence.retrying import Sleep, until_made
from attest.evidence.sets import (
    ACCOUNT_FILE,
    QUOTE_FILE,
    SUMS_FILE,
    certificate_files,
    evidence_set,
    quote_file,
    sums_of,
)
from attest.evidence.shelf import EvidenceShelf, ReadySet
from attest.quote_queue import QuoteQueue
from attest.statement import padded_sha256


class EvidenceMaker:
    """Builds sets for `shelf` (`attest.certificates.port.Evidence`). `clock` is unix seconds."""

    def __init__(
        self,
        quotes: QuoteQueue,
        shelf: EvidenceShelf,
        limits: EvidenceLimits,
        clock: Callable[[], float],
        sleep: Sleep,
    ) -> None:
        self._quotes = quotes
        self._shelf = shelf
        self._limits = limits
        self._clock = clock
        self._sleep = sleep

    async def prepare(self, certificates: Sequence[Certificate], acme_account: bytes) -> ReadySet:
        """The set of these certificates with its quote, for which it waits as long as it takes.

        Raises AttestError(BAD_REQUEST) when there can be no such set.
        """
        files = {ACCOUNT_FILE: acme_account, **certificate_files(certificates)}
        sums = sums_of(files)
        report_data = padded_sha256(sums)
        quote = await until_made(lambda: self._quotes.own_quote(report_data), self._shelf, self._limits, self._sleep)
        whole = {**files, SUMS_FILE: sums, QUOTE_FILE: quote_file(quote)}
        return ReadySet(self._shelf, evidence_set(whole, self._clock()))
