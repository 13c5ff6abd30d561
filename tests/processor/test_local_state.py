"""What the local card processor keeps across a restart, and the form encoding it reads."""

import asyncio
import contextlib
import sqlite3
import stat
from pathlib import Path

import aiohttp
import pytest
import stripe
from hypothesis import given
from hypothesis import strategies as st
from stripe._encode import _api_encode

from devkit.processor.errors import ApiError
from devkit.processor.forms import Form, Tree, parse
from devkit.processor.server import LocalProcessorOptions, local_processor
from node.errors import StartupRefusedError
from tests.processor.local import client, paid_intent
from tests.support.clock import FakeClock

NAMES = st.text("aZ_0-. &=%é", min_size=1, max_size=8)
TREES: st.SearchStrategy[Tree] = st.dictionaries(
    NAMES, st.recursive(st.text(max_size=8), lambda below: st.dictionaries(NAMES, below, min_size=1, max_size=3)), max_size=4
)  # fmt: skip


@given(TREES)
def test_what_the_library_encodes_is_read_back(tree: Tree) -> None:
    assert parse([(name, str(value)) for name, value in _api_encode(tree)]) == tree


def test_lists_are_read_in_either_notation() -> None:
    assert Form(parse([("expand[]", "a"), ("expand[]", "b")])).texts("expand") == ["a", "b"]
    assert Form(parse([("expand[0]", "a"), ("expand[1]", "b")])).texts("expand") == ["a", "b"]


@given(st.lists(st.tuples(st.text("ab[]=", max_size=8), st.text(max_size=3)), max_size=6))
def test_any_pairs_are_read_or_refused(pairs: list[tuple[str, str]]) -> None:
    try:
        parse(pairs)
    except ApiError as refused:
        status = refused.status
    else:
        status = 400
    assert status == 400


@pytest.mark.parametrize("value", ["1.5", "x", "1e3", "9" * 13, "--1", " 1"])
def test_what_is_no_integer_is_refused(value: str) -> None:
    with pytest.raises(ApiError):
        Form({"amount": value}).integer("amount")


async def test_everything_is_there_after_a_restart(tmp_path: Path, clock: FakeClock) -> None:
    options = LocalProcessorOptions(state_file=tmp_path / "processor.sqlite")
    async with local_processor(options, clock) as first, client(first, "sk_test_local") as api:
        intent = await paid_intent(api)
        customer = str(intent.customer)
        spent = await api.v1.customers.balance_transactions.create_async(
            customer, {"amount": -7, "currency": "usd"}, {"idempotency_key": "k"}
        )
        await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": 100})
        events = [event.id for event in (await api.v1.events.list_async({"limit": 100})).data]
    assert options.state_file is not None
    assert stat.S_IMODE(options.state_file.stat().st_mode) == 0o600

    async with local_processor(options, clock) as second, client(second, "sk_test_local") as api:
        found = await api.v1.payment_intents.retrieve_async(intent.id, {"expand": ["latest_charge"]})
        assert (found.status, found.client_secret) == ("succeeded", intent.client_secret)
        assert isinstance(found.latest_charge, stripe.Charge)
        assert found.latest_charge.amount_refunded == 100
        again = await api.v1.customers.balance_transactions.create_async(
            customer, {"amount": -7, "currency": "usd"}, {"idempotency_key": "k"}
        )
        assert again.id == spent.id
        assert (await api.v1.customers.retrieve_async(customer)).balance == -7
        assert [event.id for event in (await api.v1.events.list_async({"limit": 100})).data] == events
        newer = await api.v1.customers.create_async({})
        assert [each.id for each in (await api.v1.customers.list_async()).data] == [newer.id, customer]

    async with local_processor(options, clock) as third, client(third, "sk_test_local") as api:
        assert [each.id for each in (await api.v1.customers.list_async()).data] == [newer.id, customer]


async def test_what_was_answered_is_on_disk_when_the_processor_is_killed(tmp_path: Path, clock: FakeClock) -> None:
    options = LocalProcessorOptions(state_file=tmp_path / "processor.sqlite")
    async with local_processor(options, clock) as first, client(first, "sk_test_local") as api:
        made = await api.v1.customers.create_async({})
        # The first one is still running: nothing of it was closed or written on the way out.
        async with local_processor(options, clock) as second, client(second, "sk_test_local") as other:
            assert (await other.v1.customers.retrieve_async(made.id)).id == made.id


async def test_a_forgotten_key_stays_forgotten_after_a_restart(tmp_path: Path, clock: FakeClock) -> None:
    options = LocalProcessorOptions(state_file=tmp_path / "processor.sqlite")
    made = []
    for _ in range(3):
        async with local_processor(options, clock) as running, client(running, "sk_test_local") as api:
            made += [(await api.v1.customers.create_async({}, {"idempotency_key": "k"})).id for _ in range(2)]
        clock.advance(24 * 3600)

    assert len(set(made)) == 3
    assert [made[0], made[2], made[4]] == [made[1], made[3], made[5]]


async def test_a_port_that_is_taken_refuses_to_start(clock: FakeClock) -> None:
    async with local_processor(LocalProcessorOptions(), clock) as first:
        port = int(first.url.rpartition(":")[2])
        with pytest.raises(StartupRefusedError):
            async with local_processor(LocalProcessorOptions(port=port), clock):
                pytest.fail("started on a port that is taken")


@pytest.mark.parametrize("content", [b"not a database" * 100, None])
async def test_a_file_that_cannot_be_read_refuses_to_start(
    tmp_path: Path, clock: FakeClock, content: bytes | None
) -> None:
    path = tmp_path / ("there.sqlite" if content else "no/directory.sqlite")
    if content:
        path.write_bytes(content)

    with pytest.raises(StartupRefusedError, match="remove it"):
        async with local_processor(LocalProcessorOptions(state_file=path), clock):
            pytest.fail("started on a file that is none")


async def test_a_file_of_another_form_refuses_to_start(tmp_path: Path, clock: FakeClock) -> None:
    options = LocalProcessorOptions(state_file=tmp_path / "processor.sqlite")
    async with local_processor(options, clock) as running, client(running, "sk_test_local") as api:
        await api.v1.customers.create_async({})
    with contextlib.closing(sqlite3.connect(tmp_path / "processor.sqlite")) as connection:
        connection.execute("UPDATE objects SET json = '{}'")
        connection.commit()

    with pytest.raises(StartupRefusedError, match="remove it"):
        async with local_processor(options, clock):
            pytest.fail("started on objects that are none")


async def test_it_answers_on_loopback_with_the_documented_headers(clock: FakeClock) -> None:
    async with local_processor(LocalProcessorOptions(), clock) as running, aiohttp.ClientSession() as session:
        assert running.url.startswith("http://127.0.0.1:")
        auth = {"Authorization": aiohttp.encode_basic_auth("sk_test_local", "")}
        headers = {**auth, "Stripe-Version": "2026-10-28.endive"}
        async with session.get(f"{running.url}/v1/account", headers=headers) as account:
            assert account.status == 200
            assert account.headers["Request-Id"].startswith("req_")
            assert account.headers["Stripe-Version"] == "2026-10-28.endive"
        async with session.get(f"{running.url}/v1/account") as nobody:
            assert (nobody.status, (await nobody.json())["error"]["type"]) == (401, "invalid_request_error")
        async with session.get(f"{running.url}/v1/nothing", headers=auth) as unknown:
            assert unknown.status == 404


async def test_bytes_that_are_no_text_are_refused(clock: FakeClock) -> None:
    async with local_processor(LocalProcessorOptions(), clock) as running:
        host, _, port = running.url.removeprefix("http://").partition(":")
        for key, body in ((b"sk_\xff", b""), (b"sk_test_local", b"\xff=\xfe")):
            reader, writer = await asyncio.open_connection(host, int(port))
            head = b"POST /v1/customers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " + key
            writer.write(head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
            assert answer.split()[1] in (b"400", b"401")


def test_the_secret_key_is_not_in_the_repr() -> None:
    options = LocalProcessorOptions(secret_key="sk_test_hidden", webhook_secret="whsec_hidden")

    assert "hidden" not in repr(options)
