"""Host addresses, RPC URLs, and the public services used by default."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from svc_verifier.errors import VerifierError, VerifierErrorCode

HTTPS_PORT: Final = 443
URL_CHARACTERS: Final = 2_048
"""Characters of an address. Python normalises accents first, in the square of their number."""

_NAME: Final = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?")
_IPV6: Final = re.compile(r"[0-9a-f:.]{2,45}")


@dataclass(frozen=True, slots=True)
class HostAddress:
    """A host with its lower-case `name` without a port, and its origin `https://name[:port]`."""

    name: str
    origin: str

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse `https://HOST[:PORT]`, or without the scheme. Raises VerifierError(BAD_HOST).

        Letters beyond ASCII must be given as DNS knows them (`xn--…`), since names may look alike.
        """
        if len(text) > URL_CHARACTERS or not text.isprintable():
            raise _bad()  # urlsplit drops line breaks and tabs
        if not text.isascii():
            # Homographs: a Cyrillic letter may look like a Latin one. Users compare the ASCII form.
            raise _bad(_in_ascii(text))
        try:
            parts = urlsplit(text if "://" in text else f"https://{text}")
            port, name = HTTPS_PORT if parts.port is None else parts.port, (parts.hostname or "").lower()
        except ValueError:
            raise _bad() from None
        # `https://good.example@evil.example` names evil.example, so user information is refused.
        extra = parts.username or parts.password or parts.path.strip("/") or parts.query or parts.fragment
        if parts.scheme != "https" or extra or "@" in parts.netloc or port == 0:
            raise _bad()
        if _NAME.fullmatch(name):
            name = name.rstrip(".")
            shown = name
        elif _IPV6.fullmatch(name) and ":" in name:
            shown = f"[{name}]"
        else:
            raise _bad()
        return cls(name, f"https://{shown}" if port == HTTPS_PORT else f"https://{shown}:{port}")


def _in_ascii(text: str) -> str:
    """Returns the hint for a name in other letters than ASCII."""
    try:
        name = urlsplit(text if "://" in text else f"https://{text}").hostname or ""
        return f"; DNS may know this name as {name.encode('idna').decode()}: compare it letter by letter"
    except ValueError:
        return "; a name in other letters than ASCII must be given as DNS knows it (xn--…)"


def _bad(hint: str = "") -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_HOST, f"name the host as https://HOST or https://HOST:PORT{hint}")


_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def is_rpc_url(text: str) -> bool:
    """Whether it is an http or https URL of a host."""
    if len(text) > URL_CHARACTERS:
        return False
    try:
        parts = urlsplit(text)
        known = parts.scheme in _DEFAULT_PORTS and parts.port != 0 and text.isprintable()
        return known and bool(_normal_host(parts.hostname or ""))
    except ValueError:
        return False


def rpc_host(url: str) -> str:
    """Returns host and port in one form, without user, path and query; empty for no URL.

    Two providers on one host are one, since its operator could lie in both.
    """
    if not is_rpc_url(url):
        return ""
    parts = urlsplit(url)
    host = _normal_host(parts.hostname or "")
    return host if parts.port in {None, _DEFAULT_PORTS[parts.scheme]} else f"{host}:{parts.port}"


def rpc_origin(url: str) -> str:
    """Returns scheme, host and port in one form; empty for anything more or not in ASCII."""
    # Programs disagree on other letters: `ß` is `ss` by IDNA 2003 and itself by IDNA 2008.
    if not url.isascii() or not is_rpc_url(url):
        return ""
    parts = urlsplit(url)
    more = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    return "" if more else f"{parts.scheme}://{rpc_host(url)}"


def _normal_host(name: str) -> str:
    """Returns a name as DNS looks it up, lower case, IDNA, no final dot. Raises ValueError."""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name.encode("idna").decode().lower().rstrip(".")
    return f"[{address.compressed}]" if address.version == 6 else address.compressed


INTEL_PCS: Final = "https://api.trustedservices.intel.com"
"""Intel's provisioning service."""

INTEL_ROOT_CRL: Final = "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der"
"""Intel's list of what its root has revoked. Caches of the service have a path for it."""

DEFAULT_CHAIN_ID: Final = 8453
"""Base, where dstack's public governance contracts are."""

DEVELOPMENT_CHAIN_ID: Final = 31337
"""Chain id of local chains, the default under a development root."""

DEFAULT_PROVIDERS: Final[Mapping[int, tuple[str, str]]] = {
    1: ("https://ethereum-rpc.publicnode.com", "https://eth.drpc.org"),
    10: ("https://mainnet.optimism.io", "https://optimism-rpc.publicnode.com"),
    8453: ("https://mainnet.base.org", "https://base-rpc.publicnode.com"),
    42161: ("https://arb1.arbitrum.io/rpc", "https://arbitrum-one-rpc.publicnode.com"),
    84532: ("https://sepolia.base.org", "https://base-sepolia-rpc.publicnode.com"),
    11155111: ("https://ethereum-sepolia-rpc.publicnode.com", "https://sepolia.drpc.org"),
}
"""Default providers by chain id, two of different operators each. `--rpc-url` replaces them."""
