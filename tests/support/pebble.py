"""A certificate authority: Debian's `pebble` with real validation, and the DNS server it asks.

Installed by apt when the tests run as root and it is not there; where it cannot be had, tests skip and say so.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.support.apt import install
from tests.support.ports import free_port

DOMAIN = "node.example.test"
START_TIMEOUT_S = 60.0
NO_PEBBLE = "pebble is not installed"


@dataclass(frozen=True)
class Pebble:
    """Where it answers, whom to believe when it does, and the management address of its DNS server."""

    directory_url: str
    ca_file: Path
    dns_url: str


@cache
def installed() -> bool:
    """Whether pebble is here, after an attempt to install it when this is root (announced)."""
    if shutil.which("pebble") is None:
        install("pebble", "the certificate tests")
    return shutil.which("pebble") is not None and shutil.which("pebble-challtestsrv") is not None


def require_pebble() -> None:
    """Skip the test where there is no pebble."""
    if not installed():
        pytest.skip(f"{NO_PEBBLE}, and installing it needs root and a package source")


def pebble_to_be(directory: Path) -> Pebble:
    """Where a pebble will be, before it runs."""
    directory.mkdir(parents=True, exist_ok=True)
    _write_certificate(directory)
    return Pebble(f"https://127.0.0.1:{free_port()}/dir", directory / "ca.pem", f"http://127.0.0.1:{free_port()}")


@contextlib.contextmanager
def running_pebble(
    directory: Path,
    http_port: int,
    tls_port: int,
    environment: Mapping[str, str] | None = None,
    planned: Pebble | None = None,
) -> Iterator[Pebble]:
    """A pebble that validates on these ports of 127.0.0.1, to which every name resolves."""
    require_pebble()
    pebble = planned or pebble_to_be(directory)
    port, dns_management = _port_of(pebble.directory_url), _port_of(pebble.dns_url)
    management, dns = free_port(), free_port()
    config = {
        "listenAddress": f"127.0.0.1:{port}",
        "managementListenAddress": f"127.0.0.1:{management}",
        "certificate": str(directory / "server.pem"),
        "privateKey": str(directory / "server.key"),
        "httpPort": http_port,
        "tlsPort": tls_port,
        "ocspResponderURL": "",
        "externalAccountBindingRequired": False,
    }
    (directory / "pebble.json").write_text(json.dumps({"pebble": config}))
    names = [f"-dns01=127.0.0.1:{dns}", "-http01=", "-https01=", "-tlsalpn01=", "-defaultIPv6="]
    names += [f"-management=127.0.0.1:{dns_management}"]
    settings = {"PATH": os.environ["PATH"], "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_AUTHZREUSE": "0"}
    settings |= dict(environment or {})
    authority = ["pebble", "-config", str(directory / "pebble.json"), "-dnsserver", f"127.0.0.1:{dns}"]
    with (
        _running(["pebble-challtestsrv", *names], directory, settings, dns_management),
        _running(authority, directory, settings, port),
    ):
        yield pebble


def _port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port


@contextlib.contextmanager
def _running(command: list[str], directory: Path, environment: Mapping[str, str], port: int) -> Iterator[None]:
    log = directory / f"{command[0]}.log"
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output, env=environment) as process:
        try:
            _until_listening(process, port, log)
            yield
        finally:
            process.terminate()


def _until_listening(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    give_up = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < give_up:
        assert process.poll() is None, log.read_text()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise AssertionError(log.read_text())


def _write_certificate(directory: Path) -> None:
    """The certificate of pebble's own API, which is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "pebble under test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    pem = certificate.public_bytes(Encoding.PEM)
    (directory / "server.pem").write_bytes(pem)
    (directory / "ca.pem").write_bytes(pem)
    key_pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (directory / "server.key").write_bytes(key_pem)
