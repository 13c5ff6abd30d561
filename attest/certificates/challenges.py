"""Proofs of control of a name for the certificate authority (RFC 8555 §8, RFC 8737)."""

import asyncio
import contextlib
import hashlib
import os
import re
import signal
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from josepy.b64 import b64encode
from josepy.jwk import JWKEC

from attest.certificates.credentials import paired
from attest.certificates.key import CertificateKey, alternative_name
from attest.certificates.serving import server_context
from attest.errors import AttestError, AttestErrorCode

ACME_TLS: Final = "acme-tls/1"
ACME_IDENTIFIER: Final = x509.ObjectIdentifier("1.3.6.1.5.5.7.1.31")
OCTET_STRING_OF_32: Final = b"\x04\x20"
CHALLENGE_LIFE: Final = timedelta(days=1)
TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{22,256}")
"""At least 128 bits in base64url (RFC 8555 §8.3)."""
DNS_HOOK_TIMEOUT_S: Final = 60.0
"""Longest call of the DNS hook. Then its process group is killed."""


class Challenge(StrEnum):
    """Kinds of proof."""

    TLS_ALPN = "tls-alpn-01"
    HTTP = "http-01"
    DNS = "dns-01"


def key_authorization(token: str, account_key: EllipticCurvePrivateKey) -> str:
    """Returns the key authorization: token and thumbprint of the account key (RFC 8555 §8.1)."""
    return f"{token}.{b64encode(JWKEC(key=account_key).thumbprint()).decode()}"


class Solver(Protocol):
    """Port of one kind of proof."""

    def presenting(self, domain: str, key_authorization: str) -> AbstractAsyncContextManager[None]:
        """Present the proof to the authority while the context is open. Raises AttestError."""
        ...


class TlsAlpnSolver:
    """Answers connections that offer `acme-tls/1` with a certificate that holds the proof (RFC 8737, section 3)."""

    def __init__(self) -> None:
        self._context: ssl.SSLContext | None = None

    @property
    def context(self) -> ssl.SSLContext | None:
        """TLS context of such connections; None while no challenge is open."""
        return self._context

    @contextlib.asynccontextmanager
    async def presenting(self, domain: str, key_authorization: str) -> AsyncIterator[None]:
        """Present the proof until the context ends."""
        self._context = challenge_context(domain, key_authorization)
        try:
            yield
        finally:
            self._context = None


def challenge_context(domain: str, key_authorization: str) -> ssl.SSLContext:
    """Returns a context with a self-signed certificate of `domain` and the critical acmeIdentifier extension.

    The extension holds the SHA-256 of the key authorization (RFC 8737 §3).
    """
    key = CertificateKey.generate()
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        subject_name=x509.Name([]),
        issuer_name=x509.Name([]),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - CHALLENGE_LIFE,
        not_valid_after=now + CHALLENGE_LIFE,
    )
    proof = OCTET_STRING_OF_32 + hashlib.sha256(key_authorization.encode()).digest()
    builder = builder.add_extension(x509.SubjectAlternativeName([alternative_name(domain)]), critical=False)
    builder = builder.add_extension(x509.UnrecognizedExtension(ACME_IDENTIFIER, proof), critical=True)
    return server_context(paired(key.sign(builder), key, domain), [ACME_TLS])


class HttpSolver:
    """Answers any token, at any time, with the account key's thumbprint (RFC 8555 §8.1). Stateless.

    Every instance behind one name therefore answers for all of them, since all have the same account key. An order of
    another account gains nothing: its thumbprint differs.
    """

    def __init__(self, account_key: EllipticCurvePrivateKey) -> None:
        self._account_key = account_key

    def answer(self, token: str) -> str | None:
        """Returns the body at `/.well-known/acme-challenge/<token>`; None when it is no token."""
        return key_authorization(token, self._account_key) if TOKEN.fullmatch(token) else None

    @contextlib.asynccontextmanager
    async def presenting(self, domain: str, key_authorization: str) -> AsyncIterator[None]:  # noqa: ARG002 - the protocol's signature
        """Do nothing: the HTTP port always answers."""
        yield


class DnsHookSolver:
    """Sets the TXT record through a command: `<command> present|cleanup <record name> <value>`, exit code 0 is success.

    The command is the operator's, part of the measured image. Its output is discarded: it may hold a credential.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], propagation_s: float) -> None:
        self._command = tuple(command)
        self._environment = dict(environment)
        self._propagation_s = propagation_s

    @contextlib.asynccontextmanager
    async def presenting(self, domain: str, key_authorization: str) -> AsyncIterator[None]:
        """Set the record, wait until resolvers can see it, and remove it at the end."""
        name = f"_acme-challenge.{domain}"
        value = b64encode(hashlib.sha256(key_authorization.encode()).digest()).decode()
        try:
            await self._run("present", name, value)
            await asyncio.sleep(self._propagation_s)
            yield
        finally:
            with contextlib.suppress(AttestError):
                await self._run("cleanup", name, value)

    async def _run(self, action: str, name: str, value: str) -> None:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                action,
                name,
                value,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise AttestError(AttestErrorCode.ACME, f"The DNS hook cannot be run: {error.strerror}.") from None
        try:
            async with asyncio.timeout(DNS_HOOK_TIMEOUT_S):
                status = await process.wait()
        except TimeoutError:
            raise AttestError(AttestErrorCode.ACME, f"The DNS hook took too long to {action} the record.") from None
        finally:
            await _end(process)
        if status != 0:
            raise AttestError(AttestErrorCode.ACME, f"The DNS hook could not {action} the record: exit code {status}.")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the process group: everything the hook started ends with it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
