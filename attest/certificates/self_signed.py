"""A certificate that nobody vouches for: for development, and said wherever it is used."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Final

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from attest.certificates.credentials import Credentials, paired
from attest.certificates.key import CertificateKey
from attest.certificates.names import alternative_name

ACME_ACCOUNT: Final = b'{"uri":"self-signed"}\n'
LOCALHOST: Final = "localhost"
LOOPBACK: Final = ("127.0.0.1", "::1")
BACKDATED: Final = timedelta(hours=1)
"""For clients whose clock is behind."""


class SelfSigned:
    """Issues for itself. `clock` is unix seconds. Implements `Issuer`."""

    source: Final = "self-signed"

    def __init__(self, domain: str, life_s: float, clock: Callable[[], float]) -> None:
        self._domain = domain
        self._life_s = life_s
        self._clock = clock

    async def issue(self) -> Credentials:
        """A fresh certificate with a fresh key; `localhost` has the loopback addresses as well."""
        key = CertificateKey.generate()
        now = datetime.fromtimestamp(self._clock(), UTC)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "svc-node self-signed")])
        names = [alternative_name(self._domain)]
        if self._domain == LOCALHOST:
            names += [x509.IPAddress(ip_address(address)) for address in LOOPBACK]
        builder = x509.CertificateBuilder(
            subject_name=name,
            issuer_name=name,
            serial_number=x509.random_serial_number(),
            not_valid_before=now - BACKDATED,
            not_valid_after=now + timedelta(seconds=self._life_s),
        )
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(usage, critical=False)
        return paired(key.sign(builder), key, self._domain, ACME_ACCOUNT)
