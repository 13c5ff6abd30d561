"""GetTlsKey, with a new random key at every call, certified by the app's authority."""

import datetime as dt
import hashlib
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID

from devkit.tee_simulator.authorities import NOT_AFTER, SIGNS, Authorities, Certified, subject
from devkit.tee_simulator.pck_extension import OCTETS, der

QUOTE_OID: Final = "1.3.6.1.4.1.62397.1.1"
EVENT_LOG_OID: Final = "1.3.6.1.4.1.62397.1.2"
APP_ID_OID: Final = "1.3.6.1.4.1.62397.1.3"
RA_TLS_TAG: Final = b"ratls-cert:"


@dataclass(frozen=True, slots=True)
class TlsKeyRequest:
    """Content of the certificate; times are unix seconds."""

    subject: str
    alt_names: tuple[str, ...]
    ra_tls: bool
    server_auth: bool
    client_auth: bool
    with_app_info: bool
    not_before_s: int
    not_after_s: int | None


@dataclass(frozen=True, slots=True)
class TlsKey:
    """A PEM private key (PKCS 8) and its PEM chain of leaf, app authority and KMS authority."""

    key: str
    certificate_chain: tuple[str, str, str]

    def __repr__(self) -> str:
        return "<TlsKey redacted>"


class TlsKeys:
    """The app's authority. `quote` returns quote and event log for RA-TLS certificates."""

    __slots__ = ("_app_id", "_authorities", "_quote")

    def __init__(self, authorities: Authorities, app_id: bytes, quote: Callable[[bytes], tuple[bytes, str]]) -> None:
        self._authorities = authorities
        self._app_id = app_id
        self._quote = quote

    def issue(self, asked: TlsKeyRequest) -> TlsKey:
        """Returns a new key. Raises ValueError for a certificate that cannot be made."""
        # Random, not derived, since dstack too returns another key at each call.
        key = ec.generate_private_key(ec.SECP256R1())
        ends = NOT_AFTER if asked.not_after_s is None else dt.datetime.fromtimestamp(asked.not_after_s, dt.UTC)
        starts = dt.datetime.fromtimestamp(asked.not_before_s, dt.UTC)
        if ends <= starts:
            raise ValueError("it would end before it begins")
        builder = x509.CertificateBuilder(
            self._authorities.app_ca.certificate.subject,
            subject(asked.subject),
            key.public_key(),
            x509.random_serial_number(),
            starts,
            ends,
        )
        for extension in self._extensions(asked, key):
            critical = isinstance(extension, x509.BasicConstraints | x509.KeyUsage)
            builder = builder.add_extension(extension, critical=critical)
        leaf = Certified(key, builder.sign(self._authorities.app_ca.key, SHA256()))
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        return TlsKey(private, (leaf.pem, self._authorities.app_ca.pem, self._authorities.kms_ca.pem))

    def _extensions(self, asked: TlsKeyRequest, key: ec.EllipticCurvePrivateKey) -> list[x509.ExtensionType]:
        extensions: list[x509.ExtensionType] = [x509.BasicConstraints(ca=False, path_length=None), SIGNS]
        if asked.alt_names:
            extensions.append(x509.SubjectAlternativeName([_alternative_name(name) for name in asked.alt_names]))
        usages = [
            usage
            for usage, wanted in (
                (ExtendedKeyUsageOID.SERVER_AUTH, asked.server_auth),
                (ExtendedKeyUsageOID.CLIENT_AUTH, asked.client_auth),
            )
            if wanted
        ]
        if usages:
            extensions.append(x509.ExtendedKeyUsage(usages))
        if asked.ra_tls:
            extensions += self._quoted(key)
        if asked.ra_tls or asked.with_app_info:
            extensions.append(_octets(APP_ID_OID, self._app_id))
        return extensions

    def _quoted(self, key: ec.EllipticCurvePrivateKey) -> list[x509.ExtensionType]:
        public_key = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        quote, event_log = self._quote(hashlib.sha512(RA_TLS_TAG + public_key).digest())
        # The quote covers the certificate's public key alone, like dstack's RA-TLS. The key proves
        # the TD; names are the authority's word.
        return [_octets(QUOTE_OID, quote), _octets(EVENT_LOG_OID, event_log.encode())]

    def __repr__(self) -> str:
        return "<TlsKeys redacted>"


def _alternative_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _octets(oid: str, value: bytes) -> x509.UnrecognizedExtension:
    return x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), der(OCTETS, value))
