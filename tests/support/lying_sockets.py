"""What the websocket of one provider may do: `proxy.socket_behaviour = SOCKET_LIES[name]`."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import aiohttp
from aiohttp import web

from tests.support.lying_heads import invented_hash
from tests.support.rpc_proxy import SocketBehaviour

SUBSCRIPTION: Final = "0x1"
FLOOD: Final = 100
"""Messages between two pauses: a flood must leave the test's own event loop alive."""
PAUSE_S: Final = 0.001


def _head(number: int) -> dict[str, Any]:
    hashes = {"hash": invented_hash(number), "parentHash": invented_hash(number - 1)}
    return hashes | {"number": hex(number), "timestamp": hex(1_800_000_000 + number)}


def news(result: Any) -> str:
    """A message of a subscription."""
    return json.dumps(
        {"jsonrpc": "2.0", "method": "eth_subscription", "params": {"subscription": SUBSCRIPTION, "result": result}}
    )


async def _subscribed(client: web.WebSocketResponse) -> None:
    """Answers the first request as a subscription."""
    asked = await client.receive_json()
    await client.send_json({"jsonrpc": "2.0", "id": asked["id"], "result": SUBSCRIPTION})


async def _for_ever() -> None:
    await asyncio.Event().wait()


def saying_once(messages: Callable[[], list[str]], *, subscribe: bool = True) -> SocketBehaviour:
    """These messages after the subscription, then silence."""

    async def behaviour(client: web.WebSocketResponse, chain: aiohttp.ClientWebSocketResponse) -> None:
        if subscribe:
            await _subscribed(client)
        for message in messages():
            await client.send_str(message)
        await _for_ever()

    return behaviour


async def flood(client: web.WebSocketResponse, chain: aiohttp.ClientWebSocketResponse) -> None:
    """Invented heads without end."""
    await _subscribed(client)
    heads = [news(_head(number)) for number in range(1, FLOOD)]
    while not client.closed:
        for head in heads:
            await client.send_str(head)
        await asyncio.sleep(PAUSE_S)


async def drop(client: web.WebSocketResponse, chain: aiohttp.ClientWebSocketResponse) -> None:
    """Closes as soon as it is asked anything."""
    await client.receive()


async def refuse(client: web.WebSocketResponse, chain: aiohttp.ClientWebSocketResponse) -> None:
    """Has no subscriptions."""
    asked = await client.receive_json()
    await client.send_json(
        {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no such method"}}
    )
    await _for_ever()


async def binary(client: web.WebSocketResponse, chain: aiohttp.ClientWebSocketResponse) -> None:
    """Binary frames."""
    await _subscribed(client)
    await client.send_bytes(b"\x00\xff" * 100)
    await _for_ever()


SOCKET_LIES: Final[Mapping[str, SocketBehaviour | None]] = {
    "no websocket": None,
    "hangs": saying_once(list, subscribe=False),
    "silent after the subscription": saying_once(list),
    "invented heads": saying_once(lambda: [news(_head(number)) for number in (10**9, 1, 10**9 + 1)]),
    "garbage": saying_once(
        lambda: ["", "{", "[]", "null", news(None), news({"number": -1}), news(_head(5) | {"hash": 7})]
    ),
    "a huge message": saying_once(lambda: ["0" * (17 << 20)]),
    "floods": flood,
    "drops": drop,
    "refuses": refuse,
    "binary": binary,
}
