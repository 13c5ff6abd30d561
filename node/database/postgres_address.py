"""Address of a PostgreSQL server, read from `SVC_LEDGER_URL`, and which TLS certificate it must show.

`postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…&sslrootcert=/FILE`. Nothing is taken from the environment or the
home directory (libpq's `PGSSLMODE`, `~/.pgpass`, …): parameters that the URL lacks have the defaults written here. Does no
I/O but for reading files of certificates.
"""

import contextlib
import ssl
from dataclasses import dataclass, field
from typing import Final, NoReturn
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from node.errors import StartupRefusedError

SETTING: Final = "ledger_url"
DEFAULT_PORT: Final = 5432
VERIFY_FULL: Final = "verify-full"
SSL_MODES: Final = ("disable", "require", "verify-ca", VERIFY_FULL)
"""Subset of libpq's modes. Its `allow` and `prefer` may fall back to no TLS; `require` accepts any certificate."""

_PARAMETERS: Final = frozenset({"sslmode", "sslrootcert", "host"})


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """Server, role and database; `tls` is None without TLS. `host` is a directory for a Unix socket in it."""

    host: str
    port: int
    user: str
    database: str
    password: str = field(repr=False)
    tls: ssl.SSLContext | None = field(repr=False)

    @property
    def shown(self) -> str:
        """Host, port and database: the part that logs and errors may show."""
        return f"{self.host}:{self.port}/{self.database}"


def address_of(url: str) -> PostgresAddress:
    """Return the address in a URL; TLS with a verified certificate and name unless the URL says less, or names a socket.

    Raises StartupRefusedError (`ledger_url`), which repeats no part of the URL.
    """
    read = _read(url)
    if read is None:
        _refuse("It cannot be read as a URL: percent-encode what is special in the password.")
    parts, port, parameters = read
    if parts.scheme not in {"postgresql", "postgres"}:
        _refuse("It must begin with postgresql://.")
    if parameters.keys() - _PARAMETERS:
        _refuse("It has a parameter beside sslmode, sslrootcert and host, which are all that are known.")
    host = unquote(parts.hostname or "") or parameters.get("host", "")
    database = unquote(parts.path.removeprefix("/"))
    user = unquote(parts.username or "")
    if not (host and database and user):
        _refuse("It must name a host, a user and a database: postgresql://USER:PASSWORD@HOST:PORT/DATABASE.")
    return PostgresAddress(host, port, user, database, unquote(parts.password or ""), _tls(host, parameters))


def _read(url: str) -> tuple[SplitResult, int, dict[str, str]] | None:
    """Return the URL's parts, port and parameters; None when it cannot be read: an error would repeat them."""
    try:
        parts = urlsplit(url)
        parameters = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        port = parts.port or DEFAULT_PORT
    except ValueError:
        return None
    return parts, port, parameters


def _tls(host: str, parameters: dict[str, str]) -> ssl.SSLContext | None:
    mode = parameters.get("sslmode", "disable" if host.startswith("/") else VERIFY_FULL)
    if mode not in SSL_MODES:
        _refuse(f"sslmode must be one of {', '.join(SSL_MODES)}.")
    root = parameters.get("sslrootcert")
    if mode == "disable":
        if root is not None:
            _refuse("sslrootcert is named, and sslmode=disable does not look at it.")
        return None
    context = _trusting(root)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = mode == VERIFY_FULL
    if mode == "require" and root is None:  # with a root certificate, libpq's `require` verifies like `verify-ca`
        context.verify_mode = ssl.CERT_NONE
    return context


def _trusting(root: str | None) -> ssl.SSLContext:
    """Trust the authorities of this file, or those of the system when there is none."""
    context = None
    with contextlib.suppress(OSError, ValueError):
        context = ssl.create_default_context(cafile=root)
    return context or _refuse("The file of sslrootcert cannot be read as certificates (PEM).")


def _refuse(reason: str) -> NoReturn:
    raise StartupRefusedError(SETTING, reason)
