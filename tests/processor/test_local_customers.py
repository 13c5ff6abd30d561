"""Customers, their balances and the search index of the local card processor, through the real library."""

import contextlib

import pytest
import stripe
from hypothesis import given
from hypothesis import strategies as st

from devkit.processor.errors import ApiError
from devkit.processor.limits import LocalProcessorLimits
from devkit.processor.objects import Customer
from devkit.processor.search import parsed
from devkit.processor.server import LocalProcessor
from tests.support.clock import FakeClock

LAG_S = LocalProcessorLimits().search_lag_s


async def test_a_customer_keeps_its_email_and_metadata(api: stripe.StripeClient) -> None:
    made = await api.v1.customers.create_async({"email": "a@b.c", "metadata": {"account": "0x1", "x y&=%": "&="}})

    found = await api.v1.customers.retrieve_async(made.id)

    assert made.id.startswith("cus_")
    assert len(made.id) == 18
    assert (found.email, found.balance, found.livemode) == ("a@b.c", 0, False)
    assert found.metadata is not None
    assert found.metadata.to_dict() == {"account": "0x1", "x y&=%": "&="}


async def test_changes_add_replace_and_remove_metadata_and_are_told(api: stripe.StripeClient) -> None:
    made = await api.v1.customers.create_async({"metadata": {"a": "1", "b": "2"}})

    changed = await api.v1.customers.update_async(made.id, {"email": "n@b.c", "metadata": {"b": "", "c": "3"}})

    assert changed.metadata is not None
    assert changed.metadata.to_dict() == {"a": "1", "c": "3"}
    (event,) = (await api.v1.events.list_async({"type": "customer.updated"})).data
    assert event.data.previous_attributes is not None
    assert event.data.previous_attributes["email"] is None
    await api.v1.customers.update_async(made.id, {"metadata": ""})
    found = await api.v1.customers.retrieve_async(made.id)
    assert found.metadata is not None
    assert found.metadata.to_dict() == {}


@pytest.mark.parametrize("metadata", [{f"k{number}": "v" for number in range(51)}, {"k" * 41: "v"}, {"k": "v" * 501}])
async def test_metadata_is_bounded(api: stripe.StripeClient, metadata: dict[str, str]) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.customers.create_async({"metadata": metadata})

    assert (await api.v1.customers.list_async()).data == []


async def test_lists_are_newest_first_in_pages(api: stripe.StripeClient, clock: FakeClock) -> None:
    made = []
    for _ in range(25):
        made.append((await api.v1.customers.create_async({})).id)
        clock.advance(10)

    first = await api.v1.customers.list_async()
    assert ([found.id for found in first.data], first.has_more) == (made[:-11:-1], True)
    everyone = [found.id async for found in (await api.v1.customers.list_async({"limit": 7})).auto_paging_iter()]
    assert everyone == made[::-1]
    since = int(clock.now) - 50
    recent = await api.v1.customers.list_async({"created": {"gte": since}})
    assert [found.id for found in recent.data] == made[:-6:-1]
    before = await api.v1.customers.list_async({"ending_before": made[3], "limit": 2})
    assert ([found.id for found in before.data], before.has_more) == ([made[5], made[4]], True)
    after = await api.v1.customers.list_async({"starting_after": made[1], "limit": 5})
    assert ([found.id for found in after.data], after.has_more) == ([made[0]], False)


@pytest.mark.parametrize("asked", [{"limit": 0}, {"limit": 101}, {"starting_after": "cus_none"}, {"limit": "x"}])
async def test_pages_out_of_bounds_are_refused(api: stripe.StripeClient, asked: dict[str, object]) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.customers.list_async(asked)  # type: ignore[arg-type]


async def test_a_deleted_customer_is_gone_but_for_its_id(local: LocalProcessor, api: stripe.StripeClient) -> None:
    made = await api.v1.customers.create_async({"email": "a@b.c"})

    deleted = await api.v1.customers.delete_async(made.id)

    assert deleted.deleted is True
    found = await api.v1.customers.retrieve_async(made.id)
    assert found.to_dict() == {"id": made.id, "object": "customer", "deleted": True}
    assert (await api.v1.customers.list_async()).data == []
    local.control.search_lag_s = 0
    assert (await api.v1.customers.search_async({"query": "email:'a@b.c'"})).data == []
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.customers.balance_transactions.create_async(made.id, {"amount": 1, "currency": "usd"})


async def test_the_search_index_lags(local: LocalProcessor, api: stripe.StripeClient, clock: FakeClock) -> None:
    made = await api.v1.customers.create_async({"metadata": {"account": "0x1"}})
    query = {"query": "metadata['account']:'0x1'"}

    async def found() -> list[str]:
        return [each.id for each in (await api.v1.customers.search_async(query)).data]  # type: ignore[arg-type]

    assert await found() == []
    clock.advance(LAG_S - 1)
    assert await found() == []
    clock.advance(1)
    assert await found() == [made.id]
    await api.v1.customers.update_async(made.id, {"metadata": {"account": "0x2"}})
    assert await found() == [made.id]
    clock.advance(LAG_S)
    assert await found() == []
    local.control.search_lag_s = 0
    await api.v1.customers.update_async(made.id, {"metadata": {"account": "0x1"}})
    assert await found() == [made.id]


async def test_a_search_pages(local: LocalProcessor, api: stripe.StripeClient) -> None:
    local.control.search_lag_s = 0
    made = [(await api.v1.customers.create_async({"email": "a@b.c"})).id for _ in range(5)]

    page = await api.v1.customers.search_async({"query": "email:'a@b.c'", "limit": 2})

    assert page.has_more
    assert [found.id async for found in page.auto_paging_iter()] == made[::-1]


CUSTOMER = Customer(id="cus_1", created=1000, email="Ann@Example.org", metadata={"account": "0x1"})


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("email:'ann@example.org'", True),
        ("email~'example'", True),
        ("email:'example'", False),
        ("-email:'x'", True),
        ("metadata['account']:'0x1' AND created>999", True),
        ('metadata["account"]:"0x1" AND created>1000', False),
        ("metadata['account']:'0x2' OR created<=1000", True),
        ("metadata['other']:null", True),
        ("name:null AND -metadata['account']:null", True),
    ],
)
def test_queries(query: str, matches: bool) -> None:
    assert parsed(query)(CUSTOMER) is matches


@pytest.mark.parametrize(
    "query",
    ["", "email", "email:", "email:'x", "email:'x' AND", "email:'x' email:'y'", "balance:'1'", "created:'1'",
     "metadata:'x'", "email>'x'", "a:'1' AND b:'2' OR c:'3'", "email:'x' AND name:'y' OR name:'z'"],
)  # fmt: skip
def test_queries_that_are_none(query: str) -> None:
    with pytest.raises(ApiError):
        parsed(query)


@given(st.text(max_size=40))
def test_any_text_is_a_query_or_refused(query: str) -> None:
    with contextlib.suppress(ApiError):
        parsed(query)(CUSTOMER)


async def test_balance_transactions_add_up(api: stripe.StripeClient) -> None:
    customer = await api.v1.customers.create_async({})
    balance = 0
    for amount in (-500, 120, -3, 400):
        balance += amount
        made = await api.v1.customers.balance_transactions.create_async(
            customer.id, {"amount": amount, "currency": "usd", "description": "d", "metadata": {"cause": str(amount)}}
        )
        assert (made.amount, made.ending_balance, made.customer) == (amount, balance, customer.id)
        assert (await api.v1.customers.retrieve_async(customer.id)).balance == balance

    entries = (await api.v1.customers.balance_transactions.list_async(customer.id)).data
    assert [entry.amount for entry in entries] == [400, -3, 120, -500]
    assert sum(entry.amount for entry in entries) == balance
    assert entries[0].metadata is not None
    assert entries[0].metadata["cause"] == "400"
    events = (await api.v1.events.list_async({"type": "customer.updated"})).data
    assert [event.to_dict()["data"]["previous_attributes"] for event in events] == [
        {"balance": -383}, {"balance": -380}, {"balance": -500}, {"balance": 0}
    ]  # fmt: skip


async def test_a_balance_transaction_with_one_key_counts_once(api: stripe.StripeClient) -> None:
    customer = await api.v1.customers.create_async({})
    for _ in range(3):
        await api.v1.customers.balance_transactions.create_async(
            customer.id, {"amount": -500, "currency": "usd"}, {"idempotency_key": "k"}
        )

    assert (await api.v1.customers.retrieve_async(customer.id)).balance == -500


async def test_credit_given_by_hand_is_a_balance_transaction(local: LocalProcessor, api: stripe.StripeClient) -> None:
    customer = await api.v1.customers.create_async({})

    granted = local.control.grant(customer.id, 700)
    changed = await api.v1.customers.update_async(customer.id, {"balance": -1000})

    assert changed.balance == -1000
    entries = (await api.v1.customers.balance_transactions.list_async(customer.id)).data
    assert [entry.amount for entry in entries] == [-300, -700]
    assert entries[1].id == granted
    assert entries[0].metadata is not None
    assert entries[0].metadata.to_dict() == {}


async def test_a_balance_has_one_currency_and_one_customer(api: stripe.StripeClient) -> None:
    one, two = [await api.v1.customers.create_async({}) for _ in range(2)]
    made = await api.v1.customers.balance_transactions.create_async(one.id, {"amount": -5, "currency": "usd"})

    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.customers.balance_transactions.create_async(one.id, {"amount": -5, "currency": "eur"})
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.customers.balance_transactions.retrieve_async(two.id, made.id)
    assert (await api.v1.customers.balance_transactions.list_async(two.id)).data == []
    assert (await api.v1.customers.balance_transactions.retrieve_async(one.id, made.id)).amount == -5
