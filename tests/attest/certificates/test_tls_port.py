"""The port with TLS: who is served, who is not, and what nobody can hold up."""

import asyncio
import socket
import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attest.certificates.challenges import needed_bytes, offered_protocols
from attest.certificates.credentials import Credentials
from attest.certificates.renewal import SelfSigned
from tests.support.pebble import DOMAIN
from tests.support.tls import LOOPBACK, connection, peer_leaf, shown_leaf, tls_port, trusting_nobody

NO_HANDSHAKE = (ConnectionError, ssl.SSLError)
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def client_hello(protocols: list[str]) -> tuple[bytes, ssl.SSLObject, ssl.MemoryBIO, ssl.MemoryBIO]:
    """The first flight of Python's own client, and the client to go on with."""
    context = trusting_nobody()
    if protocols:
        context.set_alpn_protocols(protocols)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname=DOMAIN)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read(), client, incoming, outgoing


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    writer.write(REQUEST)
    await reader.readuntil(b"\r\n\r\n")
    return await reader.readexactly(len(b"hello"))


async def test_before_the_first_certificate_connections_are_closed() -> None:
    async with tls_port() as port:
        with pytest.raises(NO_HANDSHAKE):
            await shown_leaf(port.port, DOMAIN)


async def test_a_swap_drops_no_connection_and_shows_the_new_certificate_to_new_ones(
    credentials: Credentials, issuer: SelfSigned
) -> None:
    async with tls_port() as port:
        await port.served.adopt(credentials)
        async with connection(port.port, DOMAIN) as (reader, writer):
            assert await ask(reader, writer) == b"hello"
            following = await issuer.issue()
            await port.served.adopt(following)
            assert await ask(reader, writer) == b"hello"
            assert peer_leaf(writer) == credentials.certificate.leaf_der
        assert await shown_leaf(port.port, DOMAIN) == following.certificate.leaf_der


@pytest.mark.parametrize("name", ["", "another.example.test"])
async def test_the_certificate_does_not_depend_on_the_name_a_client_asks_for(
    credentials: Credentials, name: str
) -> None:
    async with tls_port() as port:
        await port.served.adopt(credentials)
        assert await shown_leaf(port.port, name) == credentials.certificate.leaf_der


async def test_tls_1_3_and_nothing_older(credentials: Credentials) -> None:
    async with tls_port() as port:
        await port.served.adopt(credentials)
        async with connection(port.port, DOMAIN) as (_, writer):
            assert writer.get_extra_info("ssl_object").version() == "TLSv1.3"
        older = trusting_nobody()
        older.maximum_version = ssl.TLSVersion.TLSv1_2
        with pytest.raises(NO_HANDSHAKE):
            async with connection(port.port, DOMAIN, older):
                pass


def without_tls(port: int, sent: bytes) -> bytes:
    """Send bytes; returns what comes until the connection ends."""
    received = b""
    with socket.create_connection((LOOPBACK, port)) as raw:
        raw.settimeout(20)
        raw.sendall(sent)
        while more := raw.recv(1000):
            received += more
    return received


ALERT, UNEXPECTED_MESSAGE = 21, 10
"""RFC 8446, 5.1 and 6."""
NO_HELLO = b"\x16\x03\x01\x00\x04\x0b\x00\x00\x00"
"""A handshake that begins with a certificate."""


async def test_a_refused_handshake_says_why(credentials: Credentials) -> None:
    older = trusting_nobody()
    older.maximum_version = ssl.TLSVersion.TLSv1_2
    async with tls_port() as port:
        await port.served.adopt(credentials)
        with pytest.raises(ssl.SSLError, match="ALERT_PROTOCOL_VERSION"):
            async with connection(port.port, DOMAIN, older):
                pass
        told = await asyncio.to_thread(without_tls, port.port, NO_HELLO)
        assert (told[0], told[-1]) == (ALERT, UNEXPECTED_MESSAGE)


async def test_a_damaged_record_is_told_of(credentials: Credentials) -> None:
    def told(port: int) -> str:
        hello, client, incoming, outgoing = client_hello([])
        with socket.create_connection((LOOPBACK, port)) as raw:
            raw.settimeout(20)
            raw.sendall(hello)
            while True:
                incoming.write(raw.recv(65_536))
                try:
                    client.do_handshake()
                except ssl.SSLWantReadError:
                    continue
                break
            raw.sendall(outgoing.read() + b"\x17\x03\x03\x00\x20" + bytes(32))
            while True:
                more = raw.recv(65_536)
                incoming.write(more) if more else incoming.write_eof()
                try:
                    client.read(1)
                except ssl.SSLWantReadError:
                    continue
                except ssl.SSLError as error:
                    return error.reason

    async with tls_port() as port:
        await port.served.adopt(credentials)
        assert "BAD_RECORD_MAC" in await asyncio.to_thread(told, port.port)


async def test_no_session_is_resumed_so_every_connection_shows_its_certificate(credentials: Credentials) -> None:
    def twice(port: int) -> bool:
        context, session = trusting_nobody(), None
        for _ in range(2):
            with (
                socket.create_connection((LOOPBACK, port)) as raw,
                context.wrap_socket(raw, server_hostname=DOMAIN, session=session) as tls,
            ):
                tls.sendall(REQUEST)
                assert tls.recv(1000)
                session, reused = tls.session, tls.session_reused
        return bool(reused or (session is not None and session.has_ticket))

    async with tls_port() as port:
        await port.served.adopt(credentials)
        assert not await asyncio.to_thread(twice, port.port)


@pytest.mark.exhaustive
@pytest.mark.parametrize("proving", [False, True])
async def test_a_client_that_never_shakes_hands_is_dropped_and_holds_nobody_up(
    credentials: Credentials, proving: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hello, *_ = client_hello([])
    monkeypatch.setattr("node.http.listener.HANDSHAKE_TIMEOUT_S", 3.0)
    async with tls_port() as port:
        await port.served.adopt(credentials)
        manager = port.proofs.presenting(DOMAIN, "token.thumbprint")
        if proving:
            await manager.__aenter__()
        idle = [await asyncio.open_connection(LOOPBACK, port.port) for _ in range(3)]
        for (_, writer), sent in zip(idle, [b"", hello[:3], hello[:100]], strict=True):
            writer.write(sent)
        assert await shown_leaf(port.port, DOMAIN) == credentials.certificate.leaf_der
        for reader, writer in idle:
            async with asyncio.timeout(20):
                with ConnectionEnded():
                    assert await reader.read() == b""
            writer.close()
        if proving:
            await manager.__aexit__(None, None, None)


class ConnectionEnded:
    """An orderly end and a reset are both an end."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, ConnectionError)


async def test_one_address_has_at_most_half_of_the_handshakes(credentials: Credentials) -> None:
    async with tls_port(4) as port:
        await port.served.adopt(credentials)
        idle = [await asyncio.open_connection(LOOPBACK, port.port) for _ in range(2)]
        await port.under_way(2, LOOPBACK)
        with pytest.raises(NO_HANDSHAKE):
            await shown_leaf(port.port, DOMAIN)
        for reader, writer in idle:
            writer.close()
            with ConnectionEnded():
                await reader.read()
        async with asyncio.timeout(10):
            while port.listener._handshakes:
                await port.listener._handshakes.drain()
        assert await shown_leaf(port.port, DOMAIN) == credentials.certificate.leaf_der


async def test_a_hello_that_comes_in_pieces_while_a_proof_is_open_is_waited_for_without_spinning(
    credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def counted(start: bytes) -> int | None:
        looks.append(len(start))
        return needed_bytes(start)

    monkeypatch.setattr("attest.certificates.challenges.needed_bytes", counted)
    hello, client, incoming, outgoing = client_hello(["http/1.1"])
    async with tls_port() as port:
        await port.served.adopt(credentials)
        async with port.proofs.presenting(DOMAIN, "token.thumbprint"):
            reader, writer = await asyncio.open_connection(LOOPBACK, port.port)
            for piece in (hello[:1], hello[1:4], hello[4:200]):
                writer.write(piece)
                await writer.drain()
                assert await shown_leaf(port.port, DOMAIN) == credentials.certificate.leaf_der
            writer.write(hello[200:])
            async with asyncio.timeout(10):
                while True:
                    incoming.write(await reader.read(65_536))
                    try:
                        client.do_handshake()
                        break
                    except ssl.SSLWantReadError:
                        pass
            writer.write(outgoing.read())
            assert client.selected_alpn_protocol() == "http/1.1"
            writer.close()
    of_this_hello = [length for length in looks if length < len(hello)]
    assert len(of_this_hello) < 20


@pytest.mark.parametrize("sent", [1, 4, 5, 50])
async def test_a_client_that_goes_away_in_the_middle_of_its_hello_is_forgotten(
    credentials: Credentials, sent: int
) -> None:
    hello, *_ = client_hello([])
    async with tls_port() as port:
        await port.served.adopt(credentials)
        async with port.proofs.presenting(DOMAIN, "token.thumbprint"):
            reader, writer = await asyncio.open_connection(LOOPBACK, port.port)
            writer.write(hello[:sent])
            writer.write_eof()
            async with asyncio.timeout(5):
                with ConnectionEnded():
                    assert await reader.read() == b""
            writer.close()


@pytest.mark.parametrize("protocols", [[], ["acme-tls/1"], ["h2", "http/1.1"], ["x" * 255, "acme-tls/1"]])
def test_the_offered_protocols_of_a_real_hello_are_read(protocols: list[str]) -> None:
    hello, *_ = client_hello(protocols)
    assert needed_bytes(hello) == len(hello)
    assert offered_protocols(hello) == tuple(name.encode() for name in protocols)


@given(cut=st.integers(0, 1000), at=st.integers(0, 1000), value=st.integers(0, 255), noise=st.binary(max_size=600))
def test_no_bytes_are_too_strange_to_be_read(cut: int, at: int, value: int, noise: bytes) -> None:
    hello, *_ = client_hello(["acme-tls/1"])
    changed = bytearray(hello)
    changed[at % len(changed)] = value
    for record in (hello[:cut], bytes(changed), noise, hello[:5] + noise):
        assert isinstance(offered_protocols(record), tuple)
        needed = needed_bytes(record)
        assert needed is None or 5 <= needed <= 5 + 16_384
