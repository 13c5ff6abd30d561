"""Nothing that a foreign host answers to a fetch holds the event loop, whatever it sends as status, headers, cookies and body."""

import asyncio
import contextlib
import functools
import gzip
import zlib
from collections import defaultdict
from collections.abc import Iterator

import pytest

from node.engine.port import HostCallError
from tests.engine.egress.fetching import fetching
from tests.engine.egress.servers import Answer, Asked, Server, answer, server
from tests.support.hostile_values import hostile_texts
from tests.support.loop_meter import STALL_MAX_S, LoopMeter, metered_loop

LINE_BYTES = 8_190
HEADERS = 100
BODY_BYTES = 10 * 1024 * 1024
READ_BY_THE_NODE = (
    *(
        "Location",
        "Set-Cookie",
        "Content-Encoding",
        "Content-Type",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
    ),
    *("Link", "WWW-Authenticate", "Date", "Upgrade", "Trailer", "Content-Disposition", "Alt-Svc", "X-Any"),
)


def line(text: str, room: int) -> bytes:
    """The text as it may stand in a line of a head."""
    raw = text.encode().replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"")
    return raw[:room]


def head(status: bytes, *headers: tuple[str, bytes]) -> bytes:
    return b"HTTP/1.1 " + status + b"\r\n" + b"".join(b"%s: %s\r\n" % (n.encode(), v) for n, v in headers) + b"\r\n"


NO_BODY = ("Content-Length", b"0")


def heads() -> Iterator[tuple[str, bytes]]:
    """Whole answers, by what is hostile in their heads."""
    for shape, text in hostile_texts(LINE_BYTES).items():
        yield f"{shape} as a reason", head(b"200 " + line(text, LINE_BYTES - 20), NO_BODY)
        yield f"{shape} as a status", head(line(text, LINE_BYTES - 20), NO_BODY)
        yield (
            f"{shape} as a name",
            b"HTTP/1.1 200 OK\r\n" + line(text, LINE_BYTES - 20) + b": 1\r\nContent-Length: 0\r\n\r\n",
        )
        for name in READ_BY_THE_NODE:
            value = (name, line(text, LINE_BYTES - len(name) - 10))
            status = b"302 Found" if name == "Location" else b"200 OK"
            own_length = () if name in {"Content-Length", "Transfer-Encoding"} else (NO_BODY,)
            yield f"{shape} as {name}", head(status, value, *own_length)
            if name in {"Set-Cookie", "Content-Encoding", "X-Any"}:
                yield f"{shape} as {name}, many", head(status, *[value] * (HEADERS - 1), NO_BODY)
    for number in (HEADERS, 5_000, 60_000):
        yield f"{number} headers", head(b"200 OK", *[(f"X-{n}", b"1") for n in range(number - 1)], NO_BODY)
    yield "interim answers", head(b"100 Continue") * 2_000 + head(b"200 OK", NO_BODY)
    yield "early hints", head(b"103 Early Hints", ("Link", b"a" * 8_000)) * 500 + head(b"200 OK", NO_BODY)


def chunked(*chunks: bytes) -> bytes:
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    return head(b"200 OK", ("Transfer-Encoding", b"chunked")) + body


def bodies() -> Iterator[tuple[str, bytes]]:
    """Whole answers, by what is hostile in their bodies."""
    yield "the longest body", answer(b"a" * BODY_BYTES)
    yield "one too long", answer(b"a" * (BODY_BYTES + 1))
    yield "chunks of a byte", chunked(*[b"a"] * 300_000)
    yield "chunks of a hundred bytes", chunked(*[b"a" * 100] * 50_000)
    yield (
        "a size of many digits",
        head(b"200 OK", ("Transfer-Encoding", b"chunked")) + b"0" * 8_000 + b"1\r\na\r\n0\r\n\r\n",
    )
    extension = b"1;" + b"a=b;" * 1_900 + b"\r\na\r\n"
    yield "chunks with extensions", head(b"200 OK", ("Transfer-Encoding", b"chunked")) + extension * 500 + b"0\r\n\r\n"
    yield "trailers", chunked(b"a")[:-2] + b"X-T: 1\r\n" * 50_000 + b"\r\n"
    yield "a bomb", answer(gzip.compress(bytes(2 * BODY_BYTES), 9), "Content-Encoding: gzip")
    yield "a bomb of deflate", answer(zlib.compress(bytes(2 * BODY_BYTES), 9), "Content-Encoding: deflate")
    yield "members of nothing", answer(gzip.compress(b"") * 100_000, "Content-Encoding: gzip")
    yield "members of a byte", answer(gzip.compress(b"a") * 60, "Content-Encoding: gzip")
    yield "a member and what is none", answer(gzip.compress(b"a") + b"x" * BODY_BYTES, "Content-Encoding: gzip")
    names = b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * (BODY_BYTES // 2)
    yield "a member with a name without an end", answer(names, "Content-Encoding: gzip")
    yield "compressed and not smaller", answer(gzip.compress(bytes(range(256)) * 40_000, 0), "Content-Encoding: gzip")


def redirects() -> Iterator[tuple[str, bytes]]:
    """Answers that lead on, by the shape of where to."""
    for shape, text in hostile_texts(LINE_BYTES - 20).items():
        bare = text.removeprefix("http://")
        for start in (
            "",
            "//",
            "http://",
            "//a@",
            "?",
            "/",
            "\x01//",
            "http:",
            "ht\ttp://",
            "http://[",
            "http://a.example:",
        ):
            yield (
                f"{shape} after {start!r}",
                head(b"302 Found", ("Location", line(start + bare, LINE_BYTES - 20)), NO_BODY),
            )


def _the_same(send: Answer) -> Answer:
    return send


async def longest(origin: Server, meter: LoopMeter, cases: Iterator[tuple[str, bytes]], every: int) -> list[str]:
    """What of the answers held the loop too long."""
    held = []
    for number, (shape, whole) in enumerate(cases):
        if number % every:
            continue

        async def send(_: Asked, writer: asyncio.StreamWriter, whole: bytes = whole) -> None:
            # In parts, each in a turn of its own: the server shares the loop, and its work is not the node's.
            for at in range(0, len(whole), 65_536):
                writer.write(whole[at : at + 65_536])
                await writer.drain()
                await asyncio.sleep(0)

        # Wherever it is led to, it meets the same answer.
        origin.by_path = defaultdict(functools.partial(_the_same, send))
        # A run of its own for each: what one action's answers may take together is bounded too.
        async with fetching(egress_timeout_s=4.0) as run:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            meter.restart()
            with contextlib.suppress(HostCallError):
                await run.fetch(origin.url())
        if meter.longest_s > STALL_MAX_S:
            held.append(f"{shape}: {meter.longest_s * 1000:.0f} ms")
    return held


KINDS = {"heads": (heads, 13), "bodies": (bodies, 5), "redirects": (redirects, 11)}


@pytest.mark.parametrize("kind", KINDS)
async def test_no_answer_of_a_foreign_host_holds_the_loop(kind: str) -> None:
    cases, every = KINDS[kind]
    async with server() as origin, metered_loop() as meter:
        assert await longest(origin, meter, cases(), every) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
async def test_no_answer_of_a_foreign_host_holds_the_loop_all(kind: str) -> None:
    cases, _ = KINDS[kind]
    async with server() as origin, metered_loop() as meter:
        assert await longest(origin, meter, cases(), 1) == []
