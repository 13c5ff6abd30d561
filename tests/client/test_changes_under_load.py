"""Certificates that change and instances that die under load: no call is lost, and none is done twice."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from svc_client import Unanswered
from svc_client.transport import Call, Repeat, Transport, TrustIn
from tests.support.client_attacks import Attack
from tests.support.instances import Instance, running_app

CALLS = 500


@dataclass
class Store:
    """Effects that all instances share, as the node's database is: each Idempotency-Key once."""

    answers: dict[str, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    after: Callable[[], None] | None = None
    """Called once when half of the calls are done."""


@dataclass
class Working(Instance):
    """An instance that does what it is asked, and forgets its answers where it is dead."""

    store: Store = field(default_factory=Store)
    is_dead: bool = False
    open: set[Any] = field(default_factory=set)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.open.add(request.transport)
        if request.path != "/core/v1/work":
            return await super().answer(request)
        body = (await request.read()).decode()
        key = request.headers.get("Idempotency-Key", "")
        if key not in self.store.answers:
            self.store.done[body] += 1
            if key:
                self.store.answers[key] = body
        if self.store.after is not None and sum(self.store.done.values()) >= CALLS // 2:
            after, self.store.after = self.store.after, None
            after()
        await asyncio.sleep(0)
        return web.json_response({"instance": self.name})

    def die(self) -> None:
        """End every connection at once, answers under way included."""
        self.is_dead = True
        for each in self.open:
            if each is not None:
                each.abort()


def work(number: int, repeat: Repeat = Repeat.WITH_KEY) -> Call:
    return Call("POST", "/work", {"number": number}, repeat)


@pytest.mark.exhaustive
async def test_a_certificate_changes_under_five_hundred_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections from before go on; those that are opened later are proven by the new evidence, once."""
    node = Working("a")
    async with running_app(node) as app:
        attack = Attack(app, tmp_path, monkeypatch)
        transport = Transport(app.origin, "key", TrustIn(), timeout_s=120.0)
        node.store.after = lambda: node.rotate("b")
        first = await asyncio.gather(*(transport.call(work(number)) for number in range(CALLS)))
        assert len(app.nonces) <= 2
        assert {response.status for response in first} == {200}
        attack.now_s = 3_600.0
        second = await asyncio.gather(*(transport.call(work(number)) for number in range(CALLS, 2 * CALLS)))
        assert {response.json()["instance"] for response in second} == {"b"}  # type: ignore[call-overload, index]
        await transport.close()
    assert set(node.store.done.values()) == {1}
    assert len(node.store.done) == 2 * CALLS


@pytest.mark.exhaustive
@pytest.mark.parametrize("limits_rest_s", [0.0, 5.0])
async def test_kept_connections_of_before_a_change_are_replaced_when_freshness_runs_out(
    limits_rest_s: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from svc_verifier.session import SessionLimits  # noqa: PLC0415 - for this one

    node = Working("a")
    async with running_app(node) as app:
        attack = Attack(app, tmp_path, monkeypatch, SessionLimits(rest_s=limits_rest_s))
        transport = Transport(app.origin, "key", TrustIn())
        await asyncio.gather(*(transport.call(work(number)) for number in range(20)))
        node.rotate("b")
        attack.now_s = 3_600.0
        responses = await asyncio.gather(*(transport.call(work(number)) for number in range(20, 40)))
        assert {response.status for response in responses} == {200}
        await transport.close()
    assert set(node.store.done.values()) == {1}


@pytest.mark.exhaustive
@pytest.mark.parametrize("repeat", [Repeat.WITH_KEY, Repeat.WHEN_REFUSED])
async def test_an_instance_dies_behind_a_balancer(
    repeat: Repeat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a key every call has its answer; without one a call has an answer or says that it may have been done."""
    store = Store()
    one, two = Working("a", store=store), Working("b", store=store)
    async with running_app(one, two) as app:
        Attack(app, tmp_path, monkeypatch)
        next_port = app.balancer.next_port
        ports = {next_port(): two, next_port(): one}

        def alive() -> int:
            found = next_port()
            return 1 if ports[found].is_dead else found

        app.balancer.next_port = alive
        store.after = two.die
        transport = Transport(app.origin, "key", TrustIn(), timeout_s=120.0)
        calls = (transport.call(work(number, repeat)) for number in range(CALLS))
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        await transport.close()
    assert two.is_dead
    failed = [each for each in outcomes if isinstance(each, BaseException)]
    if repeat is Repeat.WITH_KEY:
        assert not failed
    else:
        assert all(isinstance(each, Unanswered) for each in failed)
    assert set(store.done.values()) == {1}
    assert len(store.done) >= CALLS - len(failed)


@pytest.mark.parametrize("calls", [50])
async def test_calls_that_wait_for_one_refusal_share_it(
    calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forger = Instance("f", shown="a")
    async with running_app(forger) as app:
        Attack(app, tmp_path, monkeypatch)
        transport = Transport(app.origin, "key", TrustIn())
        waiting = (transport.call(Call("GET", "/who")) for _ in range(calls))
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        await transport.close()
        assert {type(each).__name__ for each in outcomes} == {"NodeNotAccepted"}
        assert len(app.nonces) == 1
    assert not forger.told
