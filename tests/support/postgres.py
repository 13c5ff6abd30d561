"""A PostgreSQL server of the tests' own: its own directory and port, an unprivileged user, stopped at the end.

Installed by apt when the tests run as root and it is not there; where it cannot be had, tests skip and say so.
"""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.support.apt import install
from tests.support.ports import free_port

START_TIMEOUT_S = 60.0
NO_POSTGRES = "PostgreSQL is not installed"
DATABASE = "ledger"
PASSWORD = "pa55-of-the-ledger"
_ADMINISTRATOR = "administrator"
_TUNED = {
    "max_connections": "100",
    "shared_buffers": "32MB",
    "log_min_messages": "warning",
    "deadlock_timeout": "200ms",
}


@cache
def binaries() -> Path | None:
    """Where `postgres` and `initdb` are, after an attempt to install them when this is root (announced)."""
    if _found() is None:
        install("postgresql", "the ledger's tests")
    return _found()


def require_postgres() -> Path:
    """The directory of PostgreSQL's programs; skips the test where there are none."""
    found = binaries()
    if found is None:
        pytest.skip(f"{NO_POSTGRES}, and installing it needs root and a package source")
    return found


def _found() -> Path | None:
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    anywhere = shutil.which("initdb")
    path = debian[-1] if debian else Path(anywhere) if anywhere else None
    return None if path is None else path.parent


class PostgresServer:
    """One server. Every test has a role of its own, no superuser, with a schema of that name: cheaper than databases."""

    def __init__(self, programs: Path, directory: Path, settings: dict[str, str]) -> None:
        self.directory = directory
        self.port = free_port()
        self._programs = programs
        self._settings = {**_TUNED, **settings}
        self._process: subprocess.Popen[bytes] | None = None
        self._roles = 0

    def create(self) -> None:
        """Make the cluster: passwords over TCP, none over the socket (for `sql`), TLS for whoever asks for it."""
        write_certificate(self.directory, "localhost")
        if os.geteuid() == 0:
            for path in (self.directory, *self.directory.glob("server.*")):
                os.chown(path, _somebody().pw_uid, _somebody().pw_gid)
        password_file = self.directory / "password"
        password_file.write_text("of-the-administrator")
        password_file.chmod(0o644)
        initdb = [
            str(self._programs / "initdb"),
            "-D",
            str(self._data),
            "-U",
            _ADMINISTRATOR,
            "--no-sync",
            "-E",
            "UTF8",
        ]
        initdb += ["--locale=C", "--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={password_file}"]
        done = subprocess.run([*_unprivileged(), *initdb], cwd="/", capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()

    def start(self) -> None:
        """Start it, on the same port as before, and wait until it answers."""
        settings = {**self._settings, "port": str(self.port), "listen_addresses": "127.0.0.1"}
        settings |= {
            "ssl": "on",
            "ssl_cert_file": str(self.directory / "server.pem"),
            "ssl_key_file": str(self.directory / "server.key"),
        }
        settings["unix_socket_directories"] = str(self.directory)
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [*_unprivileged(), str(self._programs / "postgres"), "-D", str(self._data), *options]
        with (self.directory / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd="/", stdout=log, stderr=log)
        give_up = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            assert self._process.poll() is None, self.log
            assert time.monotonic() < give_up, self.log
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (like a crash)."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(START_TIMEOUT_S)
            self._process = None

    def crash(self) -> None:
        """What `pg_ctl stop -m immediate` does: no checkpoint, connections cut wherever they are."""
        self.stop(signal.SIGQUIT)

    def sql(self, text: str, database: str = "postgres") -> str:
        """What psql prints for this, as the administrator, columns parted by `|`."""
        arguments = ["-h", str(self.directory), "-p", str(self.port), "-U", _ADMINISTRATOR, "-d", database]
        command = [
            str(self._programs / "psql"),
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            *arguments,
            "-c",
            text,
        ]
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def new_role(self) -> str:
        """A fresh role, which finds nothing and can make tables of its own."""
        self._roles += 1
        role = f"node_{self._roles}"
        if self._roles == 1:
            self.sql(f"CREATE DATABASE {DATABASE}")
        self.sql(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'; CREATE SCHEMA AUTHORIZATION {role}", DATABASE)
        return role

    def url(self, role: str, query: str = "?sslmode=disable", host: str = "127.0.0.1") -> str:
        """How this role connects; without TLS, which loopback needs none of."""
        return f"postgresql://{role}:{PASSWORD}@{host}:{self.port}/{DATABASE}{query}"

    @property
    def ca_file(self) -> Path:
        """The authority of the server's certificate, which is good for `localhost` alone."""
        return self.directory / "ca.pem"

    @property
    def log(self) -> str:
        """What the server wrote so far."""
        return (self.directory / "server.log").read_text()

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    def _answers(self) -> bool:
        with contextlib.suppress(AssertionError, OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return self.sql("SELECT 1") == "1"
        return False


@contextlib.contextmanager
def running_postgres(**settings: str) -> Iterator[PostgresServer]:
    """A server with these settings beside its defaults. `fsync` is off: tests crash the server, never the machine."""
    programs = require_postgres()
    directory = Path(tempfile.mkdtemp(prefix="svc-postgres-"))
    server = PostgresServer(programs, directory, {"fsync": "off", **settings})
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(directory)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for every test that takes a database of it and leaves the server alone."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def fragile_postgres() -> Iterator[PostgresServer]:
    """A server that the test may crash."""
    with running_postgres() as server:
        yield server


def write_certificate(directory: Path, name: str) -> None:
    """`ca.pem`, a private authority, and what it has signed for this name: `server.pem`, with its key `server.key`."""
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "A private authority")])
    subject = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "PostgreSQL under test")])
    now = datetime.now(UTC)

    def builder(whose: x509.Name, public_key: ec.EllipticCurvePublicKey, *, is_ca: bool) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder(ca, whose, public_key, x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        )

    authority = builder(ca, ca_key.public_key(), is_ca=True).sign(ca_key, SHA256())
    names = x509.SubjectAlternativeName([x509.DNSName(name)])
    certificate = builder(subject, key.public_key(), is_ca=False).add_extension(names, critical=False)
    (directory / "ca.pem").write_bytes(authority.public_bytes(Encoding.PEM))
    (directory / "server.pem").write_bytes(certificate.sign(ca_key, SHA256()).public_bytes(Encoding.PEM))
    key_file = directory / "server.key"
    key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    key_file.chmod(0o600)


def _somebody() -> pwd.struct_passwd:
    """Whom the server runs as when the tests run as root, which PostgreSQL refuses."""
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres")
    return pwd.getpwnam("nobody")


def _unprivileged() -> Sequence[str]:
    """Become that user; and where it can be, the server ends with the tests, however those end."""
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0:
        return [setpriv, "--pdeathsig", "INT", "--"] if setpriv else []
    assert setpriv is not None, "PostgreSQL refuses root: setpriv (util-linux) is needed to run it as somebody else"
    user = _somebody()
    return [setpriv, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--pdeathsig", "INT", "--"]
