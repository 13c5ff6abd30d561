"""Packages of npm, bundled as docs/actions.md says, do in an action what they do in Node, and ask a server the same."""

import asyncio
import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from pydantic import JsonValue

from tests.engine.egress.servers import Answer, Asked, Server, answer, server
from tests.engine.egress.test_in_actions import response
from tests.engine.language.twin import in_node
from tests.support.bundling import bundled

USES: Final = {path.stem: path for path in sorted((Path(__file__).parent / "uses").glob("*.js"))}
QUICK: Final = ("openai", "axios")
JSON: Final = "Content-Type: application/json"
EVENTS: Final = "Content-Type: text/event-stream"
BOUNDARY: Final = re.compile(rb"-{4}formdata-[0-9a-z-]+|-{4}WebKitFormBoundary\w+")


def whole(value: JsonValue, *headers: str, status: str = "200 OK") -> bytes:
    return answer(json.dumps(value).encode(), JSON, *headers, status=status)


def events(*data: Mapping[str, JsonValue], named: bool = False) -> bytes:
    """Server-sent events, which end with OpenAI's `[DONE]` unless each has its name."""
    lines = [(f"event: {each['type']}\n" if named else "") + f"data: {json.dumps(each)}\n\n" for each in data]
    return answer("".join([*lines, *([] if named else ["data: [DONE]\n\n"])]).encode(), EVENTS)


def completion(choice: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    usage: dict[str, JsonValue] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, **choice}],
        "usage": usage,
    }


def piece(delta: dict[str, JsonValue], finish: str | None = None) -> Mapping[str, JsonValue]:
    return completion({"delta": delta, "finish_reason": finish})


async def completions(asked: Asked, writer: asyncio.StreamWriter) -> None:
    if not json.loads(asked.body).get("stream"):
        writer.write(whole(completion({"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"})))
        return
    writer.write(events(*(piece({"content": text}) for text in ("h", "é", "✓")), piece({}, "stop")))


def text_delta(text: str) -> Mapping[str, JsonValue]:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}


async def messages(asked: Asked, writer: asyncio.StreamWriter) -> None:
    message: dict[str, JsonValue] = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [],
    }
    if not json.loads(asked.body).get("stream"):
        writer.write(whole({**message, "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}))
        return
    block: dict[str, JsonValue] = {"type": "text", "text": ""}
    stop: dict[str, JsonValue] = {"stop_reason": "end_turn", "stop_sequence": None}
    writer.write(
        events(
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            *map(text_delta, ("h", "é✓")),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
            named=True,
        )
    )


async def echo(asked: Asked, writer: asyncio.StreamWriter) -> None:
    kind = asked.headers.get("content-type", "").partition(";")[0]
    writer.write(whole([asked.method, kind, BOUNDARY.sub(b"B", asked.body).decode("latin-1")]))


async def rpc(asked: Asked, writer: asyncio.StreamWriter) -> None:
    call = json.loads(asked.body)
    result = {"eth_blockNumber": "0x10", "eth_call": "0x" + "00" * 31 + "07"}[call["method"]]
    writer.write(whole({"jsonrpc": "2.0", "id": call["id"], "result": result}))


async def stored(asked: Asked, writer: asyncio.StreamWriter) -> None:
    if asked.method == "PUT":
        writer.write(answer(b"", f'ETag: "{len(asked.body)}"'))
    elif asked.method == "HEAD":
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nx-amz-meta-own: 1\r\n\r\n")
    else:
        writer.write(answer("content é".encode(), "Content-Type: text/plain"))


def flaky() -> Answer:
    """Fails the first time of each run."""
    failed: set[str] = set()

    async def serve(asked: Asked, writer: asyncio.StreamWriter) -> None:
        agent = asked.headers.get("user-agent", "")
        writer.write(answer(b"at last") if agent in failed else answer(b"no", status="503 Busy"))
        failed.add(agent)

    return serve


def paths() -> dict[str, bytes | Answer]:
    refused: JsonValue = {"error": {"message": "no such key", "type": "invalid_request_error"}}
    return {
        "/v1/chat/completions": completions,
        "/v1/files": whole({"id": "file-1", "object": "file"}),
        "/v1/files/file-1/content": answer(b"line\n", "Content-Type: application/octet-stream"),
        "/v1/models": whole(refused, status="401 Unauthorized"),
        "/v1/messages": messages,
        "/echo": echo,
        "/text": answer("text é".encode() * 9, "Content-Type: text/plain"),
        "/flaky": flaky(),
        "/gone": answer(b"gone", status="404 Not Found"),
        "/rpc": rpc,
        "/bucket/a%20key.txt": stored,
    }


def seen_by(origin: Server) -> list[tuple[str, str, str, str]]:
    """Returns the received requests without the parts that differ between runs, and forgets them."""
    asked = [
        (
            each.method,
            each.path,
            BOUNDARY.sub(b"B", each.headers.get("content-type", "").encode()).decode(),
            base64.b64encode(BOUNDARY.sub(b"B", each.body)).decode(),
        )
        for each in origin.asked
    ]
    origin.asked.clear()
    return asked


async def acts_as_in_node(name: str, folder: Path) -> None:
    code = await asyncio.to_thread(bundled, USES[name].read_text(), folder)
    async with server() as origin:
        origin.by_path = paths()
        theirs = await asyncio.to_thread(in_node, code, {"url": origin.url("")})
        asked = seen_by(origin)
        assert await response(code, origin) == theirs
        assert seen_by(origin) == asked


@pytest.mark.parametrize("name", QUICK)
async def test_a_package_acts_as_in_node(name: str, tmp_path: Path) -> None:
    await acts_as_in_node(name, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in USES if name not in QUICK])
async def test_each_other_package_acts_as_in_node(name: str, tmp_path: Path) -> None:
    await acts_as_in_node(name, tmp_path)
