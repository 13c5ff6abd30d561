"""Quotes, statements, platform information and evidence files of the TEE this node runs in."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import JsonValue

from attest.certificates.port import CurrentCertificates
from attest.errors import AttestError, AttestErrorCode
from attest.evidence import EvidenceSet, EvidenceStore, listing
from attest.guest_agent import GuestAgent
from attest.quote_queue import QuoteQueue
from attest.responses import REPORT_DATA_LENGTH_BYTES, Quote, published_info
from attest.statement import CanonicalConfig, Statement, stated_host
from node.api.calls import Document, json_bytes
from node.api.errors import ErrorCode, NodeError
from node.attestation.models import Attestation
from node.runtime.limits import MINUTE_S, TokenBuckets, rate_limit_client
from node.runtime.single_flight import TtlCache
from node.settings.http import AttestationSettings

INFO_MAX_AGE_S: Final = 10.0
"""Maximum age of a cached `/info` response. The platform changes it only at boot."""
REFUSAL_MAX_AGE_S: Final = 1.0
"""Time for which an error of the platform is repeated without another call."""
WAITING_MAX: Final = 64
"""Maximum callers waiting for one platform response, as each holds a connection. More get 503."""
TRACKED_ADDRESSES_MAX: Final = 100_000
"""Maximum client addresses whose rate of quotes is counted, about 20 MiB."""
_JSON: Final = "application/json; charset=utf-8"
_HTML: Final = "text/html; charset=utf-8"
_TYPES: Final = {
    ".json": "application/json; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".pem": "application/pem-certificate-chain",
}
FILE_TYPES: Final = ("text/plain", "application/json", "application/pem-certificate-chain")
"""Media types of `_TYPES`. Text is first, since generated clients read files as the first type."""
_RETRY_AFTER_S: Final = 2
_FIRST_SET_RETRY_AFTER_S: Final = 5

Response = TypeVar("Response")


class PlatformCache(Generic[Response]):
    """Caches one platform response, and a refusal for a second. Bounds the waiting callers."""

    def __init__(
        self, fetch: Callable[[], Coroutine[None, None, Response]], max_age_s: float, monotonic: Callable[[], float]
    ) -> None:
        self._cache = TtlCache(fetch, max_age_s, monotonic, errors=AttestError, error_max_age_s=REFUSAL_MAX_AGE_S)
        self._waiting = 0
        self.age_s = self._cache.age_s
        self.close = self._cache.close

    async def get(self) -> Response:
        """Returns the response. Raises the AttestError of the platform, or BUSY."""
        # No key is needed, and each caller holds a connection while the platform works.
        if self._waiting >= WAITING_MAX:
            raise AttestError(AttestErrorCode.BUSY, f"{self._waiting} callers wait already.", retry_after_s=1)
        self._waiting += 1
        try:
            return await self._cache.get()
        finally:
            self._waiting -= 1


class _Rendered(Generic[Response]):
    """The JSON document of a cached response. It is written once and sent to every caller."""

    def __init__(self, cache: PlatformCache[Response], write: Callable[[Response], bytes]) -> None:
        self._cache = cache
        self._write = write
        self._written: tuple[Response, Document] | None = None

    async def get(self) -> Document:
        """Returns the document. Raises NodeError `tee_unavailable`."""
        try:
            response = await self._cache.get()
            if self._written is None or self._written[0] is not response:
                # Within the try, since a response without a required part is a platform error too.
                self._written = response, Document(self._write(response), _JSON)
        except AttestError as error:
            raise unavailable(error) from None
        return self._written[1]


class Platform:
    """The guest agent behind a queue and caches, for callers without a key."""

    def __init__(
        self, agent: GuestAgent, quotes: QuoteQueue, settings: AttestationSettings, monotonic: Callable[[], float]
    ) -> None:
        self.quotes = quotes
        # One quote for all callers. It contains nothing of a request, so it proves no freshness.
        self.zero_quote = PlatformCache(self._quote_zero, settings.attestation_quote_max_age_s, monotonic)
        """The quote over 64 zero bytes."""
        self.info = PlatformCache(agent.info, INFO_MAX_AGE_S, monotonic)

    async def close(self) -> None:
        """Cancels the calls in progress."""
        await self.zero_quote.close()
        await self.info.close()
        await self.quotes.close()

    async def _quote_zero(self) -> Quote:
        # The node's own place in the queue, so that calls with nonces do not starve this one.
        return await self.quotes.own_quote(bytes(REPORT_DATA_LENGTH_BYTES))


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of the node in a statement, besides its certificates.

    `domain` is the measured one, or empty. `config` has the settings and the account contract.
    `admin_payer` is the EIP-55 address of the enclave's admin payer.
    """

    domain: str
    config: Mapping[str, JsonValue]
    admin_payer: str


class AttestationService:
    """Serves `/attestation` and `/info`. `monotonic` is a clock in seconds."""

    def __init__(
        self,
        platform: Platform,
        store: EvidenceStore,
        certificates: CurrentCertificates,
        identity: Identity,
        settings: AttestationSettings,
        monotonic: Callable[[], float],
    ) -> None:
        self._platform = platform
        self._store = store
        self._certificates = certificates
        self._domain = identity.domain
        self._config = CanonicalConfig(identity.config)
        self._admin_payer = identity.admin_payer
        self._rate = TokenBuckets(
            "quotes with a nonce from this address",
            settings.attestation_nonces_per_minute_per_address,
            MINUTE_S,
            monotonic,
            TRACKED_ADDRESSES_MAX,
        )
        self._zero_document = _Rendered(
            platform.zero_quote, lambda quote: _attestation(quote, None).model_dump_json().encode()
        )
        self._info_document = _Rendered(platform.info, lambda info: json_bytes(dict(published_info(info))))

    async def zero_attestation(self) -> Document:
        """Returns the cached quote over 64 zero bytes. Raises NodeError `tee_unavailable`."""
        return await self._zero_document.get()

    async def fresh_attestation(self, nonce: str, host: str | None, client_address: str) -> Attestation:
        """Returns a quote over a statement with this nonce. `host` is the request's `host[:port]`.

        Raises NodeError 400 for another node's host, 429, 503 `tee_unavailable`.
        """
        # Check the host before spending: an impostor could relay a quote for another host.
        stated = self._stated_host(host)
        # The platform makes one quote at a time (`QuoteQueue`), and every nonce needs a new one.
        self._rate.take(rate_limit_client(client_address))
        # The statement has this node's TLS keys, which binds the quote to the connection.
        spki = [certificate.spki_sha256 for certificate in self._certificates.current]
        # There is no await between reading certificates and evidence, so both are of one moment.
        current = self._store.current
        evidence_sha256 = None if current is None else current.sums_sha256
        # One hash covers all parts, so that none can be replaced by that of another node.
        text = Statement(nonce, stated, spki, evidence_sha256, self._config, self._admin_payer).text
        try:
            quote = await self._platform.quotes.quote(Statement.report_data(text))
        except AttestError as error:
            raise unavailable(error) from None
        return _attestation(quote, text)

    async def info(self) -> Document:
        """Returns the platform's public information. Raises NodeError `tee_unavailable`."""
        return await self._info_document.get()

    def _stated_host(self, host: str | None) -> str:
        if not self._domain:
            raise NodeError(
                ErrorCode.BAD_REQUEST,
                "This node was given no domain, so it can make no statement about one.",
                fix="Ask without a nonce; its operator can set `domain`.",
                details={"reason": "no_domain"},
            )
        # None means that the request names no host or two, so its purpose is unknown.
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
    """Returns the 503 for a platform error. The platform's own response is not published."""
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


class EvidenceService:
    """Serves the sets of the evidence store. Names are looked up in a set and are no paths."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store

    def listing(self) -> Document:
        """Returns the current set. Raises NodeError 404 without one, 503 before the first."""
        current = self._current()
        return Document(listing(current, self._store.previous), _HTML, current.etag)

    def file(self, name: str) -> Document:
        """Returns a file of the current set. Raises NodeError as `listing`."""
        return _file(self._current(), name)

    def listing_of(self, set_name: str) -> Document:
        """Returns a set by its name. Raises NodeError 404."""
        found = self._named(set_name)
        return Document(listing(found), _HTML, found.etag)

    def file_of(self, set_name: str, name: str) -> Document:
        """Returns a file of a set. Raises NodeError 404."""
        return _file(self._named(set_name), name)

    def _current(self) -> EvidenceSet:
        current = self._store.current
        if current is not None:
            return current
        # Evidence will be made soon, so the client should retry.
        if self._store.awaited:
            raise NodeError(
                ErrorCode.TEE_UNAVAILABLE,
                "The first evidence set is still being made.",
                fix="Send the request again after Retry-After.",
                retry_after_s=_FIRST_SET_RETRY_AFTER_S,
            )
        raise NodeError(
            ErrorCode.NOT_FOUND,
            "This node holds no certificate, so there is no evidence of one.",
            fix="Use /attestation, which needs no certificate.",
        )

    def _named(self, set_name: str) -> EvidenceSet:
        found = self._store.named(set_name)
        if found is None:
            raise NodeError(ErrorCode.NOT_FOUND, "There is no such evidence set, or no longer.", fix="See /evidences/.")
        return found


def _file(evidence: EvidenceSet, name: str) -> Document:
    content = evidence.files.get(name)
    if content is None:
        raise NodeError(ErrorCode.NOT_FOUND, "The evidence set has no such file.", fix="See /evidences/.")
    # A name is a key of a mapping and not a path, so that it reaches nothing outside the set.
    return Document(content, _TYPES[name[name.rindex(".") :]], evidence.etag)
