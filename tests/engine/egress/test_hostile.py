"""The hostile cases of tests/engine/egress/hostile, each numbered there, and hostile requests that are no data."""

import asyncio
import gzip
import socket
import tomllib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from node.engine.port import HostCallError
from node.runtime.limits import LimitReachedError
from node.settings.execution import HostList
from tests.engine.egress.fetching import LIMITS, LOOPBACK, Names, fetching
from tests.engine.egress.servers import Answer, Asked, answer, redirect, server
from tests.support.settings import changed

HOSTILE = Path(__file__).parent / "hostile"
HALF_A_PAIR = "\ud83d"
PATIENT = changed(
    LIMITS,
    egress_timeout_s=60.0,
    egress_response_body_bytes=100_000,
    egress_redirects=3,
)
SHORT = changed(PATIENT, egress_timeout_s=0.5)
"""For those that only time ends; the others must get to their own end, also on a slow machine."""
GRACE_S = 20.0
DRIP_S = 0.02
BLOCK = 1 << 16


@pytest.fixture(autouse=True)
def _limits_of_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.egress.egress.READING_CPU_S", 60.0)
    monkeypatch.setattr("node.engine.egress.client.RESPONSE_HEADERS_MAX", 50)
    monkeypatch.setattr("node.engine.egress.client.RESPONSE_HEADER_BYTES_MAX", 2_000)


Case = Mapping[str, Any]


def cases(name: str) -> list[Case]:
    found: list[Case] = tomllib.loads((HOSTILE / f"{name}.toml").read_text())["case"]
    return found


def named(case: Case) -> str:
    return f"{case['number']}-{case['what'].replace(' ', '-')}"


def test_the_corpus_is_there_and_its_numbers_are_its_own() -> None:
    numbers = [case["number"] for path in HOSTILE.glob("*.toml") for case in cases(path.stem)]
    assert len(numbers) == len(set(numbers)) >= 80


@pytest.mark.parametrize("case", cases("targets"), ids=named)
async def test_a_target_that_is_not_public_is_never_reached(case: Case) -> None:
    names = Names({"example.org": [["127.0.0.1"]]})
    async with server() as trap, server(host="::1") as trap6, fetching(AddressPolicy(), names=names) as run:
        for port in (trap.port, trap6.port):
            for url in case["urls"]:
                reason = await run.failure(url.replace("{port}", str(port)).replace("{half}", HALF_A_PAIR))
                assert case["reason"] in reason, url
        assert names.asked == []
        assert (trap.connections, trap6.connections) == (0, 0)


@pytest.mark.parametrize("case", cases("names"), ids=named)
async def test_a_name_is_what_all_its_addresses_are_at_the_moment_of_connecting(case: Case) -> None:
    names = Names({"name.example.org": [list(answers) for answers in case["answers"]]})
    async with server() as origin, fetching(names=names) as run:
        origin.by_path["/"] = answer(b"reached", "Connection: close")
        url = origin.url(host="name.example.org")
        for expected in (case["first"], case.get("second")):
            if expected == "ok":
                assert (await run.fetch(url))["body"] == b"reached"
            elif expected is not None:
                assert expected in await run.failure(url)
        assert len(names.asked) == case.get("asked", 1)
        assert origin.connections == [case["first"], case.get("second")].count("ok")


@pytest.mark.parametrize("case", cases("redirects"), ids=named)
async def test_a_redirect_is_checked_as_any_request(case: Case) -> None:
    names = Names({"private.example.org": [["10.0.0.1", "127.0.0.1"]]})
    async with server() as origin, server() as trap, fetching(limits=PATIENT, names=names) as run:
        location = case["location"].replace("{port}", str(trap.port)).replace("{long}", "x" * 9000)
        origin.by_path["/"] = redirect(location)
        assert case["reason"] in await run.failure(origin.url())
        assert trap.connections == 0
        assert origin.connections == len(origin.asked)
        assert len(origin.asked) == (PATIENT.egress_redirects + 1 if case["location"] == "/" else 1)


def packed(data: bytes, how: str) -> bytes:
    match how:
        case "":
            return data
        case "gzip":
            return gzip.compress(data)
        case "gzip gzip":
            return gzip.compress(gzip.compress(data))
        case "deflate":
            return zlib.compress(data)
        case "half of gzip":
            whole = gzip.compress(data)
            return whole[: len(whole) // 2]
        case _:
            raise AssertionError(how)


def hostile_answer(case: Case) -> Answer:
    async def send(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(case["head"].encode("latin-1"))
        if "drip" in case:
            while True:
                writer.write(case["drip"].encode())
                await writer.drain()
                await asyncio.sleep(DRIP_S)
        body = case["body"].encode()
        if case["times"] == 0:
            block = body * (BLOCK // len(body))
            while not writer.is_closing():
                writer.write(block)
                await writer.drain()
                await asyncio.sleep(0)
        elif case.get("pack") == "members":
            writer.write(gzip.compress(body) * case["times"])
        else:
            writer.write(packed(body * case["times"], case.get("pack", "")))

    return send


@pytest.mark.parametrize("case", cases("answers"), ids=named)
async def test_a_hostile_answer_ends_in_time_and_costs_no_more_than_its_limits(case: Case) -> None:
    loop = asyncio.get_running_loop()
    limits = SHORT if "seconds" in case["reason"] else PATIENT
    async with server() as origin, fetching(limits=limits) as run:
        origin.by_path |= {"/": hostile_answer(case), "/good": answer(b"good")}
        began = loop.time()
        assert case["reason"] in await run.failure(origin.url())
        assert loop.time() - began < SHORT.egress_timeout_s + GRACE_S
        # What a body took is given back, whatever became of it, and no answer bleeds into the next.
        assert (await run.fetch(origin.url("/good")))["body"] == b"good"


@pytest.mark.parametrize(
    ("head", "again"),
    [
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", f"1;{'x' * 1000}\r\nx\r\n"),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["tiny-chunks", "chunk-extensions", "provisional-answers"],
)
async def test_an_answer_that_is_all_work_and_no_body_is_cut_off(
    head: str, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.engine.egress.egress.READING_CPU_S", 0.03)
    case = {"head": head, "body": again, "times": 0}
    async with server() as origin, fetching(egress_timeout_s=60.0, egress_concurrent_requests=1) as run:
        origin.by_path |= {"/": hostile_answer(case), "/good": answer(b"good")}
        # The second waits for its turn while the first spends the time of both.
        said = await asyncio.gather(run.failure(origin.url()), run.failure(origin.url("/good")))
        assert all("too much work" in each for each in (*said, await run.failure(origin.url("/good"))))
        assert [asked.path for asked in origin.asked].count("/good") == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("elsewhere", ["port", "name"])
async def test_no_credential_follows_a_redirect_to_another_origin(status: int, elsewhere: str) -> None:
    names = Names({"other.example.org": [["127.0.0.1"]]})
    secret = [("Authorization", "a"), ("Cookie", "b"), ("X-Api-Key", "c"), ("x-auth-token", "d"), ("Accept", "text/x")]
    async with server() as origin, server() as other, fetching(names=names) as run:
        there = other.url("/end") if elsewhere == "port" else origin.url("/end", host="other.example.org")
        origin.by_path |= {"/": redirect(there, status), "/end": answer()}
        other.by_path["/end"] = answer()
        await run.fetch(origin.url(), headers=secret)
        ends = [asked for asked in origin.asked + other.asked if asked.path == "/end"]
        assert len(ends) == 1
        assert not {"authorization", "cookie", "x-api-key", "x-auth-token"} & ends[0].headers.keys()
        assert ends[0].headers["accept"] == "text/x"


async def test_credentials_do_not_come_back_when_the_redirects_do() -> None:
    async with server() as origin, server() as other, fetching() as run:
        origin.by_path |= {"/": redirect(other.url()), "/end": answer()}
        other.by_path["/"] = redirect(origin.url("/end"))
        await run.fetch(origin.url(), headers=[("Authorization", "a")])
        assert "authorization" not in origin.asked[-1].headers


@pytest.mark.parametrize(
    "request_fields",
    [
        {"headers": [("X", "a\r\nHost: b")]},
        {"headers": [("X", "a\nb")]},
        {"headers": [("X", "a\x00b")]},
        {"headers": [("X", "ä")]},
        {"headers": [("X:", "a")]},
        {"headers": [("", "a")]},
        {"headers": [("X Y", "a")]},
        {"headers": [("X\r\nY", "a")]},
        {"headers": [("X", "a")] * 65},
        {"headers": [("X", "a" * 17_000)]},
        {"method": "CONNECT"},
        {"method": "trace"},
        {"method": "GET / HTTP/1.1\r\nX: "},
        {"method": ""},
        {"method": "X" * 33},
        {"method": "GET", "body": b""},
        {"method": "HEAD", "body": b"x"},
        {"redirect": "sometimes"},
    ],
    ids=str,
)
async def test_a_request_that_could_be_read_as_another_is_not_made(request_fields: dict[str, Any]) -> None:
    async with server() as origin, fetching() as run:
        await run.failure(origin.url(), **request_fields)
        assert origin.connections == 0


GOOD: Mapping[str, Any] = {
    "url": "http://127.0.0.1/",
    "method": "GET",
    "headers": [],
    "body": None,
    "redirect": "follow",
    "call": 1,
}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [None],
        [[]],
        [dict(GOOD), dict(GOOD)],
        [{**GOOD, "call": None}],
        [{**GOOD, "call": "1"}],
        [{**GOOD, "url": None}],
        [{**GOOD, "url": ["http://127.0.0.1/"]}],
        [{**GOOD, "headers": {"a": "b"}}],
        [{**GOOD, "headers": [["a"]]}],
        [{**GOOD, "headers": [["a", 1]]}],
        [{**GOOD, "headers": ["ab"]}],
        [{**GOOD, "method": "POST", "body": "%%%%"}],
        [{**GOOD, "method": "POST", "body": "YQ"}],
        [{**GOOD, "method": "POST", "body": "ä==="}],
        [{**GOOD, "method": "POST", "body": {"bytes": "0x00"}}],
        [{name: value for name, value in GOOD.items() if name != "redirect"}],
    ],
    ids=str,
)
async def test_a_message_no_prelude_sends_is_the_actions_own_fault(arguments: list[Any]) -> None:
    async with fetching() as run:
        with pytest.raises(HostCallError) as refused:
            await run.calls.call("fetch", arguments)
        assert refused.value.name == "TypeError"
        assert refused.value.message


async def test_a_call_id_that_is_under_way_names_no_second_request() -> None:
    arrived = asyncio.Event()

    async def never(_asked: Asked, _writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await asyncio.Event().wait()

    async with server() as origin, fetching() as run:
        origin.by_path["/"] = never
        waiting = asyncio.create_task(run.fetch(origin.url(), call=1))
        await arrived.wait()
        assert "not one" in await run.failure(origin.url(), call=1)
        await run.calls.call("fetchAbort", [{"call": 1}])
        with pytest.raises(HostCallError):
            await waiting
        assert origin.connections == 1


async def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    async with server() as origin, server() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        monkeypatch.setenv("no_proxy", "")
        origin.by_path["/"] = answer(b"x")
        async with fetching() as run:
            assert (await run.fetch(origin.url()))["body"] == b"x"
        assert proxy.connections == 0
        assert "authorization" not in origin.asked[0].headers


@pytest.mark.parametrize(
    ("allow", "deny", "host", "expected"),
    [
        ([], ["name.example.org"], "name.example.org", "deployment"),
        ([], ["NAME.example.org"], "name.example.org", "deployment"),
        ([], ["example.org"], "name.example.org", ""),
        ([], ["*.example.org"], "name.example.org", "deployment"),
        ([], ["*.ample.org"], "name.example.org", ""),
        ([], ["127.0.0.0/8"], "name.example.org", "deployment"),
        ([], ["127.0.0.1"], "127.0.0.1", "deployment"),
        ([], ["::/0"], "127.0.0.1", ""),
        (["name.example.org"], [], "name.example.org", ""),
        (["other.example.org"], [], "name.example.org", "deployment"),
        (["*.example.org"], [], "name.example.org", ""),
        (["*.example.org"], [], "127.0.0.1", "deployment"),
        (["127.0.0.1/32"], [], "name.example.org", ""),
        (["127.0.0.1/32"], [], "127.0.0.1", ""),
        (["10.0.0.0/8"], [], "name.example.org", "deployment"),
        (["*.example.org"], ["name.example.org"], "name.example.org", "deployment"),
        (["private.example.org"], [], "private.example.org", "public"),
        (["10.0.0.0/8"], [], "10.0.0.1", "public"),
        (["vault.internal"], [], "vault.internal", "public"),
    ],
)
async def test_a_deployments_lists_narrow_what_can_be_reached(
    allow: list[str], deny: list[str], host: str, expected: str
) -> None:
    policy = AddressPolicy(allow=HostList.of(allow), deny=HostList.of(deny), allow_loopback=True)
    names = Names({"name.example.org": [["127.0.0.1"]], "private.example.org": [["10.0.0.1"]]})
    async with server() as origin, fetching(policy, names=names) as run:
        origin.by_path["/"] = answer(b"x")
        if expected:
            assert expected in await run.failure(origin.url(host=host))
            assert origin.connections == 0
        else:
            await run.fetch(origin.url(host=host))


@pytest.mark.parametrize(("allow", "deny"), [([], ["127.0.0.2"]), (["127.0.0.1"], [])], ids=["deny", "allow"])
async def test_one_address_that_the_lists_refuse_refuses_its_name(allow: list[str], deny: list[str]) -> None:
    """Which of them is connected to is up to timing."""
    policy = AddressPolicy(allow=HostList.of(allow), deny=HostList.of(deny), allow_loopback=True)
    names = Names({"name.example.org": [["127.0.0.1", "127.0.0.2"]]})
    async with server() as origin, fetching(policy, names=names) as run:
        assert "deployment" in await run.failure(origin.url(host="name.example.org"))
        assert origin.connections == 0


async def test_a_name_that_is_not_allowed_is_not_even_asked_for() -> None:
    policy = AddressPolicy(allow=HostList.of(["*.example.org"]), allow_loopback=True)
    async with fetching(policy) as run:
        assert "deployment" in await run.failure("http://stolen-secret.attacker.example.net/")
        assert run.names.asked == []


@pytest.mark.parametrize(
    "entry", ["", "*", "http://a", "a/b", "10.0.0.1/8", "a..b", "*.*.a", "a:80", "[::1]", "-", "ä"]
)
def test_a_list_entry_that_is_none_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        HostList.of([entry])


async def test_the_nodes_own_public_address_is_not_reached() -> None:
    own = AddressPolicy(is_own=lambda address: str(address) == "8.8.8.8")
    names = Names({"name.example.org": [["8.8.8.8"]]})
    async with fetching(own, names=names) as run:
        assert "public" in await run.failure("http://8.8.8.8/")
        assert "public" in await run.failure("http://name.example.org/")


async def test_bodies_under_way_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("node.engine.egress.egress.HELD_BYTES_PER_ACCOUNT", 10_000)
    half = asyncio.Event()
    finish = asyncio.Event()

    async def in_halves(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n" + b"x" * 4000)
        half.set()
        await finish.wait()
        writer.write(b"x" * 4000)

    async with server() as origin, fetching() as run:
        origin.by_path |= {"/halves": in_halves, "/": answer(b"y" * 8000)}
        waiting = asyncio.create_task(run.fetch(origin.url("/halves")))
        await half.wait()
        while "at once" not in (await _outcome(run, origin.url())):  # noqa: ASYNC110 - when the half has been read shows nowhere else
            await asyncio.sleep(0)
        finish.set()
        assert len((await waiting)["body"]) == 8000
        assert len((await run.fetch(origin.url()))["body"]) == 8000


@pytest.mark.parametrize(
    ("account_bytes", "all_bytes"),
    [(10_000, 1 << 20), (1 << 20, 10_000)],
    ids=["account", "all"],
)
async def test_a_body_counts_until_the_action_has_taken_it(
    account_bytes: int, all_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("node.engine.egress.egress.HELD_BYTES_PER_ACCOUNT", account_bytes)
    received, taken = asyncio.Event(), asyncio.Event()

    async with server() as origin, fetching(egress_held_bytes=all_bytes) as run:
        origin.by_path["/"] = answer(b"y" * 8000)

        async def slow_to_take() -> None:
            await run.calls.call("fetch", [{**GOOD, "url": origin.url(), "call": 99}])
            received.set()
            await taken.wait()

        taking = asyncio.create_task(slow_to_take())
        await received.wait()
        assert "at once" in await run.failure(origin.url())
        taken.set()
        await taking
        assert len((await run.fetch(origin.url()))["body"]) == 8000


async def test_the_actions_of_one_account_share_what_it_may_hold_and_others_have_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("node.engine.egress.egress.HELD_BYTES_PER_ACCOUNT", 10)
    egress = Egress(changed(LIMITS, egress_held_bytes=15), LOOPBACK, resolver=Names())
    held = [egress.body(account) for account in (1, 1, 2)]
    held[0].add(8)
    with pytest.raises(LimitReachedError):
        held[1].add(3)
    held[2].add(7)
    with pytest.raises(LimitReachedError):
        held[1].add(1)
    held[0].release()
    held[1].add(8)


async def _outcome(run: Any, url: str) -> str:
    try:
        await run.fetch(url)
    except HostCallError as error:
        return error.message
    return ""


async def test_no_reason_tells_an_address_or_a_port() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        names = Names({"name.example.org": [["127.0.0.1"]], "private.example.org": [["10.9.8.7"]]})
        async with fetching(names=names) as run:
            for host in ("name.example.org", "private.example.org", "none.example.org"):
                reason = await run.failure(f"http://{host}:{port}/")
                assert "127.0.0.1" not in reason
                assert "10.9.8.7" not in reason
                assert str(port) not in reason


async def test_a_fetch_has_its_time_once_however_often_it_is_redirected() -> None:
    """No redirect takes as long as a fetch may; all of them together do."""

    async def late(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.6 * SHORT.egress_timeout_s)
        writer.write(redirect("/"))

    async with server() as origin, fetching(limits=SHORT) as run:
        origin.by_path["/"] = late
        assert "longer than 0.5 seconds" in await run.failure(origin.url())
