"""Names are looked up beside the node's own work, and one account's slow ones leave others' turns alone."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Sequence
from functools import partial
from ipaddress import ip_address

import aiohttp
import pytest
from aiohttp.abc import ResolveResult

from node.engine.egress.connector import CheckedResolver, SystemResolver, checked_connector
from node.engine.egress.targets import AddressPolicy, FetchRefusedError
from node.runtime.limits import Gate, Held
from node.values import IpAddress
from tests.engine.egress.fetching import Names
from tests.engine.egress.servers import answer, server

ADDRESS = ip_address("1.1.1.1")


async def test_a_whole_name_is_asked_for_in_a_thread_of_its_own() -> None:
    asked: list[tuple[str, bool]] = []

    def ask(name: str) -> Sequence[IpAddress]:
        asked.append((name, threading.current_thread() is threading.main_thread()))
        return [ADDRESS]

    assert await SystemResolver(1, 1, ask)("api.example.org", 7) == [ADDRESS]
    assert asked == [("api.example.org.", False)]


async def test_the_system_is_asked_without_its_search_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def getaddrinfo(host: str, port: None, **kinds: int) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        asked.append(host)
        if host.startswith("none"):
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, kinds["type"], 6, "", ("1.1.1.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    lookup = SystemResolver(1, 1)
    assert await lookup("api.example.org", 7) == [ADDRESS]
    assert await lookup("none.example.org", 7) == []
    assert asked == ["api.example.org.", "none.example.org."]


async def test_abandoned_lookups_of_one_account_leave_turns_to_others() -> None:
    held = threading.Event()

    def ask(name: str) -> Sequence[IpAddress]:
        if name.startswith("slow"):
            held.wait(30)
        return [ADDRESS]

    lookup = SystemResolver(3, 2, ask)
    slow = [asyncio.create_task(lookup("slow.example.org", 1)) for _ in range(5)]
    await asyncio.sleep(0)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    # Both turns of account 1 are still taken, since its threads still ask; the third turn is there for anybody else.
    waiting = asyncio.create_task(lookup("quick.example.org", 1))
    assert await lookup("quick.example.org", 2) == [ADDRESS]
    assert not waiting.done()
    held.set()
    assert await waiting == [ADDRESS]


async def test_a_resolver_gives_what_was_checked_and_nothing_else() -> None:
    resolver = CheckedResolver(Names({"a.example.org": [["1.1.1.1", "2606:4700::1"]]}), AddressPolicy(), 7)
    found = await resolver.resolve("a.example.org", 443)
    assert [(each["host"], each["port"], each["family"]) for each in found] == [
        ("1.1.1.1", 443, socket.AF_INET),
        ("2606:4700::1", 443, socket.AF_INET6),
    ]
    with pytest.raises(FetchRefusedError):
        await resolver.resolve("none.example.org", 443)
    with pytest.raises(FetchRefusedError):
        await CheckedResolver(Names(), AddressPolicy(), 7).resolve("localhost", 80)


class Lying(CheckedResolver):
    """A resolver that checks nothing."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del family
        flags = socket.AI_NUMERICHOST
        return [ResolveResult(hostname=host, host="127.0.0.1", port=port, family=socket.AF_INET, proto=0, flags=flags)]


@pytest.mark.parametrize("host", ["a.example.org", "127.0.0.1"])
async def test_the_connection_itself_is_refused_where_nobody_has_checked(host: str) -> None:
    async with server() as trap:
        trap.by_path["/"] = answer(b"reached")
        for policy, reached in ((AddressPolicy(), False), (AddressPolicy(allow_loopback=True), True)):
            connector = checked_connector(
                Lying(Names(), policy, 7),
                policy,
                1,
                ssl.create_default_context(),
                partial(Held, Gate("none left", 1), 7),
            )
            async with aiohttp.ClientSession(connector=connector) as session:
                if reached:
                    async with session.get(trap.url(host=host)) as response:
                        assert await response.read() == b"reached"
                else:
                    with pytest.raises(aiohttp.ClientConnectorError):
                        await session.get(trap.url(host=host))
            assert trap.connections == reached
