"""Sessions speak with an attested key or not at all, whatever happens to the connection between two requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import pytest

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.report import Verdict
from svc_verifier.session import SessionLimits, attested_session
from svc_verifier.sync_session import attested_sync_session
from svc_verifier.verification import NotAcceptedError
from tests.world.verifying import Impostor, VerifiableNode, at, relaying

SECRET = "an-account-key"
HEADERS = {"X-Api-Key": SECRET}
NO_REST = SessionLimits(rest_s=0.0)


@asynccontextmanager
async def in_between(node: VerifiableNode) -> AsyncIterator[Impostor]:
    """Somebody on the line who passes everything on, until a test has him do otherwise."""
    async with Impostor(relaying(node.process)).running() as impostor:
        impostor.passing = node.port
        yield impostor


def told(impostor: Impostor) -> list[dict[str, str]]:
    """The requests the impostor saw that carried the secret."""
    return [headers for headers in impostor.headers if SECRET in headers.values()]


async def test_an_accepted_host_is_spoken_with(development_node: VerifiableNode) -> None:
    node = development_node
    async with attested_session(node.address.origin, node.trust(), node.sources()) as session:
        for _ in range(2):
            async with session.get("/health", headers=HEADERS) as response:
                assert (response.status, (await response.json())["status"]) == (200, "ok")


async def test_a_rejected_host_gets_no_session_and_no_byte(development_node: VerifiableNode) -> None:
    async with Impostor(relaying(development_node.process)).running() as impostor:
        address, trust = at(development_node, impostor)
        with pytest.raises(NotAcceptedError, match=r"tls\.certificate") as refused:
            async with attested_session(address.origin, trust, development_node.sources()):
                raise AssertionError("there is a session")
    assert refused.value.report.verdict is Verdict.REJECTED
    assert refused.value.code is VerifierErrorCode.NOT_ACCEPTED


async def test_another_certificate_later_is_met_by_verifying_anew_and_refused(
    development_node: VerifiableNode,
) -> None:
    """The line is taken over after the verification: the kept connection is cut, the next one ends at the impostor."""
    node = development_node
    async with in_between(node) as impostor:
        address, trust = at(node, impostor)
        async with attested_session(address.origin, trust, node.sources(), NO_REST) as session:
            async with session.get("/health", headers=HEADERS) as response:
                assert response.status == 200
            impostor.passing = None
            impostor.cut()
            for _ in range(2):
                with pytest.raises(NotAcceptedError):
                    await session.get("/health", headers=HEADERS)
            assert impostor.paths, "it was looked at anew"
            assert not told(impostor)


async def test_after_a_rejection_no_key_counts_until_it_is_attested_again(development_node: VerifiableNode) -> None:
    """The line is given back: the genuine key is met again, and is believed only after another look."""
    node = development_node
    looks: list[int] = []

    def nonce() -> bytes:
        looks.append(0)
        return bytes(31) + bytes([len(looks)])

    async with in_between(node) as impostor:
        address, trust = at(node, impostor)
        sources = replace(node.sources(), nonce=nonce)
        async with attested_session(address.origin, trust, sources, NO_REST) as session:
            impostor.passing = None
            impostor.cut()
            with pytest.raises(NotAcceptedError):
                await session.get("/health", headers=HEADERS)
            impostor.passing = node.port
            impostor.cut()
            async with session.get("/health", headers=HEADERS) as response:
                assert response.status == 200
        assert len(looks) == 3
        assert not told(impostor)


async def test_within_the_rest_a_strange_key_is_refused_without_another_look(development_node: VerifiableNode) -> None:
    node = development_node
    async with in_between(node) as impostor:
        address, trust = at(node, impostor)
        limits = SessionLimits(rest_s=600.0)
        async with attested_session(address.origin, trust, node.sources(), limits) as session:
            impostor.passing = None
            impostor.cut()
            with pytest.raises(VerifierError, match="not attested") as refused:
                await session.get("/health", headers=HEADERS)
            assert refused.value.code is VerifierErrorCode.NOT_ACCEPTED
            assert not impostor.paths


async def test_a_key_that_is_attested_anew_goes_on(development_node: VerifiableNode) -> None:
    """A rotation: what the connection shows now is unknown, and a new verification vouches for it."""
    node = development_node
    async with in_between(node) as impostor:
        address, trust = at(node, impostor)
        async with attested_session(address.origin, trust, node.sources(), NO_REST) as session:
            connector = session.connector
            assert connector is not None
            connector._attestation._keys = {bytes(32): asyncio.get_running_loop().time()}  # type: ignore[attr-defined]
            async with session.get("/health", headers=HEADERS) as response:
                assert response.status == 200
        assert not impostor.paths


async def test_an_attestation_grows_old_and_is_renewed_before_the_next_request(
    development_node: VerifiableNode,
) -> None:
    node = development_node
    drawn: list[bytes] = []

    def nonce() -> bytes:
        drawn.append(len(drawn).to_bytes(32, "big"))
        return drawn[-1]

    sources = replace(node.sources(), nonce=nonce)
    limits = SessionLimits(reverify_after_s=3_600.0)
    async with attested_session(node.address.origin, node.trust(), sources, limits) as session:
        async with session.get("/health"):
            assert len(drawn) == 1
        connector = session.connector
        assert connector is not None
        attested = connector._attestation._keys  # type: ignore[attr-defined]
        for key in attested:
            attested[key] -= limits.reverify_after_s
        async with session.get("/health"):
            assert len(drawn) == 2


@pytest.mark.parametrize(
    "url", ["http://localhost:{port}/health", "https://127.0.0.1:{port}/health", "https://localhost:1/"]
)
async def test_nothing_is_sent_elsewhere(development_node: VerifiableNode, url: str) -> None:
    node = development_node
    async with attested_session(node.address.origin, node.trust(), node.sources()) as session:
        with pytest.raises(VerifierError) as refused:
            await session.get(url.format(port=node.port), headers=HEADERS)
    assert refused.value.code is VerifierErrorCode.OTHER_HOST


async def test_many_requests_at_once_share_one_look(development_node: VerifiableNode) -> None:
    node = development_node
    drawn: list[int] = []

    def nonce() -> bytes:
        drawn.append(0)
        return bytes(31) + bytes([len(drawn)])

    async with attested_session(
        node.address.origin, node.trust(), replace(node.sources(), nonce=nonce), NO_REST
    ) as session:
        connector = session.connector
        assert connector is not None
        connector._attestation._keys.clear()  # type: ignore[attr-defined]

        async def one() -> int:
            async with session.get("/health") as response:
                return response.status

        assert await asyncio.gather(*(one() for _ in range(8))) == [200] * 8
    assert len(drawn) == 2


async def test_a_name_that_is_no_host_is_refused(development_node: VerifiableNode) -> None:
    with pytest.raises(VerifierError) as refused:
        async with attested_session("http://localhost", development_node.trust()):
            raise AssertionError("there is a session")
    assert refused.value.code is VerifierErrorCode.BAD_HOST


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
    with attested_sync_session(node.address.origin, node.trust(), node.sources(), body_limit_bytes=10) as session:
        with pytest.raises(VerifierError) as refused:
            session.get("/core/v1/version")
        assert refused.value.code is VerifierErrorCode.TOO_LARGE


async def test_a_websocket_is_held_to_the_same(development_node: VerifiableNode) -> None:
    node = development_node
    async with in_between(node) as impostor:
        address, trust = at(node, impostor)
        async with attested_session(address.origin, trust, node.sources(), NO_REST) as session:
            impostor.passing = None
            impostor.cut()
            with pytest.raises(VerifierError):
                await session.ws_connect("/", headers=HEADERS)
        assert not told(impostor)


async def test_what_a_caller_says_of_tls_changes_nothing(development_node: VerifiableNode) -> None:
    """`ssl=False` of a request switches aiohttp's own verification off, the attested key stays required."""
    node = development_node
    async with in_between(node) as impostor:
        address, trust = at(node, impostor)
        async with attested_session(address.origin, trust, node.sources(), NO_REST) as session:
            impostor.passing = None
            impostor.cut()
            with pytest.raises(NotAcceptedError):
                await session.get("/health", headers=HEADERS, ssl=False, timeout=aiohttp.ClientTimeout(total=20))
        assert not told(impostor)
