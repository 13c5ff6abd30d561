"""The port with TLS behind proxies that name their clients: who is believed, and what neither side can hold up."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator

import pytest

from attest.certificates.credentials import Credentials
from node.http.rate import Proxies
from tests.support.pebble import DOMAIN
from tests.support.proxy import LOCAL, UNKNOWN, V2_START, binary, connected, line
from tests.support.tls import LOOPBACK, TlsPort, tls_port, trusting_nobody

UNLISTED = "127.0.0.2"
ONE, OTHER = "198.51.100.7", "203.0.113.9"
NEVER_LATER_S = 20.0


@contextlib.asynccontextmanager
async def behind_a_proxy(credentials: Credentials, handshakes_max: int = 1024) -> AsyncIterator[TlsPort]:
    async with tls_port(handshakes_max, Proxies([LOOPBACK])) as port:
        await port.served.adopt(credentials)
        yield port


@contextlib.asynccontextmanager
async def opened(
    port: TlsPort, header: bytes, source: str = LOOPBACK, at_once: int = 600
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection on which so much was sent."""
    reader, writer = await asyncio.open_connection(LOOPBACK, port.port, local_addr=(source, 0))
    try:
        for start in range(0, len(header), at_once):
            writer.write(header[start : start + at_once])
            await asyncio.sleep(0)
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _leaf(port: int, header: bytes, source: str, at_once: int, alpn: str) -> bytes:
    context = trusting_nobody()
    if alpn:
        context.set_alpn_protocols([alpn])
    with connected(port, header, source, context, DOMAIN, at_once) as tls:
        assert isinstance(tls, ssl.SSLSocket)
        leaf = tls.getpeercert(True)
        assert leaf is not None
        return leaf


async def leaf_of(port: TlsPort, header: bytes, source: str = LOOPBACK, at_once: int = 600, alpn: str = "") -> bytes:
    """The certificate shown after this header. Raises OSError when the connection is closed instead."""
    try:
        return await asyncio.to_thread(_leaf, port.port, header, source, at_once, alpn)
    except TimeoutError:
        raise AssertionError("neither served nor closed") from None


async def ended(reader: asyncio.StreamReader) -> None:
    async with asyncio.timeout(NEVER_LATER_S):
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""


@pytest.mark.parametrize("at_once", [1, 15, 600])
@pytest.mark.parametrize(
    ("header", "client"),
    [
        (line(ONE), ONE),
        (line("2001:db8::7"), "2001:db8::7"),
        (binary(ONE, b"\x04\x00\x01x"), ONE),
        (binary("2001:db8::7"), "2001:db8::7"),
        (LOCAL, None),
        (UNKNOWN, None),
    ],
)
@pytest.mark.parametrize("proving", [False, True])
async def test_a_listed_proxy_names_its_client_before_the_handshake(
    credentials: Credentials, header: bytes, client: str | None, at_once: int, proving: bool
) -> None:
    async with behind_a_proxy(credentials) as port, contextlib.AsyncExitStack() as stack:
        if proving:
            await stack.enter_async_context(port.proofs.presenting(DOMAIN, "token.thumbprint"))
        assert await leaf_of(port, header, at_once=at_once) == credentials.certificate.leaf_der
        assert port.clients == [client]


async def test_the_certificate_authority_gets_its_proof_through_the_proxy(credentials: Credentials) -> None:
    async with behind_a_proxy(credentials) as port, port.proofs.presenting(DOMAIN, "token.thumbprint"):
        proof = await leaf_of(port, binary(ONE), alpn="acme-tls/1")
        assert proof != credentials.certificate.leaf_der
        assert await leaf_of(port, binary(ONE), alpn="http/1.1") == credentials.certificate.leaf_der
        assert port.clients == [ONE]


@pytest.mark.parametrize("header", [line(ONE), binary(ONE), LOCAL])
async def test_nobody_else_is_believed(credentials: Credentials, header: bytes) -> None:
    async with behind_a_proxy(credentials) as port:
        with pytest.raises(OSError):  # noqa: PT011 - refused by TLS or by a reset
            await leaf_of(port, header, UNLISTED)
        assert await leaf_of(port, b"", UNLISTED) == credentials.certificate.leaf_der
        assert set(port.clients) == {None}


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"PROXY TCP4 198.51.100.7\r\n",
        b"PROXY UNKNOWN " + b"x" * 200,
        V2_START + b"\x21\x11\xff\xff" + bytes(100),
        line(ONE)[:-2] + b"\n",
    ],
)
async def test_a_proxys_connection_without_a_valid_header_is_closed(credentials: Credentials, header: bytes) -> None:
    async with behind_a_proxy(credentials) as port:
        with pytest.raises(OSError):  # noqa: PT011 - an end and a reset are both an end
            await leaf_of(port, header)
        assert port.clients == []
        assert await leaf_of(port, line(ONE)) == credentials.certificate.leaf_der


@pytest.mark.exhaustive
@pytest.mark.parametrize("sent", [b"", b"P", line(ONE)[:-1], binary(ONE)[:20], line(ONE)])
async def test_a_header_that_does_not_arrive_is_waited_for_no_longer_than_a_handshake(
    credentials: Credentials, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.http.listener.HANDSHAKE_TIMEOUT_S", 3.0)
    async with behind_a_proxy(credentials) as port:
        async with opened(port, sent) as (reader, _):
            await ended(reader)
        assert await leaf_of(port, line(ONE)) == credentials.certificate.leaf_der


@pytest.mark.parametrize("sent", [b"", b"PROXY ", binary(ONE)[:14]])
async def test_who_goes_away_in_the_middle_of_the_header_is_forgotten(credentials: Credentials, sent: bytes) -> None:
    async with behind_a_proxy(credentials) as port:
        async with opened(port, sent) as (reader, writer):
            writer.write_eof()
            await ended(reader)
        await _none_on_its_way(port)


async def test_one_client_of_a_proxy_has_at_most_half_of_the_handshakes(credentials: Credentials) -> None:
    async with behind_a_proxy(credentials, 6) as port:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(opened(port, binary(ONE)))
            await port.under_way(3, ONE)
            with pytest.raises(OSError):  # noqa: PT011 - an end and a reset are both an end
                await leaf_of(port, line(ONE))
            assert await leaf_of(port, line(OTHER)) == credentials.certificate.leaf_der
            assert await leaf_of(port, b"", UNLISTED) == credentials.certificate.leaf_der
        await _none_on_its_way(port)
        assert await leaf_of(port, line(ONE)) == credentials.certificate.leaf_der


async def test_connections_of_a_proxy_without_a_header_yet_count_among_all(credentials: Credentials) -> None:
    async with behind_a_proxy(credentials, 4) as port:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(opened(port, b""))
            await port.under_way(3)
            assert await leaf_of(port, line(ONE)) == credentials.certificate.leaf_der
            await port.under_way(3)
            reader, _ = await stack.enter_async_context(opened(port, b""))
            await port.under_way(4)
            with pytest.raises(OSError):  # noqa: PT011 - an end and a reset are both an end
                await leaf_of(port, line(OTHER))
            assert not reader.at_eof()
        await _none_on_its_way(port)


async def _none_on_its_way(port: TlsPort) -> None:
    async with asyncio.timeout(NEVER_LATER_S):
        while port.listener._handshakes:
            await port.listener._handshakes.drain()
    assert not port.listener._by_address
