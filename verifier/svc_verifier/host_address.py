"""Where a host is, as the user named it."""

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from svc_verifier.errors import VerifierError, VerifierErrorCode

HTTPS_PORT: Final = 443
_NAME: Final = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?")
_IPV6: Final = re.compile(r"[0-9a-f:.]{2,45}")


@dataclass(frozen=True, slots=True)
class HostAddress:
    """`name` in lower case without a port, and the origin `https://name[:port]`."""

    name: str
    origin: str

    @classmethod
    def of(cls, text: str) -> Self:
        """From `https://HOST[:PORT]`, or without the scheme. Raises VerifierError(BAD_HOST) for anything else.

        A name of other letters than ASCII must be given as DNS knows it (`xn--…`): two names may look the same.
        """
        if not text.isprintable():
            raise _bad()  # urlsplit drops line breaks and tabs wherever they stand
        if not text.isascii():
            raise _bad(_in_ascii(text))
        try:
            parts = urlsplit(text if "://" in text else f"https://{text}")
            port, name = HTTPS_PORT if parts.port is None else parts.port, (parts.hostname or "").lower()
        except ValueError:
            raise _bad() from None
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
    """The hint for a name in other letters than ASCII."""
    try:
        name = urlsplit(text if "://" in text else f"https://{text}").hostname or ""
        return f"; DNS may know this name as {name.encode('idna').decode()}: compare it letter by letter"
    except ValueError:
        return "; a name in other letters than ASCII must be given as DNS knows it (xn--…)"


def _bad(hint: str = "") -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_HOST, f"name the host as https://HOST or https://HOST:PORT{hint}")
