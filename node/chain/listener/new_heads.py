"""`eth_subscribe` newHeads over a websocket: news that make a poll come at once, and nothing polls depend on."""

import asyncio
import json
from collections.abc import Callable
from typing import Final, NoReturn

import structlog
from pydantic import JsonValue

from node.chain.listener.limits import ListenerLimits
from node.chain.port import Head
from node.chain.quorum.heads import parse_head
from node.chain.rpc import RpcUnavailableError, Websocket, WebsocketAddress, parse_quantity
from node.runtime.backoff import Backoff

CHAIN_ID_CALL: Final = 1
SUBSCRIBE_CALL: Final = 2

_log = structlog.get_logger(__name__)


class NewHeads:
    """Keeps one subscription; `on_head` is called with every announced head."""

    def __init__(
        self, address: WebsocketAddress, chain_id: int, on_head: Callable[[Head], None], limits: ListenerLimits
    ) -> None:
        self._address = address
        self._chain_id = chain_id
        self._on_head = on_head
        self._limits = limits
        self.subscribed = False

    async def run(self) -> NoReturn:
        """Subscribe, again and again, for ever. Most endpoints offer no websocket, so failing says nothing in the log."""
        backoff = Backoff(self._limits.websocket_backoff_min_s, self._limits.websocket_backoff_max_s)
        while True:
            try:
                async with self._address.open(self._limits.websocket) as websocket:
                    await self._listen(websocket, backoff)
            except RpcUnavailableError as error:
                self._ended(error.why)
            except Exception as error:  # noqa: BLE001 - a listener never ends; the polls go on meanwhile
                self._ended(type(error).__name__)
            finally:
                self.subscribed = False
            await asyncio.sleep(backoff.failed())

    def _ended(self, why: str) -> None:
        if self.subscribed:
            _log.info("new_heads_ended", host=self._address.host, why=why)

    async def _listen(self, websocket: Websocket, backoff: Backoff) -> None:
        answered = await self._call(websocket, CHAIN_ID_CALL, "eth_chainId", [])
        if parse_quantity(answered) != self._chain_id:
            raise RpcUnavailableError(self._address.host, "its websocket serves another chain")
        subscription = await self._call(websocket, SUBSCRIBE_CALL, "eth_subscribe", ["newHeads"])
        if not isinstance(subscription, str):
            raise RpcUnavailableError(self._address.host, "its websocket takes no subscription")
        self.subscribed = True
        _log.info("new_heads_subscribed", host=self._address.host)
        while True:
            head = self._announced(await websocket.receive(self._limits.websocket_silence_s), subscription)
            backoff.succeeded()
            self._on_head(head)
            # Announcements wait in the socket meanwhile: a flood of them takes the loop from nobody.
            await asyncio.sleep(self._limits.wake_min_s)

    async def _call(self, websocket: Websocket, number: int, method: str, params: list[JsonValue]) -> JsonValue:
        await websocket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        answer = self._parsed(await websocket.receive(self._limits.exchange_timeout_s))
        if answer.get("id") != number or "result" not in answer:
            raise RpcUnavailableError(self._address.host, f"its websocket gives no answer to {method}")
        return answer["result"]

    def _announced(self, message: str, subscription: str) -> Head:
        params = self._parsed(message).get("params")
        if isinstance(params, dict) and params.get("subscription") == subscription:
            head = parse_head(params.get("result"))
            if head is not None:
                return head
        raise RpcUnavailableError(self._address.host, "its websocket announces something else than heads")

    def _parsed(self, message: str) -> dict[str, JsonValue]:
        try:
            parsed = json.loads(message)
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            raise RpcUnavailableError(self._address.host, "its websocket speaks no JSON-RPC")
        return parsed
