"""Issuer of certificates from an ACME authority (RFC 8555), over HTTP under the node's own rules.

The rules are TLS alone, bounded responses, deadlines, and nothing from the environment. Calls of
`AcmeNetwork` block, so they run in a thread.
"""

import asyncio
import json
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import requests
from acme import challenges, errors, messages
from acme.client import ClientNetwork, ClientV2
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from josepy.jwa import ES256
from josepy.jwk import JWKEC
from requests.adapters import HTTPAdapter

from attest.certificates.challenges import TOKEN, Challenge, Solver, key_authorization
from attest.certificates.credentials import CertificateKey, Credentials, paired
from attest.errors import AttestError, AttestErrorCode
from attest.settings import AcmeSettings

USER_AGENT: Final = "svc-node"
BLOCK_BYTES: Final = 65_536
REQUEST_TIMEOUT_S: Final = 30.0
"""Longest exchange with the authority."""
RESPONSE_MAX_BYTES: Final = 1024 * 1024
"""Largest response that is read. A certificate chain has some 6 KiB."""
JSON_VALUES_MAX: Final = 500
"""Objects and lists in a response; an order has about ten. The library recurses into each, and
finalizers that run at the end of the stack fail unseen."""
NONCE_RETRIES: Final = 10
"""Repetitions of a request whose nonce was refused. The library's one is too few under load."""
RETRY_LATER: Final = frozenset({429, 503})


class AcmeNetwork(ClientNetwork):
    """Signed requests to one certificate authority. `monotonic` is a clock in seconds.

    `tls` names the trusted roots. This network alone uses and changes it.
    """

    def __init__(
        self,
        account_key: EllipticCurvePrivateKey,
        tls: ssl.SSLContext,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        key = JWKEC(key=account_key)
        super().__init__(key, alg=ES256, user_agent=USER_AGENT)
        self._monotonic = monotonic
        self.session.trust_env = False  # The host can forge proxies and roots in it.
        # Only https is mounted with our roots; `_send_request` refuses every other scheme.
        self.session.mount("https://", _Trusting(tls))
        self.retry_after_s: int | None = None
        """Retry-After of the last refusal."""

    def post(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Sign and send. Repeats with a new nonce when one was refused."""
        for _ in range(NONCE_RETRIES):
            try:
                return self._post_once(*args, **kwargs)
            except messages.Error as error:
                if error.code != "badNonce":
                    raise
        return self._post_once(*args, **kwargs)

    def _send_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:
        """Returns the whole response. Raises acme.errors.ClientError or errors of requests."""
        if not url.startswith("https://"):
            raise errors.ClientError("the authority names an address without TLS")
        # The timeout of requests restarts with each byte, so a slow authority could pass it.
        deadline = self._monotonic() + REQUEST_TIMEOUT_S
        kwargs["headers"] = {**kwargs.get("headers", {}), "User-Agent": self.user_agent}
        # RFC 8555 §6.4 signs the URL, so no redirect can be valid. Streaming allows bounds on size
        # and time.
        kwargs.update(verify=True, timeout=REQUEST_TIMEOUT_S, stream=True, allow_redirects=False)
        with self.session.request(method, url, *args, **kwargs) as response:
            read = bytearray()
            for block in response.iter_content(BLOCK_BYTES):
                # Counted while it is read, since a Content-Length is only a promise.
                if len(read) + len(block) > RESPONSE_MAX_BYTES:
                    raise errors.ClientError("the answer is too large")
                if self._monotonic() > deadline:
                    raise errors.ClientError("the answer took too long")
                read += block
        body = bytes(read)
        if body.count(b"[") + body.count(b"{") > JSON_VALUES_MAX:
            raise errors.ClientError("the answer holds too much")
        # The library reads a body in several ways, and those of a streamed response are closed.
        response._content = body  # noqa: SLF001 - see above
        response.encoding = "utf-8"
        # Seconds alone. A date is ignored, since the authority's clock is not ours.
        value = response.headers.get("Retry-After", "") if response.status_code in RETRY_LATER else ""
        self.retry_after_s = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
        return response


class _Trusting(HTTPAdapter):
    """Adapter with this TLS context alone. The libraries' own writes keys to SSLKEYLOGFILE."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        super().__init__()

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **pool_kwargs: Any) -> None:
        """Make the pool as the library does, with the context."""
        super().init_poolmanager(connections, maxsize, block, ssl_context=self._tls, **pool_kwargs)

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:  # noqa: ARG002 - the library's signature
        """Require a certificate, without the roots that the library would add."""
        conn.cert_reqs = "CERT_REQUIRED"


Result = TypeVar("Result")
LONGEST_DETAIL_CHARACTERS: Final = 300
POLL_S: Final = 1.0
"""Pause between two polls of an order. Authorities decide within seconds."""
ORDER_TIMEOUT_S: Final = 300.0
"""Longest wait from the order to the certificate, DNS propagation included."""
UNFINISHED: Final = frozenset({messages.STATUS_PENDING, messages.STATUS_PROCESSING})


class AcmeIssuer:
    """Implements `Issuer`. Tries `solvers` in their order, the next one after a failure.

    `trust` makes a new context, which trusts the authority's own certificate, for each attempt.
    Requests run in a thread of their own executor, so that a slow authority delays nothing else.
    """

    def __init__(
        self,
        settings: AcmeSettings,
        domain: str,
        account_key: EllipticCurvePrivateKey,
        trust: Callable[[], ssl.SSLContext],
        solvers: Mapping[Challenge, Solver],
    ) -> None:
        self.source = settings.acme_directory_url
        self._settings = settings
        self._domain = domain
        self._account_key = account_key
        self._trust = trust
        self._solvers = tuple(solvers.items())
        self._failures = 0

    async def issue(self) -> Credentials:
        """Returns a certificate with a new key. Raises AttestError(ACME), or (CERTIFICATE)."""
        # One proof for an order: a failed challenge ends its authorization (RFC 8555 §7.1.6).
        kind, solver = self._solvers[self._failures % len(self._solvers)]
        self._failures += 1  # Undone below on success. After any error the next solver is used.
        # A new key for every certificate, so that a leaked one is useful for one life only.
        key = CertificateKey.generate()
        attempt = _Attempt(self._settings, self._domain, self._account_key, self._trust())
        try:
            async with asyncio.timeout(ORDER_TIMEOUT_S):
                with attempt.mapped_errors():
                    account = await attempt.open()
                    order = await attempt.call(attempt.client.new_order, key.signing_request_pem(self._domain))
                    for authorization in order.authorizations:
                        await attempt.prove(authorization, kind, solver)
                    chain = await attempt.finish(order)
        except TimeoutError:
            raise AttestError(AttestErrorCode.ACME, "The certificate authority did not finish in time.") from None
        finally:
            attempt.close()
        self._failures -= 1
        # The authority could return another key or name, which evidence would then list.
        return paired(chain.encode(), key, self._domain, json.dumps({"uri": account}).encode() + b"\n")


class _Attempt:
    """An order, with its own connections and thread."""

    client: ClientV2

    def __init__(
        self, settings: AcmeSettings, domain: str, account_key: EllipticCurvePrivateKey, tls: ssl.SSLContext
    ) -> None:
        self._settings = settings
        self._domain = domain
        self._account_key = account_key
        self._network = AcmeNetwork(account_key, tls, time.monotonic)
        # One thread: the library's nonces and connections are not made for several.
        self._thread = ThreadPoolExecutor(1, "acme")

    def close(self) -> None:
        """Close without waiting. A request in progress ends within its timeout."""
        self._thread.submit(self._network.session.close)
        self._thread.shutdown(wait=False)

    async def call(self, work: Callable[..., Result], *arguments: object) -> Result:
        """Run `work` in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def open(self) -> str:
        """Returns the URI of the account, which is registered if there is none."""
        return await self.call(self._open)

    def _open(self) -> str:
        self.client = ClientV2(ClientV2.get_directory(self._settings.acme_directory_url, self._network), self._network)
        if self.client.external_account_required():
            raise errors.Error("it requires external account binding, which this node does not offer")
        wanted = messages.NewRegistration(
            contact=tuple(f"mailto:{address}" for address in self._settings.acme_contact), terms_of_service_agreed=True
        )
        try:
            uri = self.client.new_account(wanted).uri
        # RFC 8555 §7.3: 200 and a Location instead of 201 mean that the account exists.
        except errors.ConflictError as known:
            uri = known.location
        # The URI becomes evidence and is compared with CAA records (RFC 8657).
        if not uri.startswith("https://"):
            raise errors.ClientError("it names no account")
        self._network.account = messages.RegistrationResource(body=messages.Registration(), uri=uri)
        return uri

    async def prove(self, authorization: messages.AuthorizationResource, kind: Challenge, solver: Solver) -> None:
        """Let the authority check the proof of this kind, unless it needs none any more."""
        # Our own name alone: an authority must not decide which DNS record the hook sets.
        if authorization.body.identifier.value.lower() != self._domain:
            raise AttestError(AttestErrorCode.ACME, "The certificate authority asks for the proof of another name.")
        # RFC 8555 §7.1.4: an authorization outlives its order, so an older proof may still count.
        if authorization.body.status == messages.STATUS_VALID:
            return
        for offered in authorization.body.challenges:
            # The library lacks tls-alpn-01. The fields that all kinds share are read from the JSON.
            content = offered.chall.to_partial_json()
            token = content.get("token")
            if content.get("type") == kind.value and isinstance(token, str) and TOKEN.fullmatch(token):
                break
        else:
            raise AttestError(AttestErrorCode.ACME, f"The certificate authority does not offer {kind.value}.")
        answer = challenges.DNS01Response(key_authorization=key_authorization(token, self._account_key))
        # The proof is open before the authority is asked to check it, and until it has decided.
        async with solver.presenting(self._domain, answer.key_authorization):
            await self.call(self.client.answer_challenge, offered, answer)
            while True:
                authorization, _ = await self.call(self.client.poll, authorization)
                if authorization.body.status not in UNFINISHED:
                    break
                await asyncio.sleep(POLL_S)
            if authorization.body.status != messages.STATUS_VALID:
                failed = [each.error for each in authorization.body.challenges if each.error is not None]
                why = f"The proof was not accepted: {_one_line(failed[0] if failed else '')}"
                raise AttestError(AttestErrorCode.ACME, why)

    async def finish(self, order: messages.OrderResource) -> str:
        """Returns the certificate chain, leaf first, of an order whose proofs are accepted."""
        order = await self.call(self.client.begin_finalization, order)
        while order.body.status in UNFINISHED:
            await asyncio.sleep(POLL_S)
            order = order.update(body=await self.call(self._look, order.uri))
        if order.body.status != messages.STATUS_VALID or not order.body.certificate:
            raise AttestError(AttestErrorCode.ACME, f"The order was refused: {_one_line(order.body.error or '')}")
        return (await self.call(self._post_as_get, order.body.certificate)).text

    def _look(self, uri: str) -> messages.Order:
        order: messages.Order = messages.Order.from_json(self._post_as_get(uri).json())
        return order

    def _post_as_get(self, uri: str) -> requests.Response:
        return self._network.post(uri, None, new_nonce_url=self.client.directory["newNonce"])

    @contextmanager
    def mapped_errors(self) -> Iterator[None]:
        """Map every failure of an authority, or of something in its place, to AttestError(ACME)."""
        try:
            yield
        except AttestError:
            raise
        except messages.Error as error:
            raise AttestError(
                AttestErrorCode.ACME,
                f"The certificate authority refused: {_one_line(error)}",
                retry_after_s=self._network.retry_after_s,
            ) from None
        except requests.RequestException as error:
            why = f"The certificate authority is out of reach ({type(error).__name__})."
            raise AttestError(AttestErrorCode.ACME, why) from None
        except errors.ClientError as error:
            raise AttestError(
                AttestErrorCode.ACME,
                f"The certificate authority's answer makes no sense: {_one_line(error)}",
                retry_after_s=self._network.retry_after_s,
            ) from None
        except errors.Error as error:
            raise AttestError(
                AttestErrorCode.ACME, f"The certificate authority cannot serve: {_one_line(error)}"
            ) from None
        except Exception as error:  # noqa: BLE001 - the library meets nonsense with any error, RecursionError included
            why = f"The certificate authority's answer makes no sense ({type(error).__name__})."
            raise AttestError(AttestErrorCode.ACME, why) from None


def _one_line(error: object) -> str:
    """Returns the authority's own text as one line of bounded length."""
    # The authority chooses this text, and it goes into logs and /health.
    text = "".join(character if character.isprintable() else " " for character in str(error))
    return text[:LONGEST_DETAIL_CHARACTERS] or "it gave no reason"
