"""Requests made to cost an HTTP server time: hostile text at every place of every operation that the node documents."""

import base64
import functools
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

LINE_MAX: Final = 8000
"""Characters of a header or of a target; a line has 8,190 with its name."""
INLINE_MAX: Final = 60_000
"""Characters in a body that is read on the event loop."""
LARGE: Final = 1_000_000
"""Characters in a body that is not, of an operation of TAKES_CODE."""
LARGE_ELSEWHERE: Final = 250_000
"""The same of all other operations, whose bodies have at most 256 KiB."""
TAKES_CODE: Final = frozenset(f"/core/v1/{name}" for name in ("svc_action", "explain", "get_svc_action_ipfs_id"))

Shape = Callable[[int], str]


def repeated(part: str) -> Shape:
    """The part, again and again, in so many bytes of UTF-8."""
    return lambda size: part * (size // len(part.encode()))


@functools.cache
def _long_name() -> str:
    """Three thousand characters in Punycode, which Python decodes in the square of their number."""
    return "".join(chr(0x4E00 + each) for each in range(3000)).encode("punycode").decode()


SHAPES: Final[Mapping[str, Shape]] = {
    "letters": repeated("a"),
    "digits": repeated("9"),
    "spaces": lambda size: "a" + " " * (size - 2) + "a",
    "quotes": repeated('"'),
    "quoted": repeated('";'),
    "escaped quotes": lambda size: '"' + '\\"' * (size // 2 - 1),
    "semicolons": lambda size: "application/json" + ";" * (size - 16),
    "parameters": lambda size: "application/json" + ';a="' * ((size - 16) // 4),
    "charsets": lambda size: "application/json" + ";charset*0*=a''b" * ((size - 16) // 16),
    "commas": repeated(", "),
    "equals": repeated("=;"),
    "slashes": repeated("/."),
    "colons": repeated("0:"),
    "dots": repeated("1."),
    "at signs": repeated("a@"),
    "backslashes": repeated("\\"),
    "percents": repeated("%41"),
    "broken percents": repeated("%"),
    "brackets": repeated("["),
    "braces": repeated('{"a":'),
    "one xn-- label": lambda size: "xn--" + "a" * (size - 4),
    "one long name": lambda size: ("xn--" + _long_name())[:size],
    "xn-- labels": repeated("xn--a."),
    "labels": repeated("a."),
    "combining": lambda size: "a" + "\u0301\u0316" * (size // 4 - 1),
    "bidirectional": repeated("\u202e\u2066"),
    "expanding": repeated("\ufdfa"),
    "ranges": repeated("a/b;q=0.1,"),
    "tags": repeated('W/"a",'),
    "addresses": repeated("127.0.0.1,"),
    "forwarded": repeated('for="[::1]:1";'),
    "cookies": repeated('a="\\073";'),
    "hex": lambda size: "0x" + "a" * (size - 2),
    "key": lambda size: "A" * (size - 1) + "=",
}
"""One character again and again, alternating separators, quotes, and what libraries of HTTP, names and text look for."""

HEADERS: Final = (
    *("Content-Type", "Content-Encoding", "Content-Length", "Transfer-Encoding", "Expect", "Connection", "Upgrade", "TE"),
    *("Host", "X-Forwarded-For", "Forwarded", "Authorization", "X-Api-Key", "X-Wallet-Auth", "Idempotency-Key"),
    *("X-Correlation-Id", "Accept", "Accept-Language", "Accept-Encoding", "Accept-Charset", "Cookie", "Origin", "Referer"),
    *("Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Trailer", "Keep-Alive"),
    *("Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Access-Control-Request-Headers"),
)  # fmt: skip
"""Headers that the node, or the library below it, reads or may read one day."""
PREFIXES: Final = {"Authorization": ("", "Bearer ", "Basic ", "Digest "), "Transfer-Encoding": ("", "chunked, ")}
LISTED: Final = ("letters", "quoted", "commas", "ranges", "tags", "addresses", "forwarded", "cookies")
"""Shapes of headers that may be sent on many lines."""
UNDOCUMENTED: Final = ("/", "/core/v1/openapi.json", "/dashboard/", "/dashboard/none", "/swagger-ui/none", "/none")


@dataclass(frozen=True)
class Operation:
    """An operation of the OpenAPI document: its fields by name, its valid body, the parts of its path and its query."""

    method: str
    path: str
    fields: tuple[str, ...] = ()
    example: Any = None
    queries: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Attack:
    """One request, and what it tries; its bytes are made when they are sent, since there are hundreds of thousands."""

    what: str
    sent: Callable[[], bytes]


def operations(document: Mapping[str, Any]) -> list[Operation]:
    """Every operation of a node's document, and the paths that it does not describe."""
    found = [Operation("GET", path) for path in UNDOCUMENTED]
    for path, item in document["paths"].items():
        prefix = item.get("servers", document["servers"])[0]["url"].rstrip("/")
        found += [
            _operation(document, method.upper(), prefix + path, described)
            for method, described in item.items()
            if method in {"get", "post"}
        ]
    return found


def _operation(document: Mapping[str, Any], method: str, path: str, described: Mapping[str, Any]) -> Operation:
    media = described.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = media.get("schema", {})
    schema = document["components"]["schemas"].get(schema.get("$ref", "").rsplit("/", 1)[-1], schema)

    def named(place: str) -> tuple[str, ...]:
        return tuple(each["name"] for each in described.get("parameters", ()) if each.get("in") == place)

    return Operation(
        method,
        path,
        tuple(schema.get("properties", ())),
        media.get("example"),
        named("query"),
        named("path"),
        named("header"),
    )


def request(
    operation: Operation,
    *,
    target: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    key: str | None = None,
) -> bytes:
    """A request of the operation in bytes; `headers` replace the usual ones."""
    sent = {"Host": "localhost", "Connection": "close", "Content-Length": str(len(body))}
    if operation.method == "POST":
        sent["Content-Type"] = "application/json"
    if key is not None:
        sent["X-Api-Key"] = key
    sent |= headers or {}
    lines = [f"{name}: {value}".encode("utf-8", "surrogateescape") for name, value in sent.items()]
    line = operation.method.encode() + b" " + (target or operation.path.encode()) + b" HTTP/1.1"
    return b"\r\n".join([line, *lines, b"", body])


def header_attacks(operation: Operation, key: str | None) -> Iterator[Attack]:
    """Each shape as each header, and those of lists on as many lines as fit a head."""
    body = b"{}" if operation.method == "POST" else b""

    def attack(what: str, name: str, value: Callable[[], str]) -> Attack:
        return Attack(
            f"{operation}: {name}: {what}", lambda: request(operation, headers={name: value()}, body=body, key=key)
        )

    for name in dict.fromkeys((*HEADERS, *operation.headers)):
        for prefix, shape in itertools.product(PREFIXES.get(name, ("",)), SHAPES):
            yield attack(prefix + shape, name, functools.partial(_line, prefix, shape))
        for shape in LISTED:
            yield attack(f"{shape} on 100 lines", name, functools.partial(_lines, name, shape))
    for shape in _INSIDE_WALLET_HEADER:
        yield attack(f"base64 of {shape}", "X-Wallet-Auth", functools.partial(_wallet_header, shape))


def _line(prefix: str, shape: str) -> str:
    return prefix + SHAPES[shape](LINE_MAX)


def _lines(name: str, shape: str) -> str:
    return f"\r\n{name}: ".join([SHAPES[shape](200)] * 100)


_ROOM: Final = LINE_MAX * 3 // 4 - 100


def _signed(make: Shape) -> str:
    return json.dumps({"typed_data": make(_ROOM // 2), "signature": "0x" + "00" * 65})


def _signing(make: Shape) -> str:
    return json.dumps({"typed_data": {}, "signature": make(_ROOM // 2)})


_INSIDE_WALLET_HEADER: Final[Mapping[str, Callable[[], str]]] = {
    **{f"typed data of {shape}": functools.partial(_signed, make) for shape, make in SHAPES.items()},
    **{f"a signature of {shape}": functools.partial(_signing, make) for shape, make in SHAPES.items()},
    "nested": lambda: '{"typed_data":' + "[" * (_ROOM - 100),
    "nested and closed": lambda: '{"typed_data":' + "[" * 900 + "]" * 900 + ',"signature":"0x"}',
    "one number": lambda: '{"typed_data":' + "9" * (_ROOM - 100) + "}",
    "members": lambda: "{" + ",".join(f'"{n}":1' for n in range(600)) + "}",
}


def _wallet_header(shape: str) -> str:
    return base64.b64encode(_INSIDE_WALLET_HEADER[shape]().encode()[:_ROOM]).decode()


def target_attacks(operation: Operation, key: str | None) -> Iterator[Attack]:
    """Each shape as each part of the target: authority, path, its parts, query, and each of the query's fields."""
    path = operation.path
    # `{}` is where the text goes; a part of the path has braces as well, and is put there by its name.
    places = {
        "authority": ("http://{}", path),
        "user": ("https://{}@localhost", path),
        "bare authority": ("{}", ""),
        "path": ("/{}", ""),
        "two slashes": ("//{}", path),
        "rest of the path": ("", path + "/{}"),
        "query": ("", path + "?{}"),
        "name in the query": ("", path + "?{}=1"),
        "fragment": ("", path + "#{}"),
        **{f"query {name}": ("", f"{path}?{name}={{}}") for name in operation.queries},
        **{f"part {name}": ("", path.replace(f"{{{name}}}", "{}")) for name in operation.parts},
    }
    for (place, parts), shape, escaped in itertools.product(places.items(), SHAPES, (False, True)):
        sent = functools.partial(_with_target, operation, "".join(parts), shape, key, escaped=escaped)
        yield Attack(f"{operation}: {place}{' escaped' * escaped}: {shape}", sent)
    for method, shape in itertools.product(("CONNECT", "OPTIONS", "HEAD", "A" * LINE_MAX), SHAPES):
        sent = functools.partial(_with_target, Operation(method, path), "{}", shape, None, escaped=False)
        yield Attack(f"{method[:9]} {shape}", sent)


def _with_target(operation: Operation, pattern: str, shape: str, key: str | None, *, escaped: bool) -> bytes:
    room = LINE_MAX - 600
    text = quote(SHAPES[shape](room // 3)) if escaped else SHAPES[shape](room)
    target = pattern.replace("{}", text).replace(" ", "+").encode()
    return request(operation, target=target[:LINE_MAX], key=key)


_MODULUS: Final = 2**61 - 1
"""Python's hash of an `int` is its remainder: every multiple of this has the hash 0."""


def _colliding(form: str, most: int) -> Shape:
    """A list of different numbers up to `most` with few hashes, in the form."""
    step = _MODULUS if most > 2**64 else 2**44

    def make(size: int) -> str:
        count = min(size // (len(form.format(most)) + 1), most // step)
        return "[" + ",".join(form.format(step * each) for each in range(1, count + 1)) + "]"

    return make


def _text(make: Shape, size: int) -> str:
    return json.dumps(make(size), ensure_ascii=False)


VALUES: Final[Mapping[str, Shape]] = {
    **{shape: functools.partial(_text, make) for shape, make in SHAPES.items()},
    "escapes": lambda size: '"' + "\\u0041" * (size // 6) + '"',
    "half surrogates": lambda size: '"' + "\\ud800" * (size // 6) + '"',
    "nested": lambda size: "[" * size,
    "nested and closed": lambda _: "[" * 900 + "]" * 900,
    "nested objects": lambda _: '{"a":' * 900 + "1" + "}" * 900,
    "one number": lambda size: "9" * size,
    "one fraction": lambda size: "0." + "9" * size,
    "one exponent": lambda size: "1e" + "9" * min(size, 100),
    "numbers": lambda size: "[" + ",".join(["1"] * (size // 2)) + "]",
    "long numbers": lambda size: "[" + ",".join(["9" * 78] * (size // 79)) + "]",
    "texts": lambda size: "[" + ",".join(['"a"'] * (size // 4)) + "]",
    "wallets": lambda size: "[" + ",".join(f'"0x{n:040x}"' for n in range(1, size // 45)) + "]",
    "empty objects": lambda size: "[" + ",".join(["{}"] * (size // 3)) + "]",
    "objects": lambda size: "[" + ",".join(['{"a":1}'] * (size // 8)) + "]",
    "colliding numbers": _colliding("{}", 10**77),
    "colliding decimals": _colliding('"{}"', 10**77),
    "colliding hex": _colliding('"0x{:x}"', 2**255),
    "colliding hashes": _colliding('"0x{:064x}"', 2**255),
    "colliding ids": _colliding("{}", 2**64),
    "colliding ids in hex": _colliding('"0x{:x}"', 2**64),
    "empty lists": lambda size: "[" + ",".join(["[]"] * (size // 3)) + "]",
    "members": lambda size: "{" + ",".join(f'"{n:x}":1' for n in range(size // 9)) + "}",
    "one member again": lambda size: "{" + ",".join(['"a":1'] * (size // 6)) + "}",
}
"""Hostile JSON values of so many bytes, as text: many would not survive a parser on the way."""


def body_attacks(operation: Operation, key: str | None, size: int) -> Iterator[Attack]:
    """Each hostile value as the whole body and as each field of it, the others being those of the example."""
    if operation.method != "POST":
        return
    for field, shape in itertools.product((None, *operation.fields), VALUES):
        sent = functools.partial(_with_value, operation, field, shape, size, key)
        yield Attack(f"{operation}: {field or 'body'} of {size}: {shape}", sent)
    yield Attack(f"{operation}: chunks of one byte", functools.partial(_in_chunks, operation, size, key))


def _with_value(operation: Operation, field: str | None, shape: str, size: int, key: str | None) -> bytes:
    value = VALUES[shape](size)
    if field is not None:
        valid = operation.example if isinstance(operation.example, dict) else {}
        others = [f"{json.dumps(each)}:{json.dumps(given)}" for each, given in valid.items() if each != field]
        value = "{" + ",".join([*others, f"{json.dumps(field)}:{value}"]) + "}"
    return request(operation, body=value.encode(), key=key)


def _in_chunks(operation: Operation, size: int, key: str | None) -> bytes:
    chunk = b"1;" + b"e" * 60 + b"\r\n \r\n"
    head = request(operation, headers={"Transfer-Encoding": "chunked"}, key=key).replace(b"Content-Length: 0\r\n", b"")
    return head + chunk * (size // len(chunk)) + b"0\r\n" + b"X-A: b\r\n" * 100 + b"\r\n"
