"""Runs one follower per provider, and a websocket that makes its polls come at once.

No follower waits for another. Polls work without announcements (`eth_subscribe` newHeads).
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final, NoReturn

import structlog
from pydantic import JsonValue

from node.chain.listener.follower import CursorKey, Follower, FollowerStatus, ListenerPorts, PollResult
from node.chain.listener.queries import EXCHANGE_TIMEOUT_S, ListenedContract
from node.chain.port import Head
from node.chain.quorum.client import QuorumClient, at_most
from node.chain.rpc import Provider, RpcError, RpcUnavailableError, Websocket, WebsocketAddress, parse_quantity
from node.chain.rpc.answers import parse_head
from node.errors import StartupRefusedError
from node.runtime.clock import Backoff, Clock
from node.runtime.tasks import TaskSet
from node.settings.chain import ListenerSettings

WAKE_MIN_S: Final = 0.1
"""Shortest pause between two polls, and between two announcements that are read."""

BACKOFF_MIN_S: Final = 0.5
BACKOFF_MAX_S: Final = 10.0
"""Pause after a poll that failed, doubled each time: at most one regular poll interval."""

WEBSOCKET_BACKOFF_MIN_S: Final = 1.0
WEBSOCKET_BACKOFF_MAX_S: Final = 60.0
"""Pause before a lost websocket is opened again, doubled each time. Many providers offer none."""

WEBSOCKET_SILENCE_S: Final = 120.0
"""Silence after which a subscription is renewed: ten blocks of Ethereum."""

CHAIN_ID_CALL: Final = 1
SUBSCRIBE_CALL: Final = 2

_log = structlog.get_logger(__name__)


class Listener:
    """Follows all providers of `client` while its context is open.

    `websocket_providers` is empty, or has for each provider a ws(s) URL, or "" for the provider's
    own URL with ws for http. Raises StartupRefusedError (`rpc_websocket_endpoints`).
    """

    def __init__(
        self,
        client: QuorumClient,
        contract: ListenedContract,
        ports: ListenerPorts,
        settings: ListenerSettings,
        clock: Clock,
        websocket_providers: Sequence[str] = (),
    ) -> None:
        self._quorum = client.quorum
        providers = client.rpc.providers
        if websocket_providers and len(websocket_providers) != len(providers):
            raise StartupRefusedError(
                "rpc_websocket_endpoints",
                "Name as many as rpc_endpoints, in the same order (empty where unknown), or none.",
            )
        websockets = [url or None for url in websocket_providers or [""] * len(providers)]
        self._watches: list[_Watch] = []
        for index, (provider, url) in enumerate(zip(providers, websockets, strict=True)):
            # Two providers may share a host, so the index is part of the key. A reordered list
            # begins without cursors, which is safe.
            key = CursorKey(contract.chain_id, contract.address.lower(), f"{index} {provider.host}")
            follower = Follower(provider, contract, key, ports, settings, clock)
            new_heads = NewHeads(provider.websocket(url), contract.chain_id)
            self._watches.append(_Watch(follower, provider, new_heads, ports.saw, settings.listener_poll_s))

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Begins to follow; on leaving, every task and connection is closed."""
        tasks = TaskSet("chain_listener")
        for watch in self._watches:
            tasks.start(watch.poll())
            tasks.start(watch.listen())
        try:
            yield
        finally:
            await tasks.stop()

    def lag_s(self) -> float | None:
        """Returns the age in seconds of the oldest change that may be missed, or None.

        A quorum of providers was read to a fresh head within that time; one of a quorum is honest.
        """
        lags = [lag for watch in self._watches if (lag := watch.follower.lag_s()) is not None]
        # The quorum-th smallest lag: a liar that claims to be current cannot lower it.
        return at_most(lags, self._quorum) if len(lags) >= self._quorum else None

    def status(self) -> tuple[FollowerStatus, ...]:
        """Returns the status of each follower, in the order of the providers."""
        return tuple(watch.status() for watch in self._watches)


class _Watch:
    """Follower of a provider, and the websocket that wakes it. Polls begin `poll_s` apart."""

    def __init__(
        self,
        follower: Follower,
        provider: Provider,
        new_heads: "NewHeads",
        saw: Callable[[Provider, Head], None],
        poll_s: float,
    ) -> None:
        self._provider = provider
        self._new_heads = new_heads
        self._saw = saw
        self._poll_s = poll_s
        self._woken = asyncio.Event()
        self._failures = 0
        self._backoff = Backoff(BACKOFF_MIN_S, BACKOFF_MAX_S)
        self.follower = follower

    def status(self) -> FollowerStatus:
        head = self.follower.head
        return FollowerStatus(None if head is None else head.number, self.follower.lag_s(), self._new_heads.subscribed)

    def _announced(self, head: Head) -> None:
        # An announcement voids nothing: it wakes the poll, which reads the logs.
        self._woken.set()
        self._saw(self._provider, head)

    async def listen(self) -> NoReturn:
        await self._new_heads.run(self._announced)

    async def poll(self) -> NoReturn:
        """Polls without end. A wake cuts short the pause after success, never after a failure."""
        loop = asyncio.get_running_loop()
        while True:
            self._woken.clear()
            begun = loop.time()
            try:
                progress = await self.follower.poll()
            except RpcError as error:
                await self._failed(str(error))
            except Exception as error:  # noqa: BLE001 - no error ends the polls of a provider
                await self._failed(type(error).__name__)
            else:
                await self._polled(progress, begun + self._poll_s - loop.time())

    async def _failed(self, why: str) -> None:
        """Logs the first failure of a series, and waits."""
        if self._failures == 0:
            _log.warning("listener_poll_failed", host=self._provider.host, why=why)
        self._failures += 1
        # Not cut short by a wake: announcements must not undo the back-off.
        await asyncio.sleep(self._backoff.failed())

    async def _polled(self, progress: PollResult, next_in_s: float) -> None:
        """Waits for the next poll, `poll_s` after the last began, or for an announcement."""
        if self._failures:
            _log.info("listener_recovered", host=self._provider.host, after_failures=self._failures)
        self._failures = 0
        if progress is PollResult.BEHIND:
            # Another server behind the name may have the block. No logs were read: back off.
            await asyncio.sleep(self._backoff.failed())
            return
        self._backoff.succeeded()
        await asyncio.sleep(WAKE_MIN_S)
        if progress is PollResult.MORE:
            return
        # Not asyncio.wait_for: in Python 3.11 it swallows a cancellation that comes with a wake.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, next_in_s - WAKE_MIN_S)):
                await self._woken.wait()


class NewHeads:
    """Keeps one subscription to the new heads of a provider."""

    def __init__(self, address: WebsocketAddress, chain_id: int) -> None:
        self._address = address
        self._chain_id = chain_id
        self.subscribed = False

    async def run(self, on_head: Callable[[Head], None]) -> NoReturn:
        """Subscribes without end; calls `on_head` with every announced head.

        Failures to open are not logged: many providers offer no websocket.
        """
        backoff = Backoff(WEBSOCKET_BACKOFF_MIN_S, WEBSOCKET_BACKOFF_MAX_S)
        while True:
            try:
                async with self._address.open() as websocket:
                    await self._listen(websocket, backoff, on_head)
            # A lost subscription loses no event: polls go on, and see changes later.
            except RpcUnavailableError as error:
                self._ended(error.why)
            except Exception as error:  # noqa: BLE001 - no error ends the subscription; polls continue meanwhile
                self._ended(type(error).__name__)
            finally:
                self.subscribed = False
            await asyncio.sleep(backoff.failed())

    def _ended(self, why: str) -> None:
        if self.subscribed:
            _log.info("new_heads_ended", host=self._address.host, why=why)

    async def _listen(self, websocket: Websocket, backoff: Backoff, on_head: Callable[[Head], None]) -> None:
        answered = await self._call(websocket, CHAIN_ID_CALL, "eth_chainId", [])
        # The websocket's URL is set apart from the provider's and may name another chain.
        if parse_quantity(answered) != self._chain_id:
            raise RpcUnavailableError(self._address.host, "its websocket serves another chain")
        subscription = await self._call(websocket, SUBSCRIBE_CALL, "eth_subscribe", ["newHeads"])
        if not isinstance(subscription, str):
            raise RpcUnavailableError(self._address.host, "its websocket takes no subscription")
        self.subscribed = True
        _log.info("new_heads_subscribed", host=self._address.host)
        while True:
            head = self._announced(await websocket.receive(WEBSOCKET_SILENCE_S), subscription)
            backoff.succeeded()
            on_head(head)
            # Announcements wait in the socket meanwhile; a flood cannot occupy the event loop.
            await asyncio.sleep(WAKE_MIN_S)

    async def _call(self, websocket: Websocket, number: int, method: str, params: list[JsonValue]) -> JsonValue:
        await websocket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        answer = self._parsed(await websocket.receive(EXCHANGE_TIMEOUT_S))
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
