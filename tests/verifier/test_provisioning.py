"""A provisioning service: what it is asked, in which forms it may answer, and what is said of one that does not."""

import asyncio
import base64
import gzip
import json
import os
import socket
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import quote_plus, unquote

import pytest

from svc_verifier.check import Status, Verdict
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.formats.addresses import INTEL_PCS, INTEL_ROOT_CRL
from svc_verifier.gathering.collateral import ProvisioningService, fetch_collateral
from svc_verifier.gathering.gather import sources
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.gathering.provisioning import DOCUMENT_BYTES, UnansweredError, wanted_of
from svc_verifier.material import Missing, Platform
from svc_verifier.tdx.dcap import platform_of
from tests.support.attested.look import PLATFORM, Look, development_trust
from tests.support.attested.td import NOW_S
from tests.support.fixtures import FIXTURES, needs_fixtures, read_json
from tests.support.provisioning import Change, Service, changed, every, renamed, rewritten
from tests.support.tls import LOOPBACK
from tests.verifier.test_session import proxy

LIMITS: Final = GatheringLimits(collateral_timeout_s=20.0)
QUOTE: Final = bytes.fromhex(Look().attestation["quote"])
THIS_PLATFORM: Final = platform_of(QUOTE)
TCB: Final = f"/tdx/certification/v4/tcb?fmspc={PLATFORM[0]}"
ASKED: Final = [
    TCB,
    "/tdx/certification/v4/qe/identity",
    "/sgx/certification/v4/pckcrl?ca=platform&encoding=der",
    "/sgx/certification/v4/rootcacrl",
]


def pem_crl(der: bytes) -> bytes:
    return b"-----BEGIN X509 CRL-----\n" + base64.encodebytes(der) + b"-----END X509 CRL-----\n"


FORMS: Final[dict[str, Change]] = {
    "as Intel writes it": lambda _, answer: answer,
    "names of headers in lower case": renamed(str.lower),
    "the header of SGX": renamed(lambda name: name.replace("TCB-Info", "SGX-TCB-Info")),
    "chains with + for blanks": renamed(str, lambda chain: quote_plus(unquote(chain))),
    "the PCK CRL in PEM": rewritten("pck_crl", pem_crl),
    "the PCK CRL in hex": rewritten("pck_crl", lambda der: der.hex().encode()),
    "the PCK CRL in upper-case hex": rewritten("pck_crl", lambda der: der.hex().upper().encode()),
    "the root CA CRL in DER": rewritten("root_ca_crl", lambda text: bytes.fromhex(text.decode())),
    "the root CA CRL in PEM": rewritten("root_ca_crl", lambda text: pem_crl(bytes.fromhex(text.decode()))),
    "the root CA CRL in upper-case hex": rewritten("root_ca_crl", bytes.upper),
    "the root CA CRL after 0x": rewritten("root_ca_crl", lambda text: b"0x" + text),
    "the root CA CRL before a line's end": rewritten("root_ca_crl", lambda text: text + b"\n"),
    "blanks around members": rewritten(
        "tcb_info", lambda body: body.replace(b'{"tcbInfo":', b'{ "tcbInfo" :\n ').replace(b',"signature"', b' , "signature"')
    ),
    "the signature first": rewritten(
        "tcb_info",
        lambda body: b'{"signature":' + body.rpartition(b',"signature":')[2][:-1] + b"," + body[1:].rpartition(b',"signature":')[0] + b"}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
async def test_every_form_of_an_answer_is_read(form: str) -> None:
    async with Service(change=FORMS[form]).running() as service:
        found = await fetch_collateral([QUOTE.hex()], ProvisioningService(LIMITS, service.url))
    assert isinstance(found, dict), found
    checks = {check.id: check for check in check_hardware(QUOTE.hex(), found, development_trust(), NOW_S).checks}
    for name in ("collateral", "signers", "signatures", "tcb-status"):
        assert checks[f"hardware.{name}"].status is Status.PASSED, checks[f"hardware.{name}"].why
    assert service.asked == ASKED


HTML: Final = b"<html>captive portal</html>"
REFUSALS: Final[dict[str, tuple[Change, str, int]]] = {
    "404": (changed("tcb_info", status=404, body=b""), "does not have the TCB info of FMSPC DE0DE0000000 (HTTP 404)", 1),
    "404 of the PCK CRL": (changed("pck_crl", status=404), "does not have the PCK CRL of the platform CA (HTTP 404)", 3),
    "404 of the root CA CRL": (changed("root_ca_crl", status=404), "does not have the root CA CRL (HTTP 404)", 4),
    "461, as caches say it": (every(status=461), "refuses the TCB info of FMSPC DE0DE0000000 (HTTP 461)", 1),
    "a redirect": (every(status=302, headers={"Location": "/elsewhere"}), "redirects (HTTP 302), which is not followed", 1),
    "a page": (every(body=HTML, headers={"Content-Type": "text/html"}), "answers with a web page (HTML)", 1),
    "a page that does not say so": (every(body=HTML), "answers with a web page (HTML)", 1),
    "no chain": (changed("tcb_info", headers={}), "without the header TCB-Info-Issuer-Chain", 1),
    "no chain of the QE identity": (changed("qe_identity", headers={}), "without the header SGX-Enclave-Identity-Issuer", 2),
    "gzip": (
        lambda _, answer: replace(answer, body=gzip.compress(answer.body), headers=answer.headers | {"Content-Encoding": "gzip"}),
        "answers compressed ('gzip')",
        1,
    ),
    "one byte too many": (changed("pck_crl", body=b"0" * (DOCUMENT_BYTES + 1)), f"more than {DOCUMENT_BYTES} bytes", 3),
    "no JSON": (changed("tcb_info", body=b"oops"), "the TCB info: is no JSON", 4),
    "no TCB info in JSON": (changed("tcb_info", body=b'{"signature":""}'), "the TCB info: has no tcbInfo", 4),
    "a byte order mark": (rewritten("tcb_info", lambda body: b"\xef\xbb\xbf" + body), "the TCB info: is no JSON", 4),
    "an empty CRL": (changed("pck_crl", body=b"zz"), "the PCK CRL is no CRL in DER, PEM or hex", 4),
}  # fmt: skip
SILENT: Final[dict[str, tuple[Change, str, int]]] = {
    "429": (every(status=429, headers={"Retry-After": "30"}), "too many requests (HTTP 429, Retry-After: '30')", 1),
    "429 without a time": (every(status=429), "too many requests (HTTP 429)", 1),
    "500": (every(status=500), "fails (HTTP 500)", 1),
    "503 at the end": (changed("root_ca_crl", status=503), "fails (HTTP 503)", 4),
}


@pytest.mark.parametrize("name", [*REFUSALS, *SILENT])
async def test_what_is_no_document_says_what_it_is(name: str) -> None:
    change, said, requests = (REFUSALS | SILENT)[name]
    async with Service(change=change).running() as service:
        with pytest.raises(LookupError) as refused:
            await ProvisioningService(LIMITS, service.url).fetch(QUOTE, THIS_PLATFORM)
    assert isinstance(refused.value, UnansweredError) == (name in SILENT)
    assert said in str(refused.value)
    assert "provisioning service" in str(refused.value)
    assert len(service.asked) == requests


async def test_why_there_is_no_collateral_reaches_the_report() -> None:
    async with Service(change=every(status=429)).running() as service:
        found = await fetch_collateral([QUOTE.hex()], ProvisioningService(LIMITS, service.url))
    assert isinstance(found, Missing)
    checks = {check.id: check for check in check_hardware(QUOTE.hex(), found, development_trust(), NOW_S).checks}
    assert checks["hardware.collateral"].status is Status.UNKNOWN
    assert "has too many requests (HTTP 429)" in checks["hardware.collateral"].why
    assert "--collateral-url" in checks["hardware.collateral"].fix


def unused_port() -> int:
    with closing(socket.socket()) as free:
        free.bind((LOOPBACK, 0))
        return int(free.getsockname()[1])


UNREACHED: Final = {
    "refused": (f"http://{LOOPBACK}:{unused_port()}", UnansweredError, "cannot be connected to (Connection refused)"),
    "refused by https": (f"https://{LOOPBACK}:{unused_port()}", UnansweredError, "cannot be connected to (Connection refused)"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREACHED)
async def test_a_service_that_is_not_there_says_why(name: str) -> None:
    url, kind, said = UNREACHED[name]
    with pytest.raises(LookupError) as refused:
        await ProvisioningService(LIMITS, url).fetch(QUOTE, THIS_PLATFORM)
    assert type(refused.value) is kind
    assert said in str(refused.value)


async def test_a_service_of_an_unknown_name_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nobody_knows(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", nobody_knows)
    with pytest.raises(UnansweredError, match="its name is not known"):
        await ProvisioningService(LIMITS, "http://nowhere.invalid").fetch(QUOTE, THIS_PLATFORM)


async def test_tls_that_is_none_is_said_to_be_none_and_counts_as_an_answer() -> None:
    async with Service().running() as service:
        url = service.url.replace("http:", "https:")
        with pytest.raises(LookupError, match="speaks no TLS that is accepted") as refused:
            await ProvisioningService(LIMITS, url).fetch(QUOTE, THIS_PLATFORM)
    assert not isinstance(refused.value, UnansweredError)


async def test_a_service_that_is_late_has_given_no_answer() -> None:
    waiting = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await waiting.wait()
        writer.close()

    server = await asyncio.start_server(silent, LOOPBACK, 0)
    url = f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}"
    try:
        with pytest.raises(UnansweredError, match=r"did not answer in 0\.2 s"):
            await ProvisioningService(replace(LIMITS, collateral_timeout_s=0.2), url).fetch(QUOTE, THIS_PLATFORM)
    finally:
        waiting.set()
        server.close()


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (b"\x00\x01 what?\r\n\r\n", LookupError, "gives no answer that can be read"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\nConnection: close\r\n\r\n{",
            LookupError,
            "gives no answer that can be read",
        ),
        (b"", UnansweredError, "ends the connection without an answer"),
    ],
)
async def test_what_is_no_http_is_told(answer: bytes, kind: type[LookupError], said: str) -> None:
    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(meet, LOOPBACK, 0)
    url = f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}"
    try:
        with pytest.raises(LookupError, match=said) as refused:
            await ProvisioningService(LIMITS, url).fetch(QUOTE, THIS_PLATFORM)
    finally:
        server.close()
    assert type(refused.value) is kind


async def test_of_an_answer_without_end_little_is_taken() -> None:
    async with Service(change=changed("tcb_info", body=b" " * 100_000_000)).running() as service:
        with pytest.raises(LookupError, match="more than"):
            await ProvisioningService(LIMITS, service.url).fetch(QUOTE, THIS_PLATFORM)
    assert service.written < 16_777_216, "what lies in buffers of sockets"


PREFIXES: Final = ("", "/", "/sgx/certification/v4/", "/tdx/certification/v4", "/sgx/certification/v3/", "?a=b", "#a")


@pytest.mark.parametrize("behind", PREFIXES)
async def test_addresses_are_made_from_the_services_url(behind: str) -> None:
    async with Service(prefix="/pccs").running() as service:
        await ProvisioningService(LIMITS, service.url + behind).fetch(QUOTE, THIS_PLATFORM)
    assert service.asked == [f"/pccs{path}" for path in ASKED]


def test_intels_root_crl_has_an_address_of_its_own() -> None:
    asked = {name: str(wanted.url) for name, wanted in wanted_of(INTEL_PCS, THIS_PLATFORM).items()}
    assert asked.pop("root_ca_crl") == INTEL_ROOT_CRL
    assert list(asked.values()) == [INTEL_PCS + path for path in ASKED[:3]]


@pytest.mark.parametrize("named", [{"fmspc": "00&x=1"}, {"fmspc": "../../../"}, {"ca": "platform&x"}, {"ca": ""}])
async def test_what_a_quote_names_becomes_no_part_of_an_address(named: dict[str, str]) -> None:
    odd: Platform = replace(THIS_PLATFORM, **named)  # type: ignore[arg-type]
    async with Service().running() as service:
        with pytest.raises(LookupError, match="names no platform family"):
            await ProvisioningService(LIMITS, service.url).fetch(QUOTE, odd)
    assert service.asked == []


async def test_the_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{LOOPBACK}:{unused_port()}")
    async with Service().running() as service:
        await ProvisioningService(LIMITS, service.url).fetch(QUOTE, THIS_PLATFORM)
    assert service.asked == ASKED


async def test_an_http_service_is_asked_through_a_tunnel() -> None:
    async with Service().running() as service, proxy() as between:
        named = replace(sources(service.url), proxy_url=f"http://user:p%40ss@{LOOPBACK}:{between.port}")
        found = await fetch_collateral([QUOTE.hex()], named.collateral)
    assert isinstance(found, dict)
    assert service.asked == ASKED
    place = service.url.removeprefix("http://").encode()
    login = base64.b64encode(b"user:p@ss")
    assert between.asked, "nothing goes past the proxy"
    for head in between.asked:
        assert head.startswith(b"CONNECT " + place + b" HTTP/1.1\r\n")
        assert b"Proxy-Authorization: Basic " + login in head
        assert PLATFORM[0].encode() not in head
    assert login not in bytes(between.seen), "the service does not learn who the proxy knows"


async def test_a_proxy_that_refuses_or_is_not_there_is_named() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(refuse, LOOPBACK, 0)
    there, nowhere = server.sockets[0].getsockname()[1], unused_port()
    said = {there: r"the proxy refuses a tunnel to it \(HTTP 407\)", nowhere: "the proxy cannot be connected to"}
    try:
        async with Service().running() as service:
            for port, message in said.items():
                for url in (service.url, service.url.replace("http:", "https:")):
                    asked = ProvisioningService(LIMITS, url, f"http://{LOOPBACK}:{port}")
                    with pytest.raises(UnansweredError, match=message):
                        await asked.fetch(QUOTE, THIS_PLATFORM)
            assert service.asked == []
    finally:
        server.close()


async def imported(quote: Path, service: Service, cache: Path, *more: str) -> tuple[int, dict[str, dict[str, str]]]:
    """The exit code of an import that asks the service, and its checks by id."""
    arguments = ["import", str(quote), "--fetch-collateral", "--collateral-url", service.url, "--json", *more]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "svc_verifier",
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ
        | {"XDG_CACHE_HOME": str(cache), "HTTPS_PROXY": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1"},
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, {check["id"]: check for check in json.loads(said)["checks"]}


@needs_fixtures
@pytest.mark.exhaustive
async def test_the_command_asks_a_service_for_a_real_quote_through_a_tunnel(tmp_path: Path) -> None:
    recorded = read_json("recorded-2026/expected.json")["cases"]
    row = next(each for each in recorded if not each["note"] and each["tcb_status"] == "UpToDate")
    quote = FIXTURES / "recorded-2026/quotes" / row["quote"]
    moment = ("--at", str(row["at"]))
    real = read_json(f"recorded-2026/collateral/{row['collateral']}")
    async with Service(collateral=real).running() as service, proxy() as between:
        code, checks = await imported(quote, service, tmp_path, *moment, "--proxy", f"http://{LOOPBACK}:{between.port}")
    assert code == Verdict.UNDECIDED.exit_code, "an import never accepts"
    assert {checks[f"hardware.{name}"]["status"] for name in ("collateral", "signers", "signatures", "tcb-status")} == {
        "passed"
    }
    assert between.asked
    async with Service(collateral=real, change=every(status=429)).running() as service:
        code, checks = await imported(quote, service, tmp_path, *moment)
    assert code == Verdict.UNDECIDED.exit_code
    assert checks["hardware.collateral"]["status"] == "unknown"
    assert "HTTP 429" in checks["hardware.collateral"]["why"]
    assert checks["hardware.collateral"]["fix"]
