"""Refunds and disputes at the local card processor, through the real library."""

import aiohttp
import pytest
import stripe

from devkit.processor.errors import ApiError
from devkit.processor.server import LocalProcessor
from tests.processor.local import intent_of, paid_intent


async def types_since(api: stripe.StripeClient, intent: stripe.PaymentIntent) -> list[str]:
    """What happened after the intent was paid, oldest first."""
    events = [str(event.type) for event in (await api.v1.events.list_async({"limit": 100})).data][::-1]
    return events[events.index("payment_intent.succeeded") + 1 :]


async def charge_of(api: stripe.StripeClient, intent: stripe.PaymentIntent) -> stripe.Charge:
    return await api.v1.charges.retrieve_async(str(intent.latest_charge))


async def test_a_full_refund_gives_everything_back_once(api: stripe.StripeClient) -> None:
    intent = await paid_intent(api)

    refund = await api.v1.refunds.create_async({"payment_intent": intent.id, "reason": "requested_by_customer"})

    assert (refund.amount, refund.status, refund.payment_intent) == (500, "succeeded", intent.id)
    charge = await charge_of(api, intent)
    assert (charge.amount_refunded, charge.refunded) == (500, True)
    assert await types_since(api, intent) == ["refund.created", "charge.refunded"]
    with pytest.raises(stripe.InvalidRequestError) as again:
        await api.v1.refunds.create_async({"charge": charge.id})
    assert again.value.code == "charge_already_refunded"
    assert (await api.v1.payment_intents.retrieve_async(intent.id)).status == "succeeded"


async def test_partial_refunds_never_exceed_the_charge(api: stripe.StripeClient) -> None:
    intent = await paid_intent(api)
    await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": 200})
    await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": 299})

    for amount in (2, 500, 0, -1):
        with pytest.raises(stripe.InvalidRequestError):
            await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": amount})
    charge = await charge_of(api, intent)
    assert (charge.amount_refunded, charge.refunded) == (499, False)
    rest = await api.v1.refunds.create_async({"payment_intent": intent.id})
    assert rest.amount == 1
    refunds = (await api.v1.refunds.list_async({"payment_intent": intent.id})).data
    assert [refund.amount for refund in refunds] == [1, 299, 200]
    told = (await api.v1.events.list_async({"type": "charge.refunded"})).data
    before = [event.to_dict()["data"]["previous_attributes"]["amount_refunded"] for event in told]
    assert before == [499, 200, 0]


async def test_what_was_not_paid_is_not_refunded(api: stripe.StripeClient) -> None:
    intent = await intent_of(api)

    with pytest.raises(stripe.InvalidRequestError) as refused:
        await api.v1.refunds.create_async({"payment_intent": intent.id})
    assert refused.value.code == "payment_intent_unexpected_state"
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.refunds.create_async({"payment_intent": "pi_none"})
    with pytest.raises(stripe.CardError):
        await api.v1.payment_intents.confirm_async(intent.id, {"payment_method": "pm_card_chargeDeclined"})
    (failed,) = (await api.v1.charges.list_async({"payment_intent": intent.id})).data
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.refunds.create_async({"charge": failed.id})


async def test_a_refund_that_fails_comes_back(api: stripe.StripeClient) -> None:
    intent = await paid_intent(api, card="pm_card_refundFail")

    made = await api.v1.refunds.create_async({"payment_intent": intent.id})

    refund = await api.v1.refunds.retrieve_async(made.id)
    assert (refund.status, refund.failure_reason) == ("failed", "expired_or_canceled_card")
    charge = await charge_of(api, intent)
    assert (charge.amount_refunded, charge.refunded) == (0, False)
    expected = ["refund.created", "charge.refunded", "refund.updated", "charge.refund.updated", "refund.failed"]
    assert await types_since(api, intent) == expected


async def test_a_pending_refund_ends_either_way(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await paid_intent(api, card="pm_card_pendingRefund")
    made = await api.v1.refunds.create_async({"payment_intent": intent.id, "amount": 100})
    assert made.status == "pending"

    local.control.end_refund(made.id, "succeeded")

    assert (await api.v1.refunds.retrieve_async(made.id)).status == "succeeded"
    local.control.end_refund(made.id, "failed")
    assert (await api.v1.refunds.retrieve_async(made.id)).status == "failed"
    with pytest.raises(ApiError):
        local.control.end_refund(made.id, "succeeded")
    assert (await charge_of(api, intent)).amount_refunded == 0


@pytest.mark.parametrize(
    ("outcome", "events"),
    [
        ("won", ["charge.dispute.updated", "charge.dispute.funds_reinstated", "charge.dispute.closed"]),
        ("lost", ["charge.dispute.updated", "charge.dispute.closed"]),
    ],
)
async def test_a_dispute_withdraws_and_reinstates_only_when_won(
    local: LocalProcessor, api: stripe.StripeClient, outcome: str, events: list[str]
) -> None:
    intent = await paid_intent(api, card="pm_card_createDispute")
    opened = ["charge.dispute.created", "charge.dispute.funds_withdrawn"]
    assert await types_since(api, intent) == opened
    (dispute,) = (await api.v1.disputes.list_async({"payment_intent": intent.id})).data
    assert (dispute.amount, dispute.status, dispute.charge) == (500, "needs_response", intent.latest_charge)
    assert (await charge_of(api, intent)).disputed
    with pytest.raises(stripe.InvalidRequestError) as charged_back:
        await api.v1.refunds.create_async({"payment_intent": intent.id})
    assert charged_back.value.code == "charge_disputed"

    local.control.resolve_dispute(dispute.id, "won" if outcome == "won" else "lost")

    assert await types_since(api, intent) == [*opened, *events]
    closed = await api.v1.disputes.retrieve_async(dispute.id)
    assert closed.status == outcome
    moved = sum(entry["amount"] for entry in closed.to_dict()["balance_transactions"])
    assert moved == (0 if outcome == "won" else -500)
    with pytest.raises(ApiError):
        local.control.resolve_dispute(dispute.id, "won")


async def test_an_inquiry_moves_no_money(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await paid_intent(api, card="pm_card_createDisputeInquiry")
    (inquiry,) = (await api.v1.disputes.list_async({"payment_intent": intent.id})).data
    assert inquiry.status == "warning_needs_response"

    local.control.resolve_dispute(inquiry.id, "lost")

    closed = await api.v1.disputes.retrieve_async(inquiry.id)
    assert (closed.status, closed.balance_transactions) == ("warning_closed", [])
    expected = ["charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed"]
    assert await types_since(api, intent) == expected
    assert (await api.v1.refunds.create_async({"payment_intent": intent.id})).amount == 500


@pytest.mark.parametrize(("evidence", "status"), [("winning_evidence", "won"), ("losing_evidence", "lost")])
async def test_evidence_decides_a_dispute(api: stripe.StripeClient, evidence: str, status: str) -> None:
    intent = await paid_intent(api, card="pm_card_createDispute")
    (dispute,) = (await api.v1.disputes.list_async({"charge": str(intent.latest_charge)})).data

    await api.v1.disputes.update_async(dispute.id, {"evidence": {"uncategorized_text": evidence}, "submit": True})

    assert (await api.v1.disputes.retrieve_async(dispute.id)).status == status
    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.disputes.close_async(dispute.id)


async def test_disputes_refunds_and_grants_are_made_over_http(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await paid_intent(api)
    headers, root = {"Authorization": "Bearer sk_test_local"}, f"{local.url}/_control"
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.post(f"{root}/charges/{intent.latest_charge}/dispute", json={"amount": 300}) as opened:
            dispute = (await opened.json())["dispute"]
        async with session.post(f"{root}/disputes/{dispute}/resolve", json={"outcome": "drawn"}) as refused:
            assert refused.status == 400
        outcome = {"outcome": "lost", "returned": 100}
        async with session.post(f"{root}/disputes/{dispute}/resolve", json=outcome) as resolved:
            assert resolved.status == 200
        async with session.post(f"{root}/customers/{intent.customer}/grant", json={"cents": 50}) as granted:
            assert granted.status == 200
    found = await api.v1.disputes.retrieve_async(dispute)
    assert (found.amount, found.status) == (300, "lost")
    assert [move["amount"] for move in found.to_dict()["balance_transactions"]] == [-300, 100]
    assert "charge.dispute.funds_reinstated" in await types_since(api, intent)
    assert (await api.v1.customers.retrieve_async(str(intent.customer))).balance == -50


async def test_a_crypto_payment_is_authorised_on_its_page(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await intent_of(api)
    asked = await api.v1.payment_intents.confirm_async(
        intent.id, {"payment_method_data": {"type": "crypto"}, "return_url": "https://localhost/back?a=1"}
    )
    assert asked.next_action is not None
    assert asked.next_action.redirect_to_url is not None
    page = str(asked.next_action.redirect_to_url.url)
    async with aiohttp.ClientSession() as session:
        async with session.get(page) as shown:
            assert intent.id in await shown.text()
        async with session.post(page, data={"outcome": "maybe"}) as refused:
            assert refused.status == 400
        async with session.post(page, data={"outcome": "succeeded"}, allow_redirects=False) as taken:
            assert taken.status == 303
            assert taken.headers["Location"].startswith(f"https://localhost/back?a=1&payment_intent={intent.id}&")
        async with session.post(page, data={"outcome": "failed"}, allow_redirects=False) as again:
            assert again.status == 400
    assert (await api.v1.payment_intents.retrieve_async(intent.id)).status == "succeeded"
