"""An upstream of the node in threads of its own: it passes everything on, until it is told what to answer instead."""

import contextlib
import functools
import itertools
import json
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.support.hostile_requests import SHAPES, VALUES

SIZES: Final = (500_000, 1_400_000, 15_000_000)
"""Bytes of an answer: of the node's bounds on values, and of the 16 MiB that it reads."""
LINE: Final = 8_000

Answer = Callable[[Any], tuple[bytes, Mapping[str, str]]]
"""Body and headers of the answer to a parsed request."""


@dataclass
class Upstream:
    """Answers as `url` does, or with `answer`; `asked` counts the requests that got the latter."""

    url: str
    answer: Answer | None = None
    status: int = 200
    asked: int = 0
    changed: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def before(self, url: str) -> Iterator[str]:
        """Serve in threads, before the server at `url`; yields the address."""
        self.url, upstream = url, self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                asked = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers: Mapping[str, str] = {}
                if upstream.answer is None:
                    forwarded = urllib.request.Request(upstream.url, asked, {"Content-Type": "application/json"})
                    with urllib.request.urlopen(forwarded, timeout=30) as response:
                        body = response.read()
                else:
                    with upstream.changed:
                        upstream.asked += 1
                    body, headers = upstream.answer(json.loads(asked) if asked.startswith((b"{", b"[")) else None)
                # Whoever refuses an answer hangs up.
                with contextlib.suppress(OSError):
                    self.send_response(upstream.status)
                    for name, value in {"Content-Type": "application/json", **headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing: the answers are what is tried."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _each(total: int, member: Callable[[int], str]) -> Answer:
    """One answer for each call of a batch, together of `total` bytes; `member` is what stands beside version and id, as text."""

    def answer(asked: Any) -> tuple[bytes, Mapping[str, str]]:
        calls = asked if isinstance(asked, list) else [asked]
        text = member(total // len(calls))
        answers = [f'{{"jsonrpc":"2.0","id":{call["id"]},{text}}}' for call in calls]
        return (f"[{','.join(answers)}]" if isinstance(asked, list) else answers[0]).encode(), {}

    return answer


def _whole(total: int, make: Callable[[int], str]) -> Answer:
    return lambda _: (make(total).encode(), {})


def _header(name: str, make: Callable[[int], str]) -> Answer:
    return lambda _: (b"{}", {name: make(LINE).encode().decode("latin-1")})


MEMBERS: Final = {
    "result": '"result":{}',
    "message": '"error":{{"code":-32000,"message":{}}}',
    "data": '"error":{{"code":3,"message":"reverted","data":{}}}',
}
"""Places of a hostile value in a JSON-RPC answer."""


RESULTS: Final[Mapping[str, Callable[[int], str]]] = {
    **VALUES,
    "words of zero": lambda size: '"0x' + "0" * (size // 64 * 64) + '"',
    "a list of words": lambda size: f'"0x{32:064x}{size // 64 - 4:064x}' + f"{1:064x}" * (size // 64 - 4) + '"',
    "a long quantity": lambda size: '"0x' + "f" * size + '"',
    "integers of 4,300 digits": lambda size: "[" + ",".join(["9" * 4300] * (size // 4301)) + "]",
    "logs": lambda size: "[" + ",".join(['{"topics":["0x"],"data":"0x","address":"0x"}'] * (size // 46)) + "]",
}
HEADERS: Final = ("Content-Type", "Content-Encoding", "Set-Cookie", "Location", "Retry-After", "Link", "Date", "Server")


def answers() -> dict[str, Answer]:
    """Every hostile answer, by what it tries."""
    found: dict[str, Answer] = {}
    for size, (shape, make) in itertools.product(SIZES, RESULTS.items()):
        found[f"body: {shape} of {size}"] = _whole(size, make)
        for place, member in MEMBERS.items():
            found[f"{place}: {shape} of {size}"] = _each(size, functools.partial(_put, member, make))
    return found | {f"{name}: {shape}": _header(name, make) for name in HEADERS for shape, make in SHAPES.items()}


def _put(member: str, make: Callable[[int], str], size: int) -> str:
    return member.format(make(size))
