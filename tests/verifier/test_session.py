"""Sessions speak with attested keys or not at all, each connection proven by itself: behind a balancer, a proxy, a forger."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from svc_verifier.check import Verdict
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.material import Platform
from svc_verifier.session import AttestedSession, NoAnswerError, NotAcceptedError, SessionLimits, attested_session
from svc_verifier.sync_session import attested_sync_session
from tests.support.attested.td import OTHER_SEED, Td
from tests.support.instances import Instance, running_app
from tests.support.tls import LOOPBACK
from tests.support.told_chain import Told
from tests.support.verifying import VerifiableNode

SECRET = "an-account-key"
HEADERS = {"X-Api-Key": SECRET}
NO_REST = SessionLimits(rest_s=0.0)
ENTRY = ("a", "a")
"""Connections of the look at the start: one for the Web PKI, which no development certificate passes, and its own."""


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


def honest(*names: str) -> tuple[Instance, ...]:
    return tuple(Instance(name) for name in names)


def forger(kind: str = "relays the evidence of a") -> Instance:
    """Somebody else behind the same name."""
    return {
        "relays the evidence of a": Instance("f", shown="a"),
        "has evidence of its own TD": Instance("f", td=Td(seed=OTHER_SEED)),
    }[kind]


async def instance_of(session: AttestedSession) -> str:
    response = await session.get("/who", HEADERS)
    assert response.status == 200
    return str(json.loads(response.body)["instance"])


@pytest.mark.exhaustive
async def test_a_development_node_is_spoken_with(development_node: VerifiableNode) -> None:
    node = development_node
    async with attested_session(node.address.origin, node.trust(), node.sources()) as session:
        for _ in range(2):
            response = await session.get("/health", HEADERS)
            answer = response.json()
            assert isinstance(answer, dict)
            assert (response.status, answer["status"]) == (200, "ok")


async def test_instances_with_keys_of_their_own_are_met_without_stickiness() -> None:
    """Every connection ends elsewhere, each is verified over itself, and once: the key is known afterwards."""
    async with running_app(*honest("a", "b", "c")) as app:
        async with attested_session(app.origin, app.trust, app.sources()) as session:
            met = []
            for _ in range(9):
                met.append(await instance_of(session))
                app.balancer.cut()
        assert set(met) == {"a", "b", "c"}
        assert len(app.nonces) == 3


async def test_many_requests_at_once_over_many_connections() -> None:
    async with running_app(*honest("a", "b")) as app:
        async with attested_session(app.origin, app.trust, app.sources()) as session:
            met = await asyncio.gather(*(instance_of(session) for _ in range(12)))
        assert set(met) == {"a", "b"}
        assert len(app.nonces) == 2


@pytest.mark.parametrize("kind", ["relays the evidence of a", "has evidence of its own TD"])
async def test_a_forger_behind_the_balancer_gets_the_verifiers_questions_and_nothing_else(kind: str) -> None:
    evil = forger(kind)
    async with running_app(*honest("a"), evil) as app:
        app.order = [*ENTRY]
        async with attested_session(app.origin, app.trust, app.sources(), NO_REST) as session:
            outcomes: list[str] = []
            for place in ("f", "a", "f", "f", "a"):
                app.order = [place]
                try:
                    outcomes.append(await instance_of(session))
                except NotAcceptedError as error:
                    outcomes.append(error.report.verdict)
                app.balancer.cut()
        assert outcomes == [Verdict.REJECTED, "a", Verdict.REJECTED, Verdict.REJECTED, "a"]
        assert not evil.told
        assert evil.requests
        assert SECRET not in repr(evil.requests)


async def test_a_rejected_host_gets_no_session() -> None:
    evil = forger()
    async with running_app(evil) as app:
        with pytest.raises(NotAcceptedError, match=r"tls\.certificate") as refused:
            async with attested_session(app.origin, app.trust, app.sources()):
                raise AssertionError("there is a session")
        assert not evil.told
    assert refused.value.code is VerifierErrorCode.NOT_ACCEPTED


async def test_a_key_that_was_refused_is_not_looked_at_again_for_a_while() -> None:
    clock = Clock()
    async with running_app(*honest("a"), forger()) as app:
        app.order = [*ENTRY]
        async with attested_session(app.origin, app.trust, app.sources(), SessionLimits(rest_s=5.0), clock) as session:
            for looks, after_s in ((2, 0.0), (2, 4.9), (3, 0.2)):
                clock.now_s += after_s
                app.order = ["f"]
                with pytest.raises(VerifierError) as refused:
                    await instance_of(session)
                assert refused.value.code is VerifierErrorCode.NOT_ACCEPTED
                assert len(app.nonces) == looks


async def test_a_kept_connection_is_attested_again_when_its_time_is_over() -> None:
    """Over the very connection: no other is opened, and the approval that was taken back is noticed."""
    clock, (only,) = Clock(), honest("a")
    async with (
        running_app(only) as app,
        attested_session(app.origin, app.trust, app.sources(), NO_REST, clock) as session,
    ):
        await instance_of(session)
        connections = app.balancer.connections
        clock.now_s = 3_599.0
        await instance_of(session)
        assert len(app.nonces) == 1
        clock.now_s = 3_600.0
        await instance_of(session)
        assert len(app.nonces) == 2
        assert app.balancer.connections == connections
        app.tell_chain(Told(allowed=False))
        clock.now_s = 7_200.0
        told = len(only.told)
        with pytest.raises(NotAcceptedError, match=r"governance\.compose-allowed"):
            await instance_of(session)
        assert len(only.told) == told
        app.tell_chain(Told(allowed=True))
        await instance_of(session)


@dataclass
class Spoiled:
    """A source of collateral that a flipped signature makes of no use."""

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        return json.dumps(Td().collateral | {"tcb_info_signature": "11" * 64})


@pytest.mark.parametrize("at_fault", ["the collateral", "the clock"])
async def test_what_is_undecided_opens_no_session_and_sends_nothing(at_fault: str) -> None:
    (only,) = honest("a")
    async with running_app(only) as app:
        usual = app.sources()
        spoiled = {
            "the collateral": replace(usual, collateral=Spoiled()),
            "the clock": replace(usual, clock=lambda: usual.clock() - 400 * 86_400),
        }[at_fault]
        with pytest.raises(NotAcceptedError, match=r"hardware\.collateral") as refused:
            async with attested_session(app.origin, app.trust, spoiled) as session:
                await instance_of(session)
        assert refused.value.report.verdict is Verdict.UNDECIDED
        assert not only.told


async def test_a_clock_that_goes_back_makes_nothing_young() -> None:
    clock = Clock(now_s=1_000.0)
    async with (
        running_app(*honest("a")) as app,
        attested_session(app.origin, app.trust, app.sources(), NO_REST, clock) as session,
    ):
        clock.now_s = 10.0
        await instance_of(session)
        assert len(app.nonces) == 2


async def test_a_rejection_of_one_has_every_other_looked_at_again() -> None:
    async with running_app(*honest("a", "b"), forger()) as app:
        app.order = [*ENTRY, "b", "f", "a"]
        async with attested_session(app.origin, app.trust, app.sources(), NO_REST) as session:
            await instance_of(session)
            app.balancer.cut()
            with pytest.raises(NotAcceptedError):
                await instance_of(session)
            app.balancer.cut()
            assert await instance_of(session) == "a"
        assert len(app.nonces) == 4


@pytest.mark.exhaustive
async def test_the_key_whose_attestation_is_the_oldest_is_forgotten_first() -> None:
    """The second instance's key is forgotten, since the first was attested again later."""
    clock, limits = Clock(), SessionLimits(rest_s=0.0, keys=2, reverify_after_s=10.0)
    async with running_app(*honest("a", "b", "c")) as app:
        app.order = [*ENTRY]
        async with attested_session(app.origin, app.trust, app.sources(), limits, clock) as session:
            for name, at_s, looks in (("b", 1.0, 2), ("a", 10.5, 3), ("c", 10.6, 4), ("a", 10.7, 4)):
                app.order, clock.now_s = [name], at_s
                assert await instance_of(session) == name
                assert len(app.nonces) == looks
                app.balancer.cut()


async def test_an_answer_that_breaks_off_is_of_a_request_that_was_sent() -> None:
    """A client repeats requests that were never sent; this one was sent and must not be repeated."""

    async def run() -> None:
        async with session.stream("POST", "/run") as answer:
            async for _ in answer.parts:
                app.balancer.cut()

    async with (
        running_app(Instance("a", body=bytes(32_000_000))) as app,
        attested_session(app.origin, app.trust, app.sources()) as session,
    ):
        with pytest.raises(NoAnswerError) as broken:
            await run()
    assert broken.value.was_sent


async def test_a_connection_that_ends_before_it_is_proven_is_replaced() -> None:
    """The second instance closes after two answers: what it was asked stays undecided, and nothing is sent to it."""
    hasty = Instance("b", closes_after=2)
    async with running_app(*honest("a"), hasty) as app:
        app.order = [*ENTRY, "b", "a"]
        async with attested_session(app.origin, app.trust, app.sources(), NO_REST) as session:
            assert await instance_of(session) == "a"
        assert not hasty.told


async def test_an_instance_that_ends_every_connection_too_soon_is_unreachable() -> None:
    hasty = Instance("b", closes_after=2)
    async with running_app(*honest("a"), hasty) as app:
        app.order = [*ENTRY, "b", "b", "b"]
        async with attested_session(app.origin, app.trust, app.sources(), NO_REST) as session:
            with pytest.raises(VerifierError) as refused:
                await instance_of(session)
        assert refused.value.code is VerifierErrorCode.UNREACHABLE
        assert not hasty.told


@pytest.mark.parametrize("place", ["/elsewhere", "https://127.0.0.1:1/", "http://localhost/"])
async def test_a_redirect_is_an_answer_and_never_followed(place: str) -> None:
    only = Instance("a", redirect=place)
    async with running_app(only) as app:
        async with attested_session(app.origin, app.trust, app.sources()) as session:
            response = await session.post("/send", {"secret": 1}, HEADERS)
        assert (response.status, response.headers["location"]) == (307, place)
        assert [path for _, path, _ in only.told] == ["/send"]


@pytest.mark.parametrize("path", ["https://127.0.0.1:1/", "http://localhost/", "//evil.example/", "who", "", "@evil/"])
async def test_nothing_is_sent_elsewhere(path: str) -> None:
    async with running_app(*honest("a")) as app, attested_session(app.origin, app.trust, app.sources()) as session:
        with pytest.raises(VerifierError) as refused:
            await session.get(path, HEADERS)
    assert refused.value.code is VerifierErrorCode.OTHER_HOST


@dataclass
class Proxy:
    """An HTTP proxy that knows CONNECT alone. `asked` are the lines it read, `seen` what passed through it."""

    port: int
    asked: list[bytes]
    seen: bytearray


@asynccontextmanager
async def proxy() -> AsyncIterator[Proxy]:
    tasks: set[asyncio.Task[None]] = set()
    made = Proxy(0, [], bytearray())

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            made.seen += data
            writer.write(data)

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await carry(reader, writer)
        finally:
            writer.transport.abort()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        made.asked.append(head)
        method, target, _ = head.split(b" ", 2)
        assert method == b"CONNECT"
        host, _, port = target.decode().partition(":")
        there_reader, there = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        both = [asyncio.ensure_future(copy(reader, there)), asyncio.ensure_future(copy(there_reader, writer))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            there.transport.abort()
            for each in both:
                each.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    server = await asyncio.start_server(
        lambda reader, writer: tasks.add(asyncio.ensure_future(tunnel(reader, writer))), LOOPBACK, 0
    )
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_proxy_carries_a_tunnel_and_reads_nothing() -> None:
    """Each connection through it is proven like any other, a forger behind it too."""
    evil = forger()
    async with running_app(*honest("a", "b"), evil) as app, proxy() as between:
        app.order = [*ENTRY, "b", "f"]
        sources = app.sources(f"http://{LOOPBACK}:{between.port}")
        async with attested_session(app.origin, app.trust, sources, NO_REST) as session:
            assert await instance_of(session) == "b"
            app.balancer.cut()
            with pytest.raises(NotAcceptedError):
                await instance_of(session)
        assert not evil.told
        assert all(line.startswith(b"CONNECT localhost:") for line in between.asked)
        assert SECRET.encode() not in b"".join(between.asked) + bytes(between.seen)


async def test_the_environment_names_no_proxy_and_no_file_for_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with running_app(*honest("a")) as app, proxy() as between:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
            monkeypatch.setenv(name, f"http://{LOOPBACK}:{between.port}")
        monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
        async with attested_session(app.origin, app.trust, app.sources()) as session:
            await instance_of(session)
        assert not between.asked
    log = tmp_path / "keys"
    assert "SECRET" not in (log.read_text() if log.exists() else ""), "Python may write its heading, and no key"


async def test_a_name_that_is_no_host_is_refused(development_node: VerifiableNode) -> None:
    with pytest.raises(VerifierError) as refused:
        async with attested_session("http://localhost", development_node.trust()):
            raise AssertionError("there is a session")
    assert refused.value.code is VerifierErrorCode.BAD_HOST


async def test_a_caller_who_gives_up_takes_no_key_with_him() -> None:
    async with running_app(*honest("a", "b")) as app:
        app.order = [*ENTRY, "b", "a"]
        async with attested_session(app.origin, app.trust, app.sources(), NO_REST) as session:
            with pytest.raises(VerifierError) as late:
                await session.request("GET", "/who", timeout_s=0.000_1)
            assert late.value.code is VerifierErrorCode.UNREACHABLE
            assert await instance_of(session) in {"a", "b"}


def test_programs_without_a_loop_speak_with_it_too(development_node: VerifiableNode) -> None:
    node = development_node
    with attested_sync_session(node.address.origin, node.trust(), node.sources()) as session:
        answer = session.get("/core/v1/version")
        assert answer.status == 200
        assert isinstance(answer.json(), dict)
        created = session.post("/core/v1/new_account", {"account_name": "me"})
        assert created.status == 200
        with pytest.raises(VerifierError):
            session.get("https://127.0.0.1:1/")


def test_a_program_without_a_loop_sees_one_kind_of_error(development_node: VerifiableNode) -> None:
    node = development_node
    limits = SessionLimits(body_bytes=10)
    with attested_sync_session(node.address.origin, node.trust(), node.sources(), limits) as session:
        with pytest.raises(VerifierError) as refused:
            session.get("/core/v1/version")
        assert refused.value.code is VerifierErrorCode.TOO_LARGE
        with pytest.raises(VerifierError):
            session.request("GET", "/core/v1/version", headers={"X-A": "b\r\nX-C: d"})
