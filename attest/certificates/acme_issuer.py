"""Issuer of certificates from an ACME authority (RFC 8555): account, order, proof, certificate."""

import asyncio
import json
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

import requests
from acme import challenges, errors, messages
from acme.client import ClientV2
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from attest.certificates.acme_network import AcmeNetwork
from attest.certificates.challenges import TOKEN, Challenge, Solver, key_authorization
from attest.certificates.credentials import Credentials, paired
from attest.certificates.key import CertificateKey
from attest.errors import AttestError, AttestErrorCode
from attest.settings import AcmeSettings

Answer = TypeVar("Answer")
LONGEST_DETAIL_CHARACTERS: Final = 300
POLL_S: Final = 1.0
"""Pause between two looks at an order: authorities decide within seconds."""
ORDER_TIMEOUT_S: Final = 300.0
"""From the order to the certificate, DNS propagation included."""
UNFINISHED: Final = frozenset({messages.STATUS_PENDING, messages.STATUS_PROCESSING})


class AcmeIssuer:
    """Implements `Issuer`. `solvers` are the proofs in the order they are tried: after a failure the next is used.

    `trust` makes a context that believes the authority's own certificate: another one for each attempt. Every request
    runs in a thread of its own executor, so that a slow authority delays nothing else.
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
        """Returns a certificate with a new key. Raises AttestError(ACME), or (CERTIFICATE) when the response is unusable."""
        kind, solver = self._solvers[self._failures % len(self._solvers)]
        self._failures += 1  # Taken back at the end: whatever is raised, the next attempt uses the next solver.
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
        self._thread = ThreadPoolExecutor(1, "acme")

    def close(self) -> None:
        """Close without waiting: a request under way ends within its timeout, and the connections with it."""
        self._thread.submit(self._network.session.close)
        self._thread.shutdown(wait=False)

    async def call(self, work: Callable[..., Answer], *arguments: object) -> Answer:
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
        except errors.ConflictError as known:
            uri = known.location
        if not uri.startswith("https://"):
            raise errors.ClientError("it names no account")
        self._network.account = messages.RegistrationResource(body=messages.Registration(), uri=uri)
        return uri

    async def prove(self, authorization: messages.AuthorizationResource, kind: Challenge, solver: Solver) -> None:
        """Let the authority check the proof of this kind, unless it needs none any more."""
        # Of our own name alone: an authority must not decide which DNS record the hook sets.
        if authorization.body.identifier.value.lower() != self._domain:
            raise AttestError(AttestErrorCode.ACME, "The certificate authority asks for the proof of another name.")
        if authorization.body.status == messages.STATUS_VALID:
            return
        for offered in authorization.body.challenges:
            # The library has no tls-alpn-01: the fields that all kinds share are read from the JSON.
            content = offered.chall.to_partial_json()
            token = content.get("token")
            if content.get("type") == kind.value and isinstance(token, str) and TOKEN.fullmatch(token):
                break
        else:
            raise AttestError(AttestErrorCode.ACME, f"The certificate authority does not offer {kind.value}.")
        answer = challenges.DNS01Response(key_authorization=key_authorization(token, self._account_key))
        async with solver.presenting(self._domain, answer.key_authorization):
            await self.call(self.client.answer_challenge, offered, answer)
            await self._until_decided(authorization)

    async def _until_decided(self, authorization: messages.AuthorizationResource) -> None:
        while True:
            authorization, _ = await self.call(self.client.poll, authorization)
            if authorization.body.status not in UNFINISHED:
                break
            await asyncio.sleep(POLL_S)
        if authorization.body.status != messages.STATUS_VALID:
            failed = [each.error for each in authorization.body.challenges if each.error is not None]
            raise AttestError(
                AttestErrorCode.ACME, f"The proof was not accepted: {_one_line(failed[0] if failed else '')}"
            )

    async def finish(self, order: messages.OrderResource) -> str:
        """Returns the certificate chain, leaf first, of an order whose proofs are accepted."""
        order = await self.call(self.client.begin_finalization, order)
        while order.body.status in UNFINISHED:
            await asyncio.sleep(POLL_S)
            order = order.update(body=await self.call(self._look, order.uri))
        if order.body.status != messages.STATUS_VALID or not order.body.certificate:
            raise AttestError(AttestErrorCode.ACME, f"The order was refused: {_one_line(order.body.error or '')}")
        return await self.call(self._download, order.body.certificate)

    def _look(self, uri: str) -> messages.Order:
        order: messages.Order = messages.Order.from_json(self._post_as_get(uri).json())
        return order

    def _download(self, uri: str) -> str:
        return self._post_as_get(uri).text

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
    text = "".join(character if character.isprintable() else " " for character in str(error))
    return text[:LONGEST_DETAIL_CHARACTERS] or "it gave no reason"
