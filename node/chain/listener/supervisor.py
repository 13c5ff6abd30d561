"""The listener: one follower per endpoint, each run until the end whatever happens to it, none held up by another."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import NoReturn

import structlog

from node.chain.listener.cursors import CursorKey
from node.chain.listener.follower import Follower, FollowerStatus, ListenerPorts, PollResult
from node.chain.listener.limits import ListenerLimits
from node.chain.listener.new_heads import NewHeads
from node.chain.listener.queries import ListenedContract
from node.chain.port import Head
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.tally import at_most
from node.chain.rpc import Endpoint, RpcError, WebsocketAddress
from node.errors import StartupRefusedError
from node.runtime.backoff import Backoff
from node.runtime.clock import Clock

_log = structlog.get_logger(__name__)


class Listener:
    """Follows all endpoints of `client` while its context is open.

    `websocket_endpoints` is empty, or as long as the endpoints: a ws(s) URL each, or "" for the endpoint's own URL with
    ws for http. Raises StartupRefusedError (`rpc_websocket_endpoints`).
    """

    def __init__(
        self,
        client: QuorumClient,
        contract: ListenedContract,
        ports: ListenerPorts,
        limits: ListenerLimits,
        clocks: Clock,
        websocket_endpoints: Sequence[str] = (),
    ) -> None:
        self._quorum = client.quorum
        endpoints = client.rpc.endpoints
        websockets = _websockets(websocket_endpoints, len(endpoints))
        self._watches: list[_Watch] = []
        for index, (endpoint, url) in enumerate(zip(endpoints, websockets, strict=True)):
            key = CursorKey(contract.chain_id, contract.address.lower(), f"{index} {endpoint.host}")
            follower = Follower(endpoint, contract, key, ports, limits, clocks)
            self._watches.append(_Watch(follower, endpoint, endpoint.websocket(url), contract.chain_id, ports, limits))

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Begin to follow; on leaving, every task and connection is closed."""
        tasks = [asyncio.create_task(work) for watch in self._watches for work in (watch.poll(), watch.listen())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def lag_s(self) -> float | None:
        """Age of the last change that may be missed: within so many seconds a quorum of endpoints was read to a fresh head.

        So at least one honest endpoint is as fresh as that. None until enough of them have been.
        """
        lags = [lag for watch in self._watches if (lag := watch.follower.lag_s()) is not None]
        return at_most(lags, self._quorum) if len(lags) >= self._quorum else None

    def status(self) -> tuple[FollowerStatus, ...]:
        """Status of each follower, in the order of the endpoints."""
        return tuple(watch.status() for watch in self._watches)


def _websockets(named: Sequence[str], endpoints: int) -> Sequence[str | None]:
    if named and len(named) != endpoints:
        raise StartupRefusedError(
            "rpc_websocket_endpoints",
            "Name as many as rpc_endpoints, in the same order (empty where unknown), or none.",
        )
    return [url or None for url in named] if named else [None] * endpoints


class _Watch:
    """The follower of an endpoint, and the websocket that wakes it."""

    def __init__(
        self,
        follower: Follower,
        endpoint: Endpoint,
        websocket: WebsocketAddress,
        chain_id: int,
        ports: ListenerPorts,
        limits: ListenerLimits,
    ) -> None:
        self._limits = limits
        self._endpoint = endpoint
        self._heads = ports.heads
        self._woken = asyncio.Event()
        self._failures = 0
        self._backoff = Backoff(limits.backoff_min_s, limits.backoff_max_s)
        self.follower = follower
        self._new_heads = NewHeads(websocket, chain_id, self._announced, limits)

    def status(self) -> FollowerStatus:
        head = self.follower.head
        return FollowerStatus(None if head is None else head.number, self.follower.lag_s(), self._new_heads.subscribed)

    def _announced(self, head: Head) -> None:
        self._woken.set()
        self._heads.saw(self._endpoint, head)

    async def listen(self) -> NoReturn:
        await self._new_heads.run()

    async def poll(self) -> NoReturn:
        """Poll for ever. A wake cuts short the pause after a poll that went well, never the one after a failure."""
        loop = asyncio.get_running_loop()
        while True:
            self._woken.clear()
            begun = loop.time()
            try:
                progress = await self.follower.poll()
            except RpcError as error:
                await self._failed(str(error))
            except Exception as error:  # noqa: BLE001 - whatever it is, this endpoint is followed on
                await self._failed(type(error).__name__)
            else:
                await self._polled(progress, begun + self._limits.poll_s - loop.time())

    async def _failed(self, why: str) -> None:
        """Say so once, and wait."""
        if self._failures == 0:
            _log.warning("listener_poll_failed", host=self._endpoint.host, why=why)
        self._failures += 1
        await asyncio.sleep(self._backoff.failed())

    async def _polled(self, progress: PollResult, next_in_s: float) -> None:
        """Polls begin `poll_s` apart, so that a change is known within that time and one poll's.

        Of several servers behind one name, the next one asked may well have the block that this one lacks. No logs were
        read, so it is asked again after a failure's pause.
        """
        if self._failures:
            _log.info("listener_recovered", host=self._endpoint.host, after_failures=self._failures)
        self._failures = 0
        if progress is PollResult.BEHIND:
            await asyncio.sleep(self._backoff.failed())
            return
        self._backoff.succeeded()
        await asyncio.sleep(self._limits.wake_min_s)
        if progress is PollResult.MORE:
            return
        # Not asyncio.wait_for: in Python 3.11 it swallows a cancellation that comes with a wake, and polls on for ever.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, next_in_s - self._limits.wake_min_s)):
                await self._woken.wait()
