"""Certificates from an ACME authority (RFC 8555): account, order, proof, certificate."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import requests
from acme import challenges, errors, messages
from acme.client import ClientV2
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from attest.certificates.acme_network import AcmeNetwork
from attest.certificates.challenges import TOKEN, Challenge, Solver, key_authorization
from attest.certificates.credentials import Credentials, paired
from attest.certificates.key import CertificateKey
from attest.certificates.limits import AcmeLimits
from attest.errors import AttestError, AttestErrorCode

Answer = TypeVar("Answer")
LONGEST_DETAIL_CHARACTERS: Final = 300
UNFINISHED: Final = frozenset({messages.STATUS_PENDING, messages.STATUS_PROCESSING})


@dataclass(frozen=True, slots=True, kw_only=True)
class AcmeAuthority:
    """Which authority, and as whom. `ca_file` replaces the public roots; `contact` are e-mail addresses."""

    directory_url: str
    account_key: EllipticCurvePrivateKey
    contact: Sequence[str] = ()
    ca_file: Path | None = None


class AcmeIssuer:
    """Implements `Issuer`. `solvers` are the proofs in the order they are tried: after a failure the next has its turn.

    Every request runs in a thread of its own executor, so that a slow authority holds up nothing else.
    """

    def __init__(
        self, authority: AcmeAuthority, domain: str, solvers: Mapping[Challenge, Solver], limits: AcmeLimits
    ) -> None:
        self.source = authority.directory_url
        self._authority = authority
        self._domain = domain
        self._solvers = tuple(solvers.items())
        self._limits = limits
        self._failures = 0

    async def issue(self) -> Credentials:
        """A certificate with a fresh key. Raises AttestError(ACME), or (CERTIFICATE) when what comes is not usable."""
        kind, solver = self._solvers[self._failures % len(self._solvers)]
        self._failures += 1  # taken back in the end
        key = CertificateKey.generate()
        attempt = _Attempt(self._authority, self._limits)
        try:
            async with asyncio.timeout(self._limits.order_timeout_s):
                with attempt.explained():
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
    """One order, with connections and a thread of its own."""

    client: ClientV2

    def __init__(self, authority: AcmeAuthority, limits: AcmeLimits) -> None:
        self._authority = authority
        self._limits = limits
        self._network = AcmeNetwork(authority.account_key, limits, authority.ca_file, time.monotonic)
        self._thread = ThreadPoolExecutor(1, "acme")

    def close(self) -> None:
        """A request under way ends by itself, within its timeout, and the connections with it."""
        self._thread.submit(self._network.session.close)
        self._thread.shutdown(wait=False)

    async def call(self, work: Callable[..., Answer], *arguments: object) -> Answer:
        """`work` in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def open(self) -> str:
        """The account's URI; the account is made where there is none."""
        return await self.call(self._open)

    def _open(self) -> str:
        self.client = ClientV2(ClientV2.get_directory(self._authority.directory_url, self._network), self._network)
        if self.client.external_account_required():
            raise errors.Error("it requires external account binding, which this node does not offer")
        wanted = messages.NewRegistration(
            contact=tuple(f"mailto:{address}" for address in self._authority.contact), terms_of_service_agreed=True
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
        """Let the authority look at the proof of this kind, unless it needs none any more."""
        if authorization.body.status == messages.STATUS_VALID:
            return
        for offered in authorization.body.challenges:
            # The library knows no tls-alpn-01: what is common to all kinds is taken from the JSON.
            content = offered.chall.to_partial_json()
            token = content.get("token")
            if content.get("type") == kind.value and isinstance(token, str) and TOKEN.fullmatch(token):
                break
        else:
            raise AttestError(AttestErrorCode.ACME, f"The certificate authority does not offer {kind.value}.")
        answer = challenges.DNS01Response(key_authorization=key_authorization(token, self._authority.account_key))
        async with solver.presenting(authorization.body.identifier.value, answer.key_authorization):
            await self.call(self.client.answer_challenge, offered, answer)
            await self._until_decided(authorization)

    async def _until_decided(self, authorization: messages.AuthorizationResource) -> None:
        while True:
            authorization, _ = await self.call(self.client.poll, authorization)
            if authorization.body.status not in UNFINISHED:
                break
            await asyncio.sleep(self._limits.poll_s)
        if authorization.body.status != messages.STATUS_VALID:
            failed = [each.error for each in authorization.body.challenges if each.error is not None]
            raise AttestError(AttestErrorCode.ACME, f"The proof was not accepted: {_said(failed[0] if failed else '')}")

    async def finish(self, order: messages.OrderResource) -> str:
        """The certificate chain, leaf first, of an order whose proofs are accepted."""
        order = await self.call(self.client.begin_finalization, order)
        while order.body.status in UNFINISHED:
            await asyncio.sleep(self._limits.poll_s)
            order = order.update(body=await self.call(self._look, order.uri))
        if order.body.status != messages.STATUS_VALID or not order.body.certificate:
            raise AttestError(AttestErrorCode.ACME, f"The order was refused: {_said(order.body.error or '')}")
        return await self.call(self._download, order.body.certificate)

    def _look(self, uri: str) -> messages.Order:
        order: messages.Order = messages.Order.from_json(self._post_as_get(uri).json())
        return order

    def _download(self, uri: str) -> str:
        return self._post_as_get(uri).text

    def _post_as_get(self, uri: str) -> requests.Response:
        return self._network.post(uri, None, new_nonce_url=self.client.directory["newNonce"])

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Whatever an authority, or something in its place, may answer becomes AttestError(ACME)."""
        try:
            yield
        except AttestError:
            raise
        except messages.Error as error:
            raise AttestError(
                AttestErrorCode.ACME,
                f"The certificate authority refused: {_said(error)}",
                retry_after_s=self._network.retry_after_s,
            ) from None
        except requests.RequestException as error:
            why = f"The certificate authority is out of reach ({type(error).__name__})."
            raise AttestError(AttestErrorCode.ACME, why) from None
        except errors.ClientError:
            raise AttestError(
                AttestErrorCode.ACME,
                "The certificate authority's answer makes no sense.",
                retry_after_s=self._network.retry_after_s,
            ) from None
        except errors.Error as error:
            raise AttestError(AttestErrorCode.ACME, f"The certificate authority cannot serve: {_said(error)}") from None
        except Exception as error:  # noqa: BLE001 - the library meets nonsense with any error, RecursionError included
            why = f"The certificate authority's answer makes no sense ({type(error).__name__})."
            raise AttestError(AttestErrorCode.ACME, why) from None


def _said(error: object) -> str:
    """The authority's own words, one line, of bounded length."""
    text = "".join(character if character.isprintable() else " " for character in str(error))
    return text[:LONGEST_DETAIL_CHARACTERS] or "it gave no reason"
