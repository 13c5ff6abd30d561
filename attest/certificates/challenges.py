"""Proofs of control of a name (RFC 8555 §8, RFC 8737), and the TLS context they need."""

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

from attest.certificates.credentials import CertificateKey, alternative_name, paired
from attest.certificates.serving import ServedCertificate, server_context
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
    """Returns the key authorization, token and thumbprint of the account key (RFC 8555 §8.1)."""
    return f"{token}.{b64encode(JWKEC(key=account_key).thumbprint()).decode()}"


class Solver(Protocol):
    """Port of one kind of proof."""

    def presenting(self, domain: str, key_authorization: str) -> AbstractAsyncContextManager[None]:
        """Present the proof to the authority while the context is open. Raises AttestError."""
        ...


class TlsAlpnSolver:
    """Serves `acme-tls/1` with a certificate that holds the proof (RFC 8737 §3)."""

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
    """Returns a context with a self-signed certificate of `domain` for `acme-tls/1`.

    Its critical acmeIdentifier holds the SHA-256 of the key authorization (RFC 8737 §3).
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
    # Critical and in DER (RFC 8737 §3), so that ordinary clients reject the certificate.
    proof = OCTET_STRING_OF_32 + hashlib.sha256(key_authorization.encode()).digest()
    builder = builder.add_extension(x509.SubjectAlternativeName([alternative_name(domain)]), critical=False)
    builder = builder.add_extension(x509.UnrecognizedExtension(ACME_IDENTIFIER, proof), critical=True)
    return server_context(paired(key.sign(builder), key, domain), [ACME_TLS])


class HttpSolver:
    """Answers any token at any time with the account key's thumbprint (RFC 8555 §8.1). Stateless.

    Instances behind one name share the account key, so each answers for all. An order of another
    account gains nothing because its thumbprint differs.
    """

    def __init__(self, account_key: EllipticCurvePrivateKey) -> None:
        self._account_key = account_key

    def answer(self, token: str) -> str | None:
        """Returns the body at `/.well-known/acme-challenge/<token>`; None for an invalid token."""
        # The body repeats the token. A free text would be published under our name.
        return key_authorization(token, self._account_key) if TOKEN.fullmatch(token) else None

    @contextlib.asynccontextmanager
    async def presenting(self, domain: str, key_authorization: str) -> AsyncIterator[None]:  # noqa: ARG002 - the protocol's signature
        """Do nothing, since the HTTP port always answers."""
        yield


class DnsHookSolver:
    """Runs `<command> present|cleanup <record name> <value>` to set the TXT record. 0 is success.

    The command is part of the measured image. Its output, perhaps a credential, is discarded.
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
            # Resolvers of the authority may hold an older answer for the record's TTL.
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
                # A process group of its own, so that the hook's children can be killed with it.
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
            # The process group is killed after a success too: a hook may leave children behind that
            # still hold its credential.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if status != 0:
            raise AttestError(AttestErrorCode.ACME, f"The DNS hook could not {action} the record: exit code {status}.")


RECORD_HEADER_BYTES: Final = 5
RECORD_MAX_BYTES: Final = 16_384
HANDSHAKE_RECORD: Final = 22
CLIENT_HELLO: Final = 1
ALPN_EXTENSION: Final = 16
VERSION_AND_RANDOM_BYTES: Final = 34


def needed_bytes(start: bytes) -> int | None:
    """Returns the length of the first TLS record, as `start` states it; None if it is no TLS."""
    if len(start) < RECORD_HEADER_BYTES:
        return RECORD_HEADER_BYTES
    length = int.from_bytes(start[3:5])
    # RFC 8446 §5.1: a plaintext record holds at most 2^14 bytes, so the wait is bounded.
    if start[0] != HANDSHAKE_RECORD or not 0 < length <= RECORD_MAX_BYTES:
        return None
    return RECORD_HEADER_BYTES + length


def offered_protocols(record: bytes) -> tuple[bytes, ...]:
    """Returns the ALPN names of a ClientHello in one record (RFC 8446 §4.1.2, RFC 7301)."""
    try:
        message = _Bytes(record[RECORD_HEADER_BYTES:])
        if message.number(1) != CLIENT_HELLO:
            return ()
        hello = message.vector(3)
        # ClientHello (RFC 8446 §4.1.2): 2 bytes of version, 32 of random, then three vectors that
        # are passed over.
        hello.take(VERSION_AND_RANDOM_BYTES)
        hello.vector(1)  # session id
        hello.vector(2)  # cipher suites
        hello.vector(1)  # compression methods
        extensions = hello.vector(2)
        found: list[bytes] = []
        while extensions:
            kind, content = extensions.number(2), extensions.vector(2)
            if kind == ALPN_EXTENSION:
                names = content.vector(2)
                while names:
                    found.append(names.take(names.number(1)))
                break
    except ValueError:
        return ()
    return tuple(found)


class _Bytes:
    """Reader of lengths and values. Raises ValueError past the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._data):
            raise ValueError("cut short")
        taken, self._at = self._data[self._at : end], end
        return taken

    def number(self, length: int) -> int:
        return int.from_bytes(self.take(length))

    def vector(self, length_bytes: int) -> "_Bytes":
        return _Bytes(self.take(self.number(length_bytes)))

    def __bool__(self) -> bool:
        return self._at < len(self._data)


class TlsFront:
    """Chooses the TLS context of a connection. `proofs` is None where tls-alpn-01 is not used.

    The first bytes are read only while a challenge is open. RFC 8737 wants another certificate for
    `acme-tls/1`, and Python's TLS reveals the protocol after the certificate is chosen.
    """

    def __init__(self, served: ServedCertificate, proofs: TlsAlpnSolver | None = None) -> None:
        self._served = served
        self._proofs = proofs

    @property
    def looking(self) -> bool:
        """Whether a challenge is open, so that the first bytes of a connection decide."""
        return self._proof is not None

    def needed_bytes(self, start: bytes) -> int | None:
        """Returns the length of the first record, as `start` states it; None if it is no TLS."""
        return needed_bytes(start)

    def context(self, first: bytes) -> ssl.SSLContext | None:
        """Returns the context for this connection; None before the first certificate."""
        # A ClientHello split over several records gets the ordinary certificate.
        if first and self._proof is not None and ACME_TLS.encode() in offered_protocols(first):
            return self._proof
        return self._served.context

    def is_proof(self, context: ssl.SSLContext) -> bool:
        """Whether `context` shows the proof, over which no request is served (RFC 8737 §3)."""
        # The authority closes after the handshake. No request over this certificate is from it.
        return context is self._proof

    @property
    def _proof(self) -> ssl.SSLContext | None:
        return None if self._proofs is None else self._proofs.context
