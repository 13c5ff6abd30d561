"""A real authority issues: each kind of proof is looked at by pebble, on our ports."""

import asyncio
import json
import stat
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec

from attest.certificates.acme_issuer import AcmeIssuer
from attest.certificates.challenges import Challenge, DnsHookSolver, HttpSolver, Solver, TlsAlpnSolver
from attest.certificates.credentials import Credentials
from attest.errors import AttestError, AttestErrorCode
from attest.settings import AcmeSettings
from node.runtime.tls_trust import own_trust
from tests.support.pebble import DOMAIN, Pebble, running_pebble
from tests.support.ports import free_port
from tests.support.tls import LOOPBACK, TlsPort, connection, shown_leaf, tls_port, trusting_nobody


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attest.certificates.acme_issuer.POLL_S", 0.05)
    monkeypatch.setattr("attest.certificates.acme_issuer.ORDER_TIMEOUT_S", 60.0)


class World:
    """An authority, the node's TLS port and its HTTP port with what answers proofs there."""

    def __init__(self, pebble: Pebble, tls: TlsPort, http: HttpSolver, account: ec.EllipticCurvePrivateKey) -> None:
        self.pebble = pebble
        self.tls = tls
        self.http = http
        self.account = account

    def issuer(
        self, solvers: Mapping[Challenge, Solver], account: ec.EllipticCurvePrivateKey | None = None
    ) -> AcmeIssuer:
        settings = AcmeSettings(acme_directory_url=self.pebble.directory_url, acme_contact=("operator@example.test",))
        trust = partial(own_trust, self.pebble.ca_file)
        return AcmeIssuer(settings, DOMAIN, account or self.account, trust, solvers)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    account = ec.generate_private_key(ec.SECP256R1())
    solver = HttpSolver(account)

    async def answer(request: web.BaseRequest) -> web.Response:
        text = solver.answer(request.path.removeprefix("/.well-known/acme-challenge/"))
        return web.Response(text=text) if text else web.Response(status=404)

    async with AsyncExitStack() as stack:
        tls = await stack.enter_async_context(tls_port())
        http = web.Server(answer)
        server = await asyncio.get_running_loop().create_server(http, LOOPBACK, 0)
        stack.push_async_callback(http.shutdown, 1.0)
        stack.callback(server.close)
        http_port = server.sockets[0].getsockname()[1]
        pebble = stack.enter_context(
            running_pebble(tmp_path / "pebble", http_port, tls.port, {"PEBBLE_WFE_NONCEREJECT": "20"})
        )
        yield World(pebble, tls, solver, account)


async def test_tls_alpn_01_proves_on_the_https_port(world: World) -> None:
    got = await world.issuer({Challenge.TLS_ALPN: world.tls.proofs}).issue()
    assert world.tls.proofs.context is None
    await world.tls.served.adopt(got)
    assert await shown_leaf(world.tls.port, DOMAIN) == got.certificate.leaf_der
    assert got.certificate.domain == DOMAIN


async def test_http_01_proves_on_the_http_port_with_nothing_to_remember(world: World) -> None:
    got = await world.issuer({Challenge.HTTP: world.http}).issue()
    assert got.certificate.chain_pem.count(b"BEGIN CERTIFICATE") >= 2


async def test_dns_01_proves_through_the_operators_command(world: World, tmp_path: Path) -> None:
    hook = tmp_path / "hook"
    calls = tmp_path / "calls"
    hook.write_text(
        f"#!{sys.executable}\n"
        "import json, sys, urllib.request\n"
        "action, name, value = sys.argv[1:]\n"
        f"open({str(calls)!r}, 'a').write(action + ' ' + name + '\\n')\n"
        "call = 'set-txt' if action == 'present' else 'clear-txt'\n"
        "body = json.dumps({'host': name + '.', 'value': value}).encode()\n"
        f"urllib.request.urlopen({world.pebble.dns_url!r} + '/' + call, body)\n"
    )
    hook.chmod(stat.S_IRWXU)
    solver = DnsHookSolver([str(hook)], {}, 0.0)
    got = await world.issuer({Challenge.DNS: solver}).issue()
    assert got.certificate.domain == DOMAIN
    assert calls.read_text().splitlines() == [f"present _acme-challenge.{DOMAIN}", f"cleanup _acme-challenge.{DOMAIN}"]


async def test_the_account_is_one_for_all_instances_and_keys_are_each_ones_own(world: World) -> None:
    solvers = {Challenge.HTTP: world.http}
    one, other = [await world.issuer(solvers).issue() for _ in range(2)]
    assert one.acme_account == other.acme_account
    assert json.loads(one.acme_account)["uri"].startswith("https://")
    assert one.certificate.spki_sha256 != other.certificate.spki_sha256


async def test_a_proof_that_another_account_gives_is_refused(world: World) -> None:
    stranger = ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(AttestError, match="not accepted") as refused:
        await world.issuer({Challenge.HTTP: world.http}, stranger).issue()
    assert refused.value.code is AttestErrorCode.ACME


async def test_after_a_failure_the_next_kind_of_proof_has_its_turn(world: World) -> None:
    nowhere = TlsAlpnSolver()
    issuer = world.issuer({Challenge.TLS_ALPN: nowhere, Challenge.HTTP: world.http})
    with pytest.raises(AttestError, match="not accepted"):
        await issuer.issue()
    assert (await issuer.issue()).certificate.domain == DOMAIN
    assert (await issuer.issue()).certificate.domain == DOMAIN


async def test_while_a_proof_is_open_others_are_served_as_ever(world: World) -> None:
    served = await world.issuer({Challenge.HTTP: world.http}).issue()
    await world.tls.served.adopt(served)
    async with world.tls.proofs.presenting(DOMAIN, "token.thumbprint"):
        assert await shown_leaf(world.tls.port, DOMAIN) == served.certificate.leaf_der
        asking = trusting_nobody()
        asking.set_alpn_protocols(["acme-tls/1"])
        async with connection(world.tls.port, DOMAIN, asking) as (reader, writer):
            assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "acme-tls/1"
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await reader.read() == b""


async def test_an_authority_that_is_not_there_is_said(tmp_path: Path) -> None:
    settings = AcmeSettings(acme_directory_url=f"https://127.0.0.1:{free_port()}/dir")
    account = ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(AttestError, match="out of reach") as refused:
        await AcmeIssuer(settings, DOMAIN, account, own_trust, {Challenge.TLS_ALPN: TlsAlpnSolver()}).issue()
    assert refused.value.code is AttestErrorCode.ACME


async def test_an_authority_whose_certificate_nobody_vouches_for_is_not_spoken_to(world: World) -> None:
    settings = AcmeSettings(acme_directory_url=world.pebble.directory_url)
    with pytest.raises(AttestError, match="out of reach"):
        await AcmeIssuer(settings, DOMAIN, world.account, own_trust, {Challenge.HTTP: world.http}).issue()


def test_credentials_do_not_print_their_key(credentials: Credentials) -> None:
    pem = credentials.key.pem().decode()
    assert pem.splitlines()[1] not in repr(credentials)
    assert "redacted" in repr(credentials)
