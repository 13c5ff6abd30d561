"""TLS contexts of ours check certificates alike on every Python: each states its flags, and none is strict."""

import ast
import asyncio
import datetime as dt
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from attest.tls import trusted_context
from image.lock import Deb
from image.mirrors import Mirrors, fetch, mirror_of
from node.database.postgres_address import address_of
from node.runtime.tls_trust import own_trust
from svc_verifier.gathering.host import verified_context
from tests.engine.egress.servers import answer, server
from tests.rules.test_key_log import DISTRIBUTIONS
from tests.support.node import REPOSITORY

HOST = "localhost"


def makes_a_clients_context(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node) == "ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)"


def states_its_flags(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(ast.unparse(each).endswith(".verify_flags") for each in node.targets)


def makers(text: str) -> dict[str, bool]:
    """The functions that make a client's context, and whether each states the flags of it."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {
        function.name: any(map(states_its_flags, ast.walk(function)))
        for function in functions
        if any(map(makes_a_clients_context, ast.walk(function)))
    }


def test_who_makes_a_clients_context_states_its_flags() -> None:
    files = [path for folder in DISTRIBUTIONS for path in (REPOSITORY / folder).rglob("*.py")]
    texts = {path.relative_to(REPOSITORY).as_posix(): path.read_text() for path in files}
    found = {path: makers(text) for path, text in texts.items() if "PROTOCOL_TLS_CLIENT" in text}
    # One for each distribution that may import no other.
    assert found == {
        "attest/tls.py": {"client_context": True},
        "image/mirrors.py": {"_tls": True},
        "verifier/svc_verifier/gathering/host.py": {"_client_context": True},
    }


def signed(subject: str, key: ec.EllipticCurvePrivateKey, issuer_key: ec.EllipticCurvePrivateKey) -> bytes:
    """A certificate of `authority` without key identifiers, of itself or of the host."""
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=key is issuer_key, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
    )
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def serving(tmp_path: Path) -> ssl.SSLContext:
    """A server's context; its authority is in `authority.pem` of the folder."""
    authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    (tmp_path / "authority.pem").write_bytes(signed("authority", authority, authority))
    own = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "served.pem").write_bytes(own + signed(HOST, key, authority))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "served.pem")
    return context


async def meet(port: int, context: ssl.SSLContext | None) -> None:
    _, writer = await asyncio.open_connection(HOST, port, ssl=context)
    writer.close()
    await writer.wait_closed()


def of_ledger(authority: Path) -> ssl.SSLContext | None:
    return address_of("postgresql://u:p@db/d", authority.read_text()).tls


CONTEXTS: dict[str, Callable[[Path], ssl.SSLContext | None]] = {
    "node: a file of authorities": own_trust,
    "node: ledger_ca_pem": of_ledger,
    "attest: the system's roots": lambda _: trusted_context(),
    "verifier: the system's roots": lambda _: verified_context(),
}


@pytest.mark.parametrize("name", CONTEXTS)
async def test_an_authority_without_key_identifiers_is_accepted(
    name: str, serving: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = tmp_path / "authority.pem"
    async with server(serving) as origin:
        # As the system's roots, for those that trust them.
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        await meet(origin.port, CONTEXTS[name](authority))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
        with pytest.raises(ssl.SSLCertVerificationError):
            await meet(origin.port, trusted_context())


async def test_a_mirror_with_such_an_authority_is_accepted(
    serving: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    async with server(serving) as origin:
        origin.by_path["/a.deb"] = answer(b"the deb")
        mirror = mirror_of(f"https://{HOST}:{origin.port}", "IMAGE_MIRROR")
        deb = Deb("a", "1", "main", "a.deb", "00" * 32)
        assert await asyncio.to_thread(fetch, deb, Mirrors(mirror, mirror), lambda _: None) == b"the deb"


async def test_a_strict_context_refuses_it(serving: ssl.SSLContext, tmp_path: Path) -> None:
    """As the library's default context from Python 3.13 on."""
    strict = own_trust(tmp_path / "authority.pem")
    strict.verify_flags |= ssl.VerifyFlags.VERIFY_X509_STRICT
    async with server(serving) as origin:
        with pytest.raises(ssl.SSLCertVerificationError, match="Key Identifier"):
            await meet(origin.port, strict)
