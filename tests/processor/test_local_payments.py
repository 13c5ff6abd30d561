"""Payments at the local card processor, through the real `stripe` library and, as a browser does, by hand."""

import aiohttp
import pytest
import stripe

from devkit.processor.server import LocalProcessor
from tests.processor.local import client, confirm_in_browser, intent_of, paid_intent


async def test_the_account_answers_to_its_secret_key(local: LocalProcessor, api: stripe.StripeClient) -> None:
    account = await api.v1.accounts.retrieve_current_async()
    balance = await api.v1.balance.retrieve_async()

    assert account.id.startswith("acct_")
    assert balance.livemode is False


@pytest.mark.parametrize("key", ["sk_test_another", "sk_live_local", "sk_test_localx", "x"])
async def test_another_key_is_refused(local: LocalProcessor, key: str) -> None:
    async with client(local, key) as api:
        with pytest.raises(stripe.AuthenticationError) as refused:
            await api.v1.balance.retrieve_async()

    assert refused.value.http_status == 401
    assert "Invalid API Key provided" in str(refused.value)
    assert key not in str(refused.value) or len(key) < 9


async def test_the_publishable_key_reads_and_creates_nothing(local: LocalProcessor, api: stripe.StripeClient) -> None:
    customer = await api.v1.customers.create_async({})
    async with client(local, "pk_test_local") as browser:
        for asked in (
            browser.v1.balance.retrieve_async,
            browser.v1.customers.list_async,
            browser.v1.events.list_async,
            browser.v1.payment_intents.list_async,
        ):
            with pytest.raises(stripe.PermissionError) as refused:
                await asked()
            assert refused.value.error is not None
            assert refused.value.error.code == "secret_key_required"
        with pytest.raises(stripe.PermissionError):
            await browser.v1.customers.retrieve_async(customer.id)
        with pytest.raises(stripe.PermissionError):
            await browser.v1.payment_intents.create_async({"amount": 500, "currency": "usd"})


async def test_the_browser_pays_with_the_publishable_key_and_the_client_secret(
    local: LocalProcessor, api: stripe.StripeClient
) -> None:
    intent = await intent_of(api, metadata={"account": "0x12"})
    assert intent.status == "requires_payment_method"
    assert intent.client_secret is not None
    assert intent.client_secret.startswith(f"{intent.id}_secret_")

    status, shown = await confirm_in_browser(local, intent, payment_method="pm_card_visa")

    assert status == 200
    assert shown["status"] == "succeeded"
    assert "metadata" not in shown
    assert "customer" not in shown
    paid = await api.v1.payment_intents.retrieve_async(intent.id, {"expand": ["latest_charge", "customer"]})
    assert (paid.status, paid.amount_received, paid.livemode) == ("succeeded", 500, False)
    assert paid.metadata["account"] == "0x12"
    assert isinstance(paid.latest_charge, stripe.Charge)
    assert (paid.latest_charge.amount_captured, paid.latest_charge.paid) == (500, True)
    assert isinstance(paid.customer, stripe.Customer)


@pytest.mark.parametrize("secret", ["", "pi_x_secret_y"])
async def test_the_browser_needs_the_client_secret(
    local: LocalProcessor, api: stripe.StripeClient, secret: str
) -> None:
    intent = await intent_of(api)

    status, body = await confirm_in_browser(local, intent, client_secret=secret, payment_method="pm_card_visa")

    assert status in (400, 404)
    assert "error" in body
    assert (await api.v1.payment_intents.retrieve_async(intent.id)).status == "requires_payment_method"


async def test_another_intents_client_secret_confirms_nothing(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent, another = await intent_of(api), await intent_of(api)
    assert another.client_secret is not None

    status, _ = await confirm_in_browser(
        local, intent, client_secret=another.client_secret, payment_method="pm_card_visa"
    )

    assert status == 404
    for each in (intent, another):
        assert (await api.v1.payment_intents.retrieve_async(each.id)).status == "requires_payment_method"


@pytest.mark.parametrize(
    ("card", "code", "decline_code"),
    [
        ("pm_card_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_visa_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", None),
        ("pm_card_chargeDeclinedProcessingError", "processing_error", None),
    ],
)
async def test_declined_cards_decline_and_another_may_pay(
    api: stripe.StripeClient, card: str, code: str, decline_code: str | None
) -> None:
    intent = await intent_of(api)

    with pytest.raises(stripe.CardError) as declined:
        await api.v1.payment_intents.confirm_async(intent.id, {"payment_method": card})

    assert declined.value.http_status == 402
    assert declined.value.code == code
    assert declined.value.error is not None
    assert declined.value.error.decline_code == decline_code
    failed = await api.v1.payment_intents.retrieve_async(intent.id)
    assert (failed.status, failed.amount_received) == ("requires_payment_method", 0)
    assert failed.last_payment_error is not None
    assert failed.last_payment_error.code == code
    again = await api.v1.payment_intents.confirm_async(intent.id, {"payment_method": "pm_card_visa"})
    assert (again.status, again.last_payment_error) == ("succeeded", None)


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"type": "card", "card[number]": "4242 4242 4242 4242"}, 200, None),
        ({"type": "card", "card[token]": "tok_visa"}, 200, None),
        ({"type": "card", "card[number]": "4000000000000002"}, 402, "card_declined"),
        ({"type": "card", "card[number]": "4111222233334444"}, 402, "incorrect_number"),
        ({"type": "card"}, 400, "parameter_missing"),
        ({"type": "sepa_debit"}, 400, None),
        ({}, 400, "payment_intent_unexpected_state"),
    ],
)
async def test_the_browser_sends_a_card(
    local: LocalProcessor, api: stripe.StripeClient, sent: dict[str, str], status: int, code: str | None
) -> None:
    intent = await intent_of(api)
    form = {}
    for name, value in sent.items():
        outer, bracket, inner = name.partition("[")
        form[f"payment_method_data[{outer}]{bracket}{inner}"] = value

    answered, body = await confirm_in_browser(local, intent, **form)

    assert answered == status
    assert body.get("error", {}).get("code") == code
    assert (body.get("status") == "succeeded") is (status == 200)


async def test_a_browser_learns_of_a_decline_without_what_is_not_its_business(
    local: LocalProcessor, api: stripe.StripeClient
) -> None:
    intent = await intent_of(api, metadata={"account": "0x12"})

    status, body = await confirm_in_browser(local, intent, payment_method="pm_card_chargeDeclined")

    assert status == 402
    assert "0x12" not in str(body)


async def test_a_card_that_asks_for_authentication_waits_for_it(
    local: LocalProcessor, api: stripe.StripeClient
) -> None:
    intent = await intent_of(api)
    asked = await api.v1.payment_intents.confirm_async(intent.id, {"payment_method": "pm_card_authenticationRequired"})
    assert asked.status == "requires_action"
    assert asked.next_action is not None

    local.control.authorise(intent.id, "failed")
    refused = await api.v1.payment_intents.retrieve_async(intent.id)
    assert refused.status == "requires_payment_method"
    assert refused.last_payment_error is not None
    assert refused.last_payment_error.code == "payment_intent_authentication_failure"

    await api.v1.payment_intents.confirm_async(intent.id, {"payment_method": "pm_card_authenticationRequired"})
    local.control.authorise(intent.id, "succeeded")
    assert (await api.v1.payment_intents.retrieve_async(intent.id)).status == "succeeded"


async def test_crypto_is_authorised_on_a_page_of_its_own(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await intent_of(api)
    with pytest.raises(stripe.InvalidRequestError) as without_way_back:
        await api.v1.payment_intents.confirm_async(intent.id, {"payment_method_data": {"type": "crypto"}})
    assert without_way_back.value.param == "return_url"

    asked = await api.v1.payment_intents.confirm_async(
        intent.id, {"payment_method_data": {"type": "crypto"}, "return_url": "https://localhost/back"}
    )

    assert asked.status == "requires_action"
    assert asked.next_action is not None
    assert asked.next_action.redirect_to_url is not None
    assert str(asked.next_action.redirect_to_url.url).startswith(local.url)
    local.control.authorise(intent.id, "processing")
    assert (await api.v1.payment_intents.retrieve_async(intent.id)).status == "processing"
    local.control.authorise(intent.id)
    paid = await api.v1.payment_intents.retrieve_async(intent.id, {"expand": ["latest_charge"]})
    assert isinstance(paid.latest_charge, stripe.Charge)
    assert paid.latest_charge.payment_method_details is not None
    assert paid.latest_charge.payment_method_details.type == "crypto"


async def test_an_intent_for_cards_alone_takes_no_crypto(api: stripe.StripeClient) -> None:
    intent = await api.v1.payment_intents.create_async(
        {"amount": 500, "currency": "usd", "allowed_payment_method_types": ["card"]}
    )

    with pytest.raises(stripe.InvalidRequestError):
        await api.v1.payment_intents.confirm_async(
            intent.id, {"payment_method_data": {"type": "crypto"}, "return_url": "https://localhost/back"}
        )


async def test_the_parameter_that_this_version_no_longer_has_is_refused(api: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        await api.v1.payment_intents.create_async(
            {"amount": 500, "currency": "usd", "payment_method_types": ["card"]}  # type: ignore[typeddict-unknown-key]
        )
    assert refused.value.code == "payment_method_types_no_longer_supported"


@pytest.mark.parametrize(
    ("amount", "code"),
    [(49, "amount_too_small"), (1, "amount_too_small"), (0, "parameter_invalid_integer"),
     (-500, "parameter_invalid_integer"), (100_000_000, "amount_too_large")],
)  # fmt: skip
async def test_amounts_are_bounded(api: stripe.StripeClient, amount: int, code: str) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        await api.v1.payment_intents.create_async({"amount": amount, "currency": "usd"})

    assert (refused.value.code, refused.value.param) == (code, "amount")
    assert (await api.v1.payment_intents.list_async()).data == []


async def test_the_smallest_amount_is_taken(api: stripe.StripeClient) -> None:
    intent = await api.v1.payment_intents.create_async(
        {"amount": 50, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    )

    assert (intent.status, intent.amount_received) == ("succeeded", 50)


async def test_a_paid_intent_is_neither_paid_again_nor_canceled(api: stripe.StripeClient) -> None:
    intent = await paid_intent(api)

    for attempt in (
        api.v1.payment_intents.confirm_async(intent.id, {"payment_method": "pm_card_visa"}),
        api.v1.payment_intents.cancel_async(intent.id),
    ):
        with pytest.raises(stripe.InvalidRequestError) as refused:
            await attempt
        assert refused.value.code == "payment_intent_unexpected_state"
    assert len((await api.v1.charges.list_async()).data) == 1


async def test_a_canceled_intent_cannot_be_paid(local: LocalProcessor, api: stripe.StripeClient) -> None:
    intent = await intent_of(api)
    canceled = await api.v1.payment_intents.cancel_async(intent.id, {"cancellation_reason": "abandoned"})
    assert canceled.status == "canceled"

    status, body = await confirm_in_browser(local, intent, payment_method="pm_card_visa")

    assert status == 400
    assert body["error"]["code"] == "payment_intent_unexpected_state"


async def test_an_intent_of_nobody_and_unknown_parameters_are_refused(api: stripe.StripeClient) -> None:
    with pytest.raises(stripe.InvalidRequestError) as nobody:
        await api.v1.payment_intents.create_async({"amount": 500, "currency": "usd", "customer": "cus_none"})
    assert (nobody.value.http_status, nobody.value.code, nobody.value.param) == (400, "resource_missing", "customer")
    with pytest.raises(stripe.InvalidRequestError) as missing:
        await api.v1.payment_intents.retrieve_async("pi_none")
    assert (missing.value.http_status, missing.value.code) == (404, "resource_missing")
    with pytest.raises(stripe.InvalidRequestError) as unknown:
        await api.v1.payment_intents.create_async({"amount": 500, "currency": "usd", "amonut": 3})  # type: ignore[typeddict-unknown-key]
    assert unknown.value.code == "parameter_unknown"


async def test_a_browser_of_another_origin_may_confirm(local: LocalProcessor) -> None:
    url = f"{local.url}/v1/payment_intents/pi_1/confirm"
    async with aiohttp.ClientSession() as session, session.options(url) as answer:
        assert answer.status == 204
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
