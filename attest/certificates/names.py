"""The names a certificate is for: DNS names and, for development, addresses."""

import ipaddress
from collections.abc import Sequence

from cryptography import x509


def alternative_name(domain: str) -> x509.GeneralName:
    """`domain` as a subject alternative name: an address or a DNS name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(domain))
    except ValueError:
        return x509.DNSName(domain)


def covers(names: Sequence[x509.GeneralName], domain: str) -> bool:
    """Whether one of `names` is `domain`, or its wildcard (RFC 6125, 6.4.3: the whole left-most label)."""
    wanted = alternative_name(domain)
    if isinstance(wanted, x509.IPAddress):
        return wanted in names
    wildcard = "*." + domain.partition(".")[2].lower()
    return any(isinstance(name, x509.DNSName) and name.value.lower() in {domain.lower(), wildcard} for name in names)
