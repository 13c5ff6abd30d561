"""Address of a PostgreSQL server from `SVC_LEDGER_URL`, with the TLS certificate that it must show.

`postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…&sslrootcert=/FILE`. Parameters that the URL
lacks have defaults from here, never from the environment or home directory as in libpq. A measured
container has no file of certificate authorities and its URL is not measured, so `ledger_ca_pem` may
contain the authorities. The only I/O is reading files of certificates.
"""

import contextlib
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from attest.tls import client_context
from node.errors import StartupRefusedError
from node.runtime.tls_trust import own_trust

SETTING: Final = "ledger_url"
CA_SETTING: Final = "ledger_ca_pem"
DEFAULT_PORT: Final = 5432
VERIFY_FULL: Final = "verify-full"
SSL_MODES: Final = ("disable", "require", "verify-ca", VERIFY_FULL)
"""libpq's modes without `allow` and `prefer`, which may fall back to no TLS."""

_BLANK: Final = 0x20
_PARAMETERS: Final = frozenset({"sslmode", "sslrootcert", "host"})


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """Server, role and database. `host` may be the directory of a Unix socket."""

    host: str
    port: int
    user: str
    database: str
    password: str = field(repr=False)
    tls: ssl.SSLContext | None = field(repr=False)
    trust_setting: str = SETTING
    """Setting in which the operator names certificate authorities, for error messages."""

    @property
    def shown(self) -> str:
        """Return host, port and database, which logs and errors may show."""
        return f"{self.host}:{self.port}/{self.database}"


def require_database(url: str, ca_pem: str) -> None:
    """Refuse authorities without a database URL. Raises StartupRefusedError (`ledger_ca_pem`)."""
    # The host sets the URL. Without one, credit would be on its disk, against the measured file.
    if ca_pem and not url:
        raise StartupRefusedError(CA_SETTING, "It is given without a database: set SVC_LEDGER_URL.")


def address_of(url: str, ca_pem: str = "") -> PostgresAddress:
    """Return the address in a URL. By default TLS verifies certificate and name; a socket has none.

    Trust the authorities in `ca_pem`, else in the file of `sslrootcert`, else the system's.
    Raises StartupRefusedError (`ledger_url`, `ledger_ca_pem`), which repeats no part of the URL.
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
    # With `@` and `/` in a password, its rest becomes part of the path, which `shown` prints.
    if "@" in parts.path:
        _refuse("It cannot be read as a URL: percent-encode what is special in the password.")
    user = unquote(parts.username or "")
    password = unquote(parts.password or "")
    # A NUL ends a parameter of the start-up message (PostgreSQL 17, 53.7), so text behind it could
    # be a parameter that disables `synchronous_commit`. A line end could forge a log line.
    if any(ord(character) < _BLANK for text in (host, database, user, password) for character in text):
        _refuse("It holds a control character.")
    if not (host and database and user):
        _refuse("It must name a host, a user and a database: postgresql://USER:PASSWORD@HOST:PORT/DATABASE.")
    root = parameters.get("sslrootcert")
    return PostgresAddress(
        host,
        port,
        user,
        database,
        password,
        _tls(host, parameters, ca_pem),
        CA_SETTING if root is None else SETTING,
    )


def _read(url: str) -> tuple[SplitResult, int, dict[str, str]] | None:
    """Return the URL's parts, port and parameters; None if it is invalid."""
    try:
        parts = urlsplit(url)
        parameters = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        port = parts.port or DEFAULT_PORT
    except ValueError:
        return None
    return parts, port, parameters


def _tls(host: str, parameters: dict[str, str], ca_pem: str) -> ssl.SSLContext | None:
    mode = parameters.get("sslmode", "disable" if host.startswith("/") else VERIFY_FULL)
    if mode not in SSL_MODES:
        _refuse(f"sslmode must be one of {', '.join(SSL_MODES)}.")
    root = parameters.get("sslrootcert")
    if root is not None and ca_pem:
        _refuse("Both this and sslrootcert of ledger_url name authorities: take one of them out.", CA_SETTING)
    # asyncpg ignores `ssl` on a Unix socket, which would silently break the promise below.
    if ca_pem and host.startswith("/"):
        _refuse("It is given, and ledger_url names a Unix socket, where there is no TLS.", CA_SETTING)
    if mode == "disable":
        if root is not None:
            _refuse("sslrootcert is named, and sslmode=disable does not look at it.")
        # The measured file promises a database that proves its identity, and the URL, which is not
        # measured, must not revoke that.
        if ca_pem:
            _refuse("It is given, and ledger_url connects without TLS: take sslmode=disable out of it.", CA_SETTING)
        return None
    context = _trusting(root, ca_pem)
    context.check_hostname = mode == VERIFY_FULL
    # With a root, `require` is `verify-ca` (libpq, "Protection Provided in Different Modes").
    if mode == "require" and root is None and not ca_pem:
        context.verify_mode = ssl.CERT_NONE
    return context


def _trusting(root: str | None, ca_pem: str) -> ssl.SSLContext:
    """Return a context that trusts `ca_pem`, else the file, else the system's authorities."""
    readable = False
    with contextlib.suppress(OSError, ValueError):
        context = client_context() if ca_pem else own_trust(Path(root) if root else None)
        if ca_pem:
            context.load_verify_locations(cadata=ca_pem)
        readable = True
    # Raised outside of the handler, so that the error's context does not name the file.
    if not readable and ca_pem:
        _refuse("It cannot be read as certificates (PEM).", CA_SETTING)
    if not readable:
        _refuse("The file of sslrootcert cannot be read as certificates (PEM).")
    return context


def _refuse(reason: str, setting: str = SETTING) -> NoReturn:
    raise StartupRefusedError(setting, reason)
