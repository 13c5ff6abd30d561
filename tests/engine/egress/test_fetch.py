"""Honest requests, as a script on the web would have them made."""

import asyncio
import gzip
import zlib

import pytest
from pydantic import JsonValue

from node.engine.egress.egress import Egress, FetchCalls
from node.engine.port import HostCallError, StopReason
from tests.engine.egress.fetching import ACCOUNT, LIMITS, LOOPBACK, Names, fetching
from tests.engine.egress.servers import Asked, answer, redirect, server
from tests.engine.hosts import EchoHost
from tests.support.settings import changed

TEXT = b"What is asked for is answered. " * 1000


async def test_the_request_arrives_as_asked_and_the_answer_is_whole() -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/a"] = answer(b"\x00\xff made", "X-One: 1", "X-One: 2", "Set-Cookie: a=b", status="201 Mädé")
        asked_headers = [("X-Api-Key", "k"), ("content-type", "text/plain"), ("Cookie", "mine=1")]
        got = await run.fetch(origin.url("/a?q=%20%C3%A4&r=%2F#part"), "POST", asked_headers, b"\x01\x02")
        assert (got["status"], got["statusText"], got["redirected"]) == (201, "Mädé".encode().decode("latin-1"), False)
        assert got["url"] == origin.url("/a?q=%20%C3%A4&r=%2F")
        assert got["body"] == b"\x00\xff made"
        assert [pair for pair in got["headers"] if pair[0] != "Content-Length"] == [
            ["X-One", "1"],
            ["X-One", "2"],
            ["Set-Cookie", "a=b"],
        ]
        assert origin.asked == [
            Asked(
                "POST",
                "/a?q=%20%C3%A4&r=%2F",
                {
                    "host": f"127.0.0.1:{origin.port}",
                    "x-api-key": "k",
                    "content-type": "text/plain",
                    "cookie": "mine=1",
                    "accept": "*/*",
                    "user-agent": "svc-node",
                    "accept-encoding": "gzip, deflate",
                    "content-length": "2",
                },
                b"\x01\x02",
            )
        ]


async def test_cookies_of_an_answer_are_not_sent_back() -> None:
    names = Names({"api.example.org": [["127.0.0.1"]]})
    async with server() as origin, fetching(names=names) as run:
        origin.by_path["/"] = answer(b"", "Set-Cookie: session=1; Path=/")
        for _ in range(2):
            await run.fetch(origin.url(host="api.example.org"))
        assert [asked.headers.get("cookie") for asked in origin.asked] == [None, None]


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("GZip", gzip.compress(TEXT[:700]) + gzip.compress(TEXT[700:])),
        ("gzip", gzip.compress(TEXT) + b"\x00" * 9),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("identity", TEXT),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT))),
        ("deflate, identity, GZIP", gzip.compress(zlib.compress(TEXT))),
    ],
    ids=lambda value: value if isinstance(value, str) else "packed",
)
async def test_a_compressed_body_is_decompressed(coding: str, packed: bytes) -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = answer(packed, f"Content-Encoding: {coding}")
        assert (await run.fetch(origin.url()))["body"] == TEXT


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, br", "br, gzip", "gzip, gzip, gzip, br", "gzip;q=1"])
async def test_a_body_in_a_coding_that_is_unknown_is_left_as_it_is(coding: str) -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = answer(packed := gzip.compress(TEXT), f"Content-Encoding: {coding}")
        got = await run.fetch(origin.url())
        assert (got["body"], ["Content-Encoding", coding] in got["headers"]) == (packed, True)


async def test_what_is_between_two_codings_is_bounded_too() -> None:
    """The inner coding ends at once, so that what stands behind it is in no body."""
    between = gzip.compress(b"") + bytes(5_000_000)
    async with server() as origin, fetching(egress_response_body_bytes=10_000) as run:
        origin.by_path["/"] = answer(gzip.compress(between), "Content-Encoding: gzip, gzip")
        assert "more than 10000 bytes" in await run.failure(origin.url())


@pytest.mark.parametrize(("method", "status"), [("HEAD", "200 OK"), ("GET", "204 None"), ("GET", "304 Same")])
async def test_an_answer_without_a_body_may_say_that_it_is_compressed(method: str, status: str) -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = f"HTTP/1.1 {status}\r\nContent-Encoding: gzip\r\n\r\n".encode()
        got = await run.fetch(origin.url(), method)
        assert (got["status"], got["body"]) == (int(status[:3]), b"")


async def test_an_empty_post_says_its_length() -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = answer()
        await run.fetch(origin.url(), "post")
        assert origin.asked[0].method == "POST"
        assert origin.asked[0].headers["content-length"] == "0"
        assert "content-type" not in origin.asked[0].headers


async def test_headers_that_frame_the_message_are_dropped_as_fetch_does() -> None:
    forbidden = [
        ("Host", "other.example.org"),
        ("content-length", "99"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "upgrade"),
        ("Upgrade", "h2c"),
        ("TE", "trailers"),
        ("Expect", "100-continue"),
        ("Keep-Alive", "1"),
        ("Proxy-Authorization", "Basic eA=="),
        ("Sec-Fetch-Mode", "cors"),
        ("Accept-Encoding", "br"),
    ]
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = answer()
        await run.fetch(origin.url(), "POST", forbidden, b"abc")
        assert origin.asked[0].headers == {
            "host": f"127.0.0.1:{origin.port}",
            "accept": "*/*",
            "user-agent": "svc-node",
            "accept-encoding": "gzip, deflate",
            "content-length": "3",
        }


async def test_one_action_uses_a_connection_again_and_another_does_not() -> None:
    async with server() as origin:
        origin.by_path["/"] = answer(b"x")
        egress = Egress(LIMITS, LOOPBACK, resolver=Names())
        stop: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        shape: dict[str, JsonValue] = {"method": "GET", "headers": [], "body": None, "redirect": "follow", "call": 1}
        message = shape | {"url": origin.url()}
        for runs in (1, 2):
            async with FetchCalls(EchoHost(), egress, ACCOUNT, stop) as calls:
                await calls.call("fetch", [message])
                await calls.call("fetch", [message])
            assert origin.connections == runs


async def test_a_name_is_asked_for_once_and_stays_in_the_host_header() -> None:
    names = Names({"api.example.org": [["127.0.0.1"]]})
    async with server() as origin, fetching(names=names) as run:
        origin.by_path["/"] = answer(b"x")
        got = await run.fetch(origin.url(host="API.example.org."))
        assert names.asked == ["api.example.org"]
        assert origin.asked[0].headers["host"] == f"api.example.org:{origin.port}"
        assert got["url"] == origin.url(host="api.example.org")


async def test_localhost_is_this_machine_where_the_development_switch_is_on_and_nobody_is_asked() -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = answer(b"x")
        for host in ("localhost", "chain.localhost", "LOCALHOST."):
            assert (await run.fetch(origin.url(host=host)))["body"] == b"x"
        assert run.names.asked == []


async def test_redirects_are_followed_as_the_web_does() -> None:
    async with server() as origin, fetching() as run:
        origin.by_path |= {
            "/301": redirect("/end", 301),
            "/302": redirect("end?x=ä", 302),
            "/303": redirect("end", 303),
            "/307": redirect("end", 307),
            "/308": redirect(origin.url("/end"), 308),
            "/end": answer(b"end"),
        }
        headers = [("Content-Type", "text/x"), ("Authorization", "mine"), ("X-Own", "1")]
        for path in ("/301", "/302", "/303", "/307", "/308"):
            got = await run.fetch(origin.url(path), "POST", headers, b"body")
            assert (got["body"], got["redirected"]) == (b"end", True)
        ends = [asked for asked in origin.asked if asked.path.startswith("/end")]
        assert [(end.method, end.body) for end in ends] == [("GET", b"")] * 3 + [("POST", b"body")] * 2
        assert [end.headers.get("content-type") for end in ends] == [None] * 3 + ["text/x"] * 2
        assert {end.headers.get("authorization") for end in ends} == {"mine"}
        assert {end.headers.get("x-own") for end in ends} == {"1"}


async def test_a_put_stays_a_put_but_for_see_other() -> None:
    async with server() as origin, fetching() as run:
        origin.by_path |= {"/302": redirect("/end"), "/303": redirect("/end", 303), "/end": answer()}
        await run.fetch(origin.url("/302"), "PUT", body=b"x")
        await run.fetch(origin.url("/303"), "PUT", body=b"x")
        await run.fetch(origin.url("/303"), "HEAD")
        ends = [asked for asked in origin.asked if asked.path == "/end"]
        assert [(end.method, end.body) for end in ends] == [("PUT", b"x"), ("GET", b""), ("HEAD", b"")]


async def test_a_redirect_may_be_an_error_or_handed_over() -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = redirect("http://10.0.0.1/")
        assert "redirected" in await run.failure(origin.url(), redirect="error")
        got = await run.fetch(origin.url(), redirect="manual")
        assert (got["status"], got["redirected"]) == (302, False)
        assert ["Location", "http://10.0.0.1/"] in got["headers"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_any_redirect_is_an_error_where_the_request_says_so(status: int) -> None:
    async with server() as origin, fetching() as run:
        origin.by_path |= {
            "/to": redirect("/end", status),
            "/nowhere": answer(b"x", status=f"{status} Elsewhere"),
            "/end": answer(),
        }
        for path in ("/to", "/nowhere"):
            assert "redirected" in await run.failure(origin.url(path), redirect="error")
        assert [asked.path for asked in origin.asked] == ["/to", "/nowhere"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_followed_on_a_connection_of_its_own(status: int) -> None:
    """The server could end the old one at any time, and the request that follows would be lost or sent again."""
    async with server() as origin, fetching() as run:
        origin.by_path |= {"/": redirect("/end", status), "/end": answer(b"end")}
        assert (await run.fetch(origin.url(), "POST", body=b"x"))["body"] == b"end"
        assert (len(origin.asked), origin.connections) == (2, 2)


ANOTHER = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", "200 OK"), ("GET", "204 None"), ("GET", "304 Same"), ("DELETE", "204 None")]
)
@pytest.mark.parametrize("behind", ["", "hello", ANOTHER])
@pytest.mark.parametrize("is_late", [False, True])
async def test_a_connection_whose_answer_has_no_body_is_not_used_again(
    method: str, status: str, behind: str, is_late: bool
) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(behind)}\r\n\r\n".encode()

    async def in_two(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        await told.wait()
        writer.write(behind.encode())
        await writer.drain()

    told = asyncio.Event()
    async with server() as origin, fetching() as run:
        origin.by_path |= {"/": in_two if is_late else head + behind.encode(), "/next": answer(b"next")}
        found = await asyncio.gather(run.fetch(origin.url(), method), return_exceptions=True)
        got = found[0]
        if isinstance(got, HostCallError):
            # What cannot be the next answer makes this one malformed, if it comes at once.
            assert (got.name, behind != "", is_late) == ("TypeError", True, False)
        else:
            assert isinstance(got, dict)
            assert (got["status"], got["body"]) == (int(status[:3]), b"")
        told.set()
        assert (await run.fetch(origin.url("/next")))["body"] == b"next"
        assert origin.connections == 2


async def test_a_redirect_without_a_place_to_go_is_an_answer() -> None:
    async with server() as origin, fetching() as run:
        origin.by_path["/"] = answer(b"here", status="302 Found")
        assert (await run.fetch(origin.url()))["body"] == b"here"


async def test_an_abort_ends_the_request_at_once_and_no_other() -> None:
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def never(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await writer.wait_closed()
        gone.set()

    async with server() as origin, fetching() as run:
        origin.by_path |= {"/never": never, "/": answer(b"x")}
        waiting = asyncio.create_task(run.fetch(origin.url("/never"), call=5))
        await arrived.wait()
        assert await run.calls.call("fetchAbort", [{"call": 4}]) is False
        assert (await run.fetch(origin.url()))["body"] == b"x"
        assert await run.calls.call("fetchAbort", [{"call": 5}]) is True
        with pytest.raises(HostCallError) as aborted:
            await waiting
        assert aborted.value.name == "AbortError"
        assert await run.calls.call("fetchAbort", [{"call": 5}]) is False
        assert (await run.fetch(origin.url(), call=5))["body"] == b"x"


async def test_a_run_that_is_cancelled_takes_its_requests_with_it() -> None:
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def never(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    async with server() as origin:
        origin.by_path["/"] = never
        async with fetching() as run:
            waiting = asyncio.create_task(run.fetch(origin.url()))
            await arrived.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert len(asyncio.all_tasks()) <= 2  # this one and the server's


async def test_other_calls_go_through_uncounted() -> None:
    async with fetching(egress_requests=0) as run:
        assert await run.calls.call("signMessage", [{}]) == {"name": "signMessage", "arguments": [{}]}
        assert run.calls.requests == 0


async def test_one_request_too_many_ends_the_run_whatever_it_asks() -> None:
    async with server() as origin, fetching(egress_requests=3) as run:
        origin.by_path["/"] = answer()
        await run.fetch(origin.url())
        await run.failure("nothing")
        await run.failure("http://10.0.0.1/")
        assert not run.stop.done()
        with pytest.raises(HostCallError) as refused:
            await run.fetch(origin.url())
        assert refused.value.name == "ActionFetchLimit"
        assert run.stop.result() is StopReason.FETCH_LIMIT
        assert len(origin.asked) == 1


async def test_so_many_requests_of_one_action_are_on_their_way_at_a_time() -> None:
    waiting, most = 0, 0
    all_here, release = asyncio.Event(), asyncio.Event()

    async def slow(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        if waiting == 3:
            all_here.set()
        await release.wait()
        waiting -= 1
        writer.write(answer(b"x", "Connection: close"))

    async with server() as origin, fetching(egress_concurrent_requests=3) as run:
        origin.by_path["/"] = slow
        fetches = [asyncio.create_task(run.fetch(origin.url())) for _ in range(7)]
        await all_here.wait()
        release.set()
        assert [got["body"] for got in await asyncio.gather(*fetches)] == [b"x"] * 7
        assert most == 3


async def test_the_largest_bodies_pass_both_ways() -> None:
    limits = changed(LIMITS, egress_request_body_bytes=3000, egress_response_body_bytes=5000)
    async with server() as origin, fetching(limits=limits) as run:
        origin.by_path["/"] = answer(b"y" * 5000)
        assert len((await run.fetch(origin.url(), "POST", body=b"x" * 3000))["body"]) == 5000
        assert origin.asked[0].body == b"x" * 3000
        assert "3000" in await run.failure(origin.url(), method="POST", body=b"x" * 3003)
