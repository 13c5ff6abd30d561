"""What an event means: pure, and safe from whatever it holds."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from node.processor.events import EVENT_TYPES, disputes_of, parse_event, refund_of
from node.processor.port import (
    CustomerBalanceChanged,
    DisputeChanged,
    Event,
    Fault,
    IntentStatus,
    PaymentChanged,
    ProcessorError,
    RefundChanged,
)
from node.processor.shapes import ACCOUNT as ACCOUNT_NAME
from node.processor.shapes import PAYMENT, TakenBackShape, metadata_of_account, service_name
from tests.processor.stripe_parts import ACCOUNT, SERVICE, customer, event, intent

OURS = {**metadata_of_account(SERVICE, ACCOUNT), PAYMENT: "pay-1"}
THEIRS = {**OURS, "svc_service": service_name(1, "0x" + "ab" * 20)}


def parsed(told: object, *, live: bool = False) -> Event:
    return parse_event(json.dumps(told).encode(), SERVICE, live=live)


def refund(status: str | None, **members: object) -> dict[str, object]:
    return {
        "id": "re_1", "object": "refund", "amount": 300, "currency": "usd", "status": status, "payment_intent": "pi_1",
        "charge": "ch_1", "metadata": {}, "created": 1, **members,
    }  # fmt: skip


def dispute(**members: object) -> dict[str, object]:
    return {
        "id": "dp_1", "object": "dispute", "amount": 700, "currency": "usd", "status": "needs_response",
        "payment_intent": "pi_1", "charge": "ch_1", "metadata": {}, "created": 1, **members,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [
        ("payment_intent.succeeded", "succeeded", IntentStatus.SUCCEEDED),
        ("payment_intent.processing", "processing", IntentStatus.PROCESSING),
        ("payment_intent.payment_failed", "requires_payment_method", IntentStatus.OPEN),
        ("payment_intent.canceled", "canceled", IntentStatus.CANCELED),
        ("payment_intent.succeeded", "a_state_of_next_year", IntentStatus.OPEN),
    ],
)
def test_a_payment_reaches_a_state(kind: str, status: str, expected: IntentStatus) -> None:
    told = parsed(event(kind, intent(OURS, status=status, amount_received=650)))
    assert (told.id, told.created_s) == ("evt_1", 1_700_000_001)
    assert isinstance(told.change, PaymentChanged)
    found = told.change.intent
    assert (found.status, found.account, found.payment) == (expected, ACCOUNT, "pay-1")
    assert (found.amount_cents, found.received_cents) == (700, 650)


@pytest.mark.parametrize(
    "subject",
    [
        intent(THEIRS),
        intent({}),
        intent({"svc_service": SERVICE}),
        intent({**OURS, ACCOUNT_NAME: "0x12"}),
        intent({**OURS, ACCOUNT_NAME: "0x" + "A" * 64}),
        intent({**OURS, ACCOUNT_NAME: "0x" + "a" * 64 + "\n"}),
        intent({ACCOUNT_NAME: OURS[ACCOUNT_NAME]}),
        intent(OURS, currency="eur"),
        intent(OURS, currency="jpy"),
    ],
)
def test_a_payment_that_is_not_of_this_deployment_in_dollars_is_nothing_to_us(subject: dict[str, object]) -> None:
    assert parsed(event("payment_intent.succeeded", {**subject, "status": "succeeded"})).change is None


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_what_happened_at_a_connected_account_is_nothing_to_us(kind: str) -> None:
    """Its owner gets the money, and can write any account of ours on his payments."""
    subject = {
        "payment_intent": intent(OURS, status="succeeded", amount_received=700),
        "refund": refund("succeeded"),
        "charge": dispute(),
        "customer": customer("cus_1", OURS),
    }[kind.partition(".")[0]]
    told = event(kind, subject, previous={"balance": 1})
    assert parsed(told).change is not None
    assert parsed({**told, "account": None}).change is not None
    assert parsed({**told, "account": "acct_1"}).change is None


def test_play_money_is_nothing_to_a_node_with_live_keys() -> None:
    told = event("payment_intent.succeeded", intent(OURS, status="succeeded"))
    assert parsed(told, live=True).change is None
    assert isinstance(parsed({**told, "livemode": True}, live=True).change, PaymentChanged)
    assert parsed({**told, "livemode": True}, live=False).change is None


@pytest.mark.parametrize(
    ("kind", "status", "takes_back"),
    [
        ("refund.created", "pending", True),
        ("refund.created", "succeeded", True),
        ("refund.updated", "requires_action", True),
        ("refund.updated", "succeeded", True),
        ("refund.updated", "canceled", False),
        ("refund.failed", "failed", False),
    ],
)
def test_a_refund(kind: str, status: str, takes_back: bool) -> None:
    assert parsed(event(kind, refund(status))).change == RefundChanged("re_1", "pi_1", 300, takes_back)
    expanded = refund(status, payment_intent=intent(OURS))
    assert parsed(event(kind, expanded)).change == RefundChanged("re_1", "pi_1", 300, takes_back)


@pytest.mark.parametrize("subject", [refund("succeeded", payment_intent=None), refund("succeeded", currency="eur")])
def test_a_refund_of_what_was_no_intent_in_dollars_is_nothing(subject: dict[str, object]) -> None:
    assert parsed(event("refund.created", subject)).change is None


def test_money_that_a_refund_takes_is_told_by_one_event_alone() -> None:
    charge: dict[str, object] = {
        "id": "ch_1", "object": "charge", "amount": 700, "amount_refunded": 300, "currency": "usd", "metadata": OURS,
        "payment_intent": "pi_1", "created": 1, "refunds": {"object": "list", "data": [refund("succeeded")]},
    }  # fmt: skip
    assert parsed(event("charge.refunded", charge)).change is None
    assert parsed(event("charge.refund.updated", refund("succeeded"))).change is None


def test_a_dispute_takes_money_and_gives_it_back_when_funds_move_and_no_earlier() -> None:
    for kind in ("created", "updated", "closed"):
        assert parsed(event(f"charge.dispute.{kind}", dispute())).change is None
    taken, back = "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated"
    assert parsed(event(taken, dispute())).change == DisputeChanged("dp_1", "pi_1", 700, takes_back=True)
    assert parsed(event(back, dispute())).change == DisputeChanged("dp_1", "pi_1", 700, takes_back=False)


@pytest.mark.parametrize(
    ("moves", "came_back"),
    [
        ([{"amount": -700, "currency": "usd"}, {"amount": 300, "currency": "usd"}], 300),
        ([{"amount": 900, "currency": "usd"}], 700),
        ([{"amount": -640, "currency": "eur"}, {"amount": 270, "currency": "eur"}], 0),
        (["txn_1", {"amount": None}], 0),
        (None, 0),
    ],
)
def test_a_lost_dispute_gives_back_what_came_back_of_it_and_is_told_of(moves: JsonValue, came_back: int) -> None:
    told = event("charge.dispute.funds_reinstated", dispute(status="lost", balance_transactions=moves))
    assert parsed(told).change == DisputeChanged("dp_1", "pi_1", came_back, takes_back=False)


def test_a_customer_whose_balance_somebody_changed() -> None:
    ours = customer("cus_1", metadata_of_account(SERVICE, ACCOUNT))
    assert parsed(event("customer.updated", ours, previous={"balance": 0})).change == CustomerBalanceChanged("cus_1")
    assert parsed(event("customer.updated", ours, previous={"email": "x@y.example"})).change is None
    assert parsed(event("customer.updated", ours)).change is None
    theirs = customer("cus_1", metadata_of_account("1:0xother", ACCOUNT))
    assert parsed(event("customer.updated", theirs, previous={"balance": 0})).change is None


@pytest.mark.parametrize("kind", ["invoice.paid", "payment_intent.created", "x", ""])
def test_other_events_are_nothing_whatever_they_hold(kind: str) -> None:
    assert parsed(event(kind, {"anything": [1, {"at": "all"}]})).change is None


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"null", b"[]", b"{}", b"\xff\xfe", b"{" * 100_000, b'{"a":' * 100_000, b"[" * 500_000, b"NaN",
        json.dumps({**event("payment_intent.succeeded", intent(OURS)), "object": "v2.core.event"}).encode(),
        json.dumps(event("payment_intent.succeeded", {**intent(OURS), "object": "charge"})).encode(),
        json.dumps(event("payment_intent.succeeded", intent(OURS, amount_received=-1))).encode(),
        json.dumps(event("payment_intent.succeeded", intent(OURS, amount_received=True))).encode(),
        json.dumps(event("payment_intent.succeeded", intent(OURS, amount_received="700"))).encode(),
        json.dumps(event("payment_intent.succeeded", intent(OURS, amount_received=700.0))).encode(),
        json.dumps(event("payment_intent.succeeded", intent(OURS, amount_received=10**30))).encode(),
        json.dumps(event("payment_intent.succeeded", {"id": "pi_1"})).encode(),
        json.dumps(event("refund.created", refund("succeeded", amount=None))).encode(),
    ],
)  # fmt: skip
def test_what_is_no_event_of_its_kind_is_refused_with_our_error(payload: bytes) -> None:
    with pytest.raises(ProcessorError) as refused:
        parse_event(payload, SERVICE, live=False)
    assert refused.value.fault is Fault.REFUSED
    assert refused.value.__context__ is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
WHOLE = [
    event("payment_intent.succeeded", intent(OURS, status="succeeded", amount_received=700)),
    event("refund.created", refund("succeeded")),
    event("charge.dispute.funds_withdrawn", dispute()),
    event("customer.updated", customer("cus_1", metadata_of_account(SERVICE, ACCOUNT)), previous={"balance": 0}),
]


def replaced(value: JsonValue, path: list[int], by: JsonValue) -> JsonValue:
    """`value` with one place in it changed."""
    if path and isinstance(value, dict) and value:
        name = sorted(value)[path[0] % len(value)]
        return {**value, name: replaced(value[name], path[1:], by)}
    return by


def outcome(payload: bytes) -> Event | None:
    try:
        return parse_event(payload, SERVICE, live=False)
    except ProcessorError:
        return None


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_no_payload_raises_anything_of_others(payload: bytes) -> None:
    found = outcome(payload)
    assert found is None or found.change is None


@given(st.sampled_from(WHOLE), st.lists(st.integers(0, 50), min_size=1, max_size=4), JSON, st.sampled_from(EVENT_TYPES))
def test_an_event_with_anything_in_any_place(
    whole: dict[str, JsonValue], path: list[int], by: JsonValue, kind: str
) -> None:
    for told in (replaced(whole, path, by), replaced({**whole, "type": kind}, path, by)):
        found = outcome(json.dumps(told).encode())
        change = None if found is None else found.change
        if isinstance(change, PaymentChanged):
            assert change.intent.account == ACCOUNT
            assert change.intent.received_cents >= 0
        if isinstance(change, RefundChanged | DisputeChanged):
            assert change.amount_cents >= 0
            assert change.intent


TAKEN = {"amount": -700, "currency": "eur"}
CAME_BACK = {"amount": 700, "currency": "eur"}


@pytest.mark.parametrize(
    ("status", "moves", "expected"),
    [
        ("needs_response", [TAKEN], [True]),
        ("under_review", [TAKEN], [True]),
        ("won", [TAKEN, CAME_BACK], [True, False]),
        ("lost", [TAKEN], [True]),
        ("warning_needs_response", [], []),
        ("warning_closed", [], []),
        ("a_state_of_next_year", [TAKEN], [True]),
        ("needs_response", None, [True]),
        ("won", None, [True, False]),
        ("lost", None, [True]),
        ("warning_closed", None, []),
        ("won", [TAKEN, "txn_1"], [True, False]),
        ("warning_needs_response", ["txn_1"], []),
    ],
)
def test_what_a_listed_dispute_has_moved(status: str, moves: list[object] | None, expected: list[bool]) -> None:
    shape = TakenBackShape.model_validate(dispute(status=status, balance_transactions=moves))
    changes = disputes_of(shape)
    assert [change.takes_back for change in changes] == expected
    assert {(change.dispute, change.intent, change.amount_cents) for change in changes} <= {("dp_1", "pi_1", 700)}


def test_a_listed_dispute_that_is_lost_gives_back_what_had_been_refunded() -> None:
    moves = [{"amount": -700, "currency": "usd"}, {"amount": 200, "currency": "usd"}]
    shape = TakenBackShape.model_validate(dispute(status="lost", balance_transactions=moves))
    assert [(change.takes_back, change.amount_cents) for change in disputes_of(shape)] == [(True, 700), (False, 200)]


@pytest.mark.parametrize("members", [{"payment_intent": None}, {"currency": "eur"}])
def test_what_is_listed_and_not_of_a_payment_in_dollars_is_nothing_to_us(members: dict[str, object]) -> None:
    assert refund_of(TakenBackShape.model_validate(refund("succeeded", **members))) is None
    assert disputes_of(TakenBackShape.model_validate(dispute(**members))) == []
