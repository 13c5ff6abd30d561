"""A certificate authority: Debian's `pebble` with real validation, and the DNS server it asks.

Installed by apt when the tests run as root and it is not there; where it cannot be had, tests skip and say so.
"""

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

DOMAIN = "node.example.test"
START_TIMEOUT_S = 30.0
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
    if shutil.which("pebble") is None and os.geteuid() == 0 and shutil.which("apt-get") is not None:
        sys.stderr.write("installing pebble for the certificate tests: apt-get install pebble\n")
        command = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "pebble"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, check=False, timeout=240)
    return shutil.which("pebble") is not None and shutil.which("pebble-challtestsrv") is not None


def require_pebble() -> None:
    """Skip the test where there is no pebble."""
    if not installed():
        pytest.skip(f"{NO_PEBBLE}, and installing it needs root and a package source")


def free_port() -> int:
    """A port nobody has at the moment, for programs that cannot take one themselves."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def free_dns_port() -> int:
    """The same for a server of both TCP and UDP."""
    while True:
        port = free_port()
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            datagrams.bind(("127.0.0.1", port))
            return port


@contextlib.asynccontextmanager
async def running_pebble(
    directory: Path, http_port: int, tls_port: int, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Pebble]:
    """A pebble that validates on these ports of 127.0.0.1, to which every name resolves."""
    require_pebble()
    directory.mkdir(parents=True, exist_ok=True)
    port, management, dns, dns_management = free_port(), free_port(), free_dns_port(), free_port()
    _write_certificate(directory)
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
    async with (
        _running(["pebble-challtestsrv", *names], directory, settings, dns_management),
        _running(
            ["pebble", "-config", str(directory / "pebble.json"), "-dnsserver", f"127.0.0.1:{dns}"],
            directory,
            settings | dict(environment or {}),
            port,
        ),
    ):
        yield Pebble(f"https://127.0.0.1:{port}/dir", directory / "ca.pem", f"http://127.0.0.1:{dns_management}")


@contextlib.asynccontextmanager
async def _running(
    command: list[str], directory: Path, environment: Mapping[str, str], port: int
) -> AsyncIterator[None]:
    log = directory / f"{command[0]}.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output, env=dict(environment))
        try:
            await _listening(process, port, log)
            yield
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def _listening(process: asyncio.subprocess.Process, port: int, log: Path) -> None:
    async with asyncio.timeout(START_TIMEOUT_S):
        while True:
            assert process.returncode is None, log.read_text()
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return


def set_txt(dns_url: str, name: str, value: str) -> None:
    """Let the DNS server answer with this record."""
    body = json.dumps({"host": f"{name}.", "value": value}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{dns_url}/set-txt", body), timeout=10):
        pass


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
