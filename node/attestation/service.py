"""What the node publishes about the TEE it runs in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from attest.answers import Info as PlatformInfo
from attest.answers import Quote
from attest.certificates.port import CurrentCertificates
from attest.errors import AttestError, AttestErrorCode
from attest.evidence.shelf import EvidenceShelf
from attest.hosts import stated_host
from attest.kept import Kept
from attest.published_info import published_info
from attest.quote_queue import QuoteQueue
from attest.statement import CanonicalConfig, Statement
from node.attestation.limits import AttestationLimits
from node.attestation.models import Attestation
from node.errors import ErrorCode, NodeError
from node.http.addresses import rate_limit_client
from node.http.answers import Document, json_bytes
from node.http.rate import MINUTE_S, RateLimiter

_JSON: Final = "application/json; charset=utf-8"
_RETRY_AFTER_S: Final = 2


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of the node in a statement, besides its certificates.

    `domain` is the measured one (empty: none), `config` the settings and the account contract, `admin_payer` the EIP-55
    address of the enclave's admin payer.
    """

    domain: str
    config: Mapping[str, JsonValue]
    admin_payer: str


class AttestationService:
    """Answers `/attestation` and `/info`. `clock` is monotonic seconds.

    `zero_quote` and `info` are the platform's answers, kept a while.
    """

    def __init__(
        self,
        quotes: QuoteQueue,
        zero_quote: Kept[Quote],
        info: Kept[PlatformInfo],
        shelf: EvidenceShelf,
        certificates: CurrentCertificates,
        identity: Identity,
        limits: AttestationLimits,
        clock: Callable[[], float],
    ) -> None:
        self._quotes = quotes
        self._zero_quote = zero_quote
        self._info = info
        self._shelf = shelf
        self._certificates = certificates
        self._domain = identity.domain
        self._config = CanonicalConfig(identity.config)
        self._admin_payer = identity.admin_payer
        self._rate = RateLimiter(
            "quotes with a nonce from this address",
            limits.nonces_per_minute_per_address,
            MINUTE_S,
            clock,
            limits.max_tracked_addresses,
        )
        self._shown_quote: tuple[Quote, Document] | None = None
        self._shown_info: tuple[PlatformInfo, Document] | None = None

    async def zero_attestation(self) -> Document:
        """The quote over 64 zero bytes (spec.md), at most so old. Raises NodeError `tee_unavailable`."""
        try:
            quote = await self._zero_quote.get()
        except AttestError as error:
            raise unavailable(error) from None
        if self._shown_quote is None or self._shown_quote[0] is not quote:
            self._shown_quote = quote, _json(_attestation(quote, None))
        return self._shown_quote[1]

    async def fresh_attestation(self, nonce: str, host: str | None, client_address: str) -> Attestation:
        """A quote over a statement with this nonce. `host` is `host[:port]` as the request names it.

        Raises NodeError 400 when that is another node's, 429, 503 `tee_unavailable`.
        """
        stated = self._stated_host(host)
        self._rate.take(rate_limit_client(client_address))
        spki = [certificate.spki_sha256 for certificate in self._certificates.current]
        current = self._shelf.current
        evidence_sha256 = None if current is None else current.sums_sha256
        text = Statement(nonce, stated, spki, evidence_sha256, self._config, self._admin_payer).text
        try:
            quote = await self._quotes.quote(Statement.report_data(text))
        except AttestError as error:
            raise unavailable(error) from None
        return _attestation(quote, text)

    async def info(self) -> Document:
        """What the platform says of this TD, as far as it is for everybody. Raises NodeError `tee_unavailable`."""
        try:
            info = await self._info.get()
            if self._shown_info is None or self._shown_info[0] is not info:
                self._shown_info = info, _info_document(info)
        except AttestError as error:
            raise unavailable(error) from None
        return self._shown_info[1]

    def _stated_host(self, host: str | None) -> str:
        if not self._domain:
            raise NodeError(
                ErrorCode.BAD_REQUEST,
                "This node was given no domain, so it can make no statement about one.",
                fix="Ask without a nonce; its operator can set `domain`.",
                details={"reason": "no_domain"},
            )
        stated = None if host is None else stated_host(self._domain, host)
        if stated is None:
            raise NodeError(
                ErrorCode.BAD_REQUEST,
                "A statement names this node's own domain, and the request is addressed to another host.",
                fix=f"Send the request to {self._domain}.",
                details={"reason": "other_host", "host": self._domain},
            )
        return stated


def unavailable(error: AttestError) -> NodeError:
    """The 503 of what the platform did not do; nothing of its answer is told."""
    busy = error.code is AttestErrorCode.BUSY
    return NodeError(
        ErrorCode.TEE_UNAVAILABLE,
        "Too many quotes are waited for." if busy else f"The TEE platform does not answer as it should ({error.code}).",
        fix="Send the request again after Retry-After.",
        retry_after_s=error.retry_after_s or _RETRY_AFTER_S,
    )


def _attestation(quote: Quote, statement: str | None) -> Attestation:
    return Attestation(
        quote=quote.quote.hex(),
        event_log=quote.event_log,
        vm_config=quote.vm_config,
        report_data=quote.report_data.hex(),
        statement=statement,
    )


def _json(answer: Attestation) -> Document:
    return Document(answer.model_dump_json().encode(), _JSON)


def _info_document(info: PlatformInfo) -> Document:
    return Document(json_bytes(dict(published_info(info))), _JSON)
