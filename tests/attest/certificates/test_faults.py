"""A faulty or hostile ACME server causes an AttestError in time and does not break the node."""

import asyncio
import contextlib
import json
import ssl
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec

from attest.certificates.acme_issuer import AcmeIssuer, AcmeNetwork
from attest.certificates.challenges import Challenge, DnsHookSolver, HttpSolver
from attest.certificates.credentials import read_certificate
from attest.certificates.renewal import SelfSigned
from attest.certificates.serving import server_context
from attest.errors import AttestError, AttestErrorCode
from attest.settings import AcmeSettings
from node.runtime.tls_trust import own_trust
from tests.support.clock import FakeClock
from tests.support.pebble import DOMAIN, running_pebble
from tests.support.ports import free_port
from tests.support.tls import LOOPBACK

IMPATIENT_ORDER_S = 8.0
NONCE_RETRIES = 3
Reply = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attest.certificates.acme_issuer.RESPONSE_MAX_BYTES", 4096)
    monkeypatch.setattr("attest.certificates.acme_issuer.NONCE_RETRIES", NONCE_RETRIES)
    monkeypatch.setattr("attest.certificates.acme_issuer.POLL_S", 0.01)
    monkeypatch.setattr("attest.certificates.acme_issuer.ORDER_TIMEOUT_S", 60.0)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short time-outs, for an authority that never ends its response."""
    monkeypatch.setattr("attest.certificates.acme_issuer.REQUEST_TIMEOUT_S", 2.0)
    monkeypatch.setattr("attest.certificates.acme_issuer.ORDER_TIMEOUT_S", IMPATIENT_ORDER_S)


class FalseAuthority:
    """Answers what the test says, by path; the paths before that as an authority would."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.asked: list[str] = []
        self.url = ""
        self.transports: set[asyncio.Transport] = set()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.path)
        assert isinstance(request.transport, asyncio.Transport)
        self.transports.add(request.transport)
        scripted = self.replies.get(request.path)
        response = await (scripted or self._usual)(request)
        if not response.prepared:
            response.headers.setdefault("Replay-Nonce", "bm9uY2U")
        return response

    async def _usual(self, request: web.BaseRequest) -> web.Response:
        if request.path == "/dir":
            names = ["newNonce", "newAccount", "newOrder", "revokeCert", "keyChange"]
            return web.json_response({name: f"{self.url}/{name}" for name in names})
        if request.path == "/newAccount":
            return web.json_response({"status": "valid"}, status=201, headers={"Location": f"{self.url}/account"})
        if request.path == "/newOrder":
            return web.json_response(self._order("pending"), status=201, headers={"Location": f"{self.url}/order"})
        if request.path == "/authorization":
            return web.json_response(self._authorization("valid"))
        if request.path == "/finalize":
            return web.json_response(self._order("processing"))
        return web.Response()

    def _order(self, status: str) -> dict[str, object]:
        return {
            "status": status,
            "identifiers": [{"type": "dns", "value": DOMAIN}],
            "authorizations": [f"{self.url}/authorization"],
            "finalize": f"{self.url}/finalize",
        }

    def _authorization(self, status: str) -> dict[str, object]:
        challenge = {"type": "http-01", "url": f"{self.url}/challenge", "status": status, "token": "A" * 43}
        return {"status": status, "identifier": {"type": "dns", "value": DOMAIN}, "challenges": [challenge]}


@contextlib.asynccontextmanager
async def standing(authority: FalseAuthority, directory: Path) -> AsyncIterator[AcmeIssuer]:
    """The authority on a port with a certificate the issuer believes."""
    made = await SelfSigned(LOOPBACK, 86_400.0, time.time).issue()
    (directory / "ca.pem").write_bytes(made.certificate.chain_pem)
    server = web.Server(authority.handle)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(server, LOOPBACK, 0, ssl=server_context(made))
    authority.url = f"https://{LOOPBACK}:{listening.sockets[0].getsockname()[1]}"
    key = ec.generate_private_key(ec.SECP256R1())
    settings, trust = AcmeSettings(acme_directory_url=f"{authority.url}/dir"), partial(own_trust, directory / "ca.pem")
    try:
        yield AcmeIssuer(settings, DOMAIN, key, trust, {Challenge.HTTP: HttpSolver(key)})
    finally:
        listening.close()
        for transport in authority.transports:
            transport.abort()
        await server.shutdown(0.1)
        await asyncio.sleep(0)


def says(status: int = 200, text: str = "", **headers: str) -> Reply:
    async def reply(_: web.BaseRequest) -> web.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(status=status, text=text, headers=named)

    return reply


def problem(kind: str, detail: str, status: int = 400, **headers: str) -> Reply:
    text = json.dumps({"type": f"urn:ietf:params:acme:error:{kind}", "detail": detail})
    return says(status, text, Content_Type="application/problem+json", **headers)


async def endless(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while True:
            await response.write(b" " * 1024)
            await asyncio.sleep(0)
    return response


async def dripping(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.1)
    return response


async def silent(_: web.BaseRequest) -> web.StreamResponse:
    await asyncio.sleep(60)
    return web.Response()


EVERYWHERE = ["/dir", "/newNonce", "/newAccount", "/newOrder", "/authorization", "/finalize", "/order"]
NONSENSE: dict[str, Reply] = {
    "server error": says(500, "<html>oops"),
    "garbage": says(200, "\x00garbage"),
    "list": says(200, "[1, 2]"),
    "null": says(200, "null"),
    "number": says(200, "7"),
    "wrong types": says(200, '{"status": 7, "authorizations": 7, "challenges": [7], "newNonce": [], "identifier": 1}'),
    "problem without words": says(400, "{}", Content_Type="application/problem+json"),
    "redirect": says(302, "", Location="http://127.0.0.1:1/"),
    "endless": endless,
    "deep": says(200, "[" * 1500 + "]" * 1500),
}


@pytest.mark.parametrize("what", NONSENSE)
@pytest.mark.parametrize("path", EVERYWHERE)
async def test_nonsense_is_an_error_of_ours(tmp_path: Path, path: str, what: str) -> None:
    authority = FalseAuthority()
    authority.replies[path] = NONSENSE[what]
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError) as refused:
            await issuer.issue()
    assert refused.value.code is AttestErrorCode.ACME
    assert path in authority.asked


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("reply", "words"),
    [(silent, "out of reach"), (dripping, "took too long"), (endless, "too large")],
    ids=["silent", "dripping", "endless"],
)
@pytest.mark.usefixtures("impatient")
async def test_an_authority_that_does_not_come_to_an_end_is_left(tmp_path: Path, reply: Reply, words: str) -> None:
    authority = FalseAuthority()
    authority.replies["/newOrder"] = reply
    async with standing(authority, tmp_path) as issuer, asyncio.timeout(IMPATIENT_ORDER_S + 20):
        with pytest.raises(AttestError, match=words):
            await issuer.issue()


async def test_a_rate_limit_says_how_long(tmp_path: Path) -> None:
    authority = FalseAuthority()
    authority.replies["/newOrder"] = problem("rateLimited", "too many\ncertificates", 429, Retry_After="777")
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="too many certificates") as refused:
            await issuer.issue()
    assert refused.value.retry_after_s == 777


@pytest.mark.parametrize("value", ["-1", "soon", "9" * 30, "Wed, 21 Oct 2099 07:28:00 GMT", ""])
async def test_a_strange_retry_after_counts_for_nothing(tmp_path: Path, value: str) -> None:
    authority = FalseAuthority()
    authority.replies["/newOrder"] = problem("rateLimited", "x", 429, Retry_After=value)
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError) as refused:
            await issuer.issue()
    assert refused.value.retry_after_s is None


async def test_an_order_that_becomes_invalid_is_said_with_the_authoritys_words(tmp_path: Path) -> None:
    authority = FalseAuthority()
    error = {"type": "urn:ietf:params:acme:error:caa", "detail": "CAA forbids\x1b[31m it" + "!" * 3000}

    async def invalid(_: web.BaseRequest) -> web.Response:
        return web.json_response(authority._order("invalid") | {"error": error})

    authority.replies["/order"] = invalid
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="CAA forbids") as refused:
            await issuer.issue()
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 400


async def test_nonces_are_refused_for_ever(tmp_path: Path) -> None:
    authority = FalseAuthority()
    authority.replies["/newOrder"] = problem("badNonce", "stale")
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="refused"):
            await issuer.issue()
    assert authority.asked.count("/newOrder") == NONCE_RETRIES + 1


async def test_an_address_without_tls_is_not_asked(tmp_path: Path) -> None:
    authority = FalseAuthority()

    async def directory(_: web.BaseRequest) -> web.Response:
        return web.json_response(dict.fromkeys(("newNonce", "newAccount", "newOrder"), "http://127.0.0.1:1/"))

    authority.replies["/dir"] = directory
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="no sense"):
            await issuer.issue()


async def test_an_authority_that_wants_an_external_account_is_said(tmp_path: Path) -> None:
    authority = FalseAuthority()

    async def directory(_: web.BaseRequest) -> web.Response:
        return web.json_response({"newNonce": f"{authority.url}/n", "meta": {"externalAccountRequired": True}})

    authority.replies["/dir"] = directory
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="external account"):
            await issuer.issue()


async def test_a_certificate_of_another_key_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    authority = FalseAuthority()
    other = await SelfSigned(DOMAIN, 86_400.0, clock).issue()

    async def valid(_: web.BaseRequest) -> web.Response:
        return web.json_response(authority._order("valid") | {"certificate": f"{authority.url}/certificate"})

    authority.replies |= {"/order": valid, "/certificate": says(200, other.certificate.chain_pem.decode())}
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="not of this private key") as refused:
            await issuer.issue()
    assert refused.value.code is AttestErrorCode.CERTIFICATE


async def test_the_environment_names_neither_a_proxy_nor_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.setenv(name, str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    authority = FalseAuthority()
    authority.replies["/newOrder"] = problem("rateLimited", "reached", 429)
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="reached"):
            await issuer.issue()
    assert not (tmp_path / "keys").exists()


async def test_nobody_is_trusted_beside_the_given_authorities(tmp_path: Path) -> None:
    authority = FalseAuthority()
    async with standing(authority, tmp_path):
        tls = own_trust(tmp_path / "ca.pem")
        network = AcmeNetwork(ec.generate_private_key(ec.SECP256R1()), tls)
        await asyncio.to_thread(network.get, f"{authority.url}/dir")
        network.session.close()
    assert authority.asked == ["/dir"]
    assert tls.cert_store_stats()["x509"] == 1


@pytest.mark.parametrize("name", ["other.example.test", f"x.{DOMAIN}", f"{DOMAIN}; rm -rf /", "a\nb", "", "..", "*"])
async def test_a_proof_is_of_our_own_name_alone(tmp_path: Path, name: str) -> None:
    authority = FalseAuthority()

    async def of_another(_: web.BaseRequest) -> web.Response:
        return web.json_response(authority._authorization("pending") | {"identifier": {"type": "dns", "value": name}})

    authority.replies["/authorization"] = of_another
    async with standing(authority, tmp_path) as issuer:
        with pytest.raises(AttestError, match="another name"):
            await issuer.issue()
    assert "/challenge" not in authority.asked


@pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")
async def test_a_certificate_with_a_wrong_byte_is_read_or_is_an_error_of_ours(clock: FakeClock) -> None:
    whole = (await SelfSigned(DOMAIN, 86_400.0, clock).issue()).certificate.leaf_der
    read, refused = 0, []
    for at in range(len(whole)):
        for value in {0x00, 0x01, 0x7F, 0x80, 0xFF} - {whole[at]}:
            changed = whole[:at] + bytes([value]) + whole[at + 1 :]
            try:
                read_certificate(ssl.DER_cert_to_PEM_cert(changed).encode(), DOMAIN)
                read += 1
            except AttestError as error:
                refused.append(error.code)
    assert set(refused) == {AttestErrorCode.CERTIFICATE}
    assert min(read, len(refused)) > 100


HOOKS = {
    "fails": ("exit 3", "exit code 3"),
    "hangs": ("sleep 600 & wait", "took too long"),
    "noisy": ("yes secret-credential | head -c 10000000; exit 1", "exit code 1"),
}


@pytest.mark.parametrize("what", HOOKS)
async def test_a_hook_that_goes_wrong_is_said_and_ended(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script, words = HOOKS[what]
    if what == "hangs":
        monkeypatch.setattr("attest.certificates.challenges.DNS_HOOK_TIMEOUT_S", 1.0)
    solver = DnsHookSolver(["/bin/sh", "-c", script], {"PATH": "/usr/bin:/bin"}, 0.0)
    with pytest.raises(AttestError, match=words) as refused:
        async with solver.presenting(DOMAIN, "token.thumbprint"):
            pass
    assert "secret" not in refused.value.message


async def test_a_hook_that_is_not_there_is_said(tmp_path: Path) -> None:
    solver = DnsHookSolver([str(tmp_path / "none")], {}, 0.0)
    with pytest.raises(AttestError, match="cannot be run"):
        async with solver.presenting(DOMAIN, "token.thumbprint"):
            pass


async def test_a_hook_sees_nothing_of_the_nodes_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_RPC_AUTHORIZATION", "hush")
    command = [sys.executable, "-c", f"import os; open({str(tmp_path / 'seen')!r}, 'a').write(str(dict(os.environ)))"]
    async with DnsHookSolver(command, {"GIVEN": "1"}, 0.0).presenting(DOMAIN, "t.t"):
        pass
    seen = (tmp_path / "seen").read_text()
    assert "GIVEN" in seen
    assert "hush" not in seen


@pytest.mark.exhaustive
async def test_a_real_authority_that_cannot_reach_the_node_says_so(tmp_path: Path) -> None:
    with running_pebble(tmp_path / "pebble", free_port(), free_port()) as pebble:
        key = ec.generate_private_key(ec.SECP256R1())
        settings, trust = AcmeSettings(acme_directory_url=pebble.directory_url), partial(own_trust, pebble.ca_file)
        issuer = AcmeIssuer(settings, DOMAIN, key, trust, {Challenge.HTTP: HttpSolver(key)})
        with pytest.raises(AttestError, match=r"not accepted: .*connection refused"):
            await issuer.issue()
