"""Address of a PostgreSQL server, read from `SVC_LEDGER_URL`, and which TLS certificate it must show.

`postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…&sslrootcert=/FILE`. Nothing is taken from the environment or the
home directory (libpq's `PGSSLMODE`, `~/.pgpass`, …): parameters that the URL lacks have the defaults written here. The
certificate authorities may come from `ledger_ca_pem` instead of a file: a measured container has no such file, and the URL
is not measured. Does no I/O but for reading files of certificates.
"""

import contextlib
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from node.errors import StartupRefusedError
from node.runtime.tls_trust import own_trust

SETTING: Final = "ledger_url"
CA_SETTING: Final = "ledger_ca_pem"
DEFAULT_PORT: Final = 5432
VERIFY_FULL: Final = "verify-full"
SSL_MODES: Final = ("disable", "require", "verify-ca", VERIFY_FULL)
"""Subset of libpq's modes. Its `allow` and `prefer` may fall back to no TLS; `require` accepts any certificate."""

_BLANK: Final = 0x20
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
    trust_setting: str = SETTING
    """Setting that names the certificate authorities, or has to where the system's do not do."""

    @property
    def shown(self) -> str:
        """Host, port and database: the part that logs and errors may show."""
        return f"{self.host}:{self.port}/{self.database}"


def require_database(url: str, ca_pem: str) -> None:
    """Pass unless authorities are named, and no database. Raises StartupRefusedError (`ledger_ca_pem`)."""
    # The host gives the URL. Without it the credit would be on this machine's disk, against what the measured file says.
    if ca_pem and not url:
        raise StartupRefusedError(CA_SETTING, "It is given without a database: set SVC_LEDGER_URL.")


def address_of(url: str, ca_pem: str = "") -> PostgresAddress:
    """Return the address in a URL; TLS with a verified certificate and name unless the URL says less, or names a socket.

    `ca_pem` has the certificate authorities to trust; empty: the file of `sslrootcert`, else the system's. Raises
    StartupRefusedError (`ledger_url`, `ledger_ca_pem`), which repeats no part of the URL.
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
    # A password with `@` and `/` moves its own rest into the path, which `shown` prints.
    if "@" in parts.path:
        _refuse("It cannot be read as a URL: percent-encode what is special in the password.")
    user = unquote(parts.username or "")
    password = unquote(parts.password or "")
    # A NUL ends a parameter of the start-up message (PostgreSQL 17, 53.7), so what follows would be another parameter:
    # one could undo `synchronous_commit`. Line ends would forge what `shown` writes.
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
    """Return the URL's parts, port and parameters; None when it cannot be read: an error would repeat them."""
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
    # asyncpg speaks no TLS over a Unix socket, whatever `ssl` says: the promise below would be broken in silence.
    if ca_pem and host.startswith("/"):
        _refuse("It is given, and ledger_url names a Unix socket, where there is no TLS.", CA_SETTING)
    if mode == "disable":
        if root is not None:
            _refuse("sslrootcert is named, and sslmode=disable does not look at it.")
        # The measured file promises its readers a database that proves itself; the URL, which is not measured, must not
        # take that back.
        if ca_pem:
            _refuse("It is given, and ledger_url connects without TLS: take sslmode=disable out of it.", CA_SETTING)
        return None
    context = _trusting(root, ca_pem)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = mode == VERIFY_FULL
    # With a root certificate, libpq's `require` verifies like `verify-ca` (libpq, "Protection Provided in Different Modes").
    if mode == "require" and root is None and not ca_pem:
        context.verify_mode = ssl.CERT_NONE
    return context


def _trusting(root: str | None, ca_pem: str) -> ssl.SSLContext:
    """Trust these authorities, those of the file, or those of the system when there are neither."""
    # Not ssl.create_default_context(): the host may forge the SSL_CERT_FILE and SSLKEYLOGFILE that it obeys.
    readable = False
    with contextlib.suppress(OSError, ValueError):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if ca_pem else own_trust(Path(root) if root else None)
        if ca_pem:
            context.load_verify_locations(cadata=ca_pem)
        readable = True
    # Outside of the handler: the error, which names the file, is not the context of ours.
    if not readable and ca_pem:
        _refuse("It cannot be read as certificates (PEM).", CA_SETTING)
    if not readable:
        _refuse("The file of sslrootcert cannot be read as certificates (PEM).")
    return context


def _refuse(reason: str, setting: str = SETTING) -> NoReturn:
    raise StartupRefusedError(setting, reason)
