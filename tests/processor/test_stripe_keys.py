"""Keys that cannot be right stop the node at its start, and are never repeated."""

import dataclasses

import pytest

from node.errors import StartupRefusedError
from node.processor.keys import PROCESSOR_URL, ProcessorKeys, validate_keys

TEST = ProcessorKeys("sk_test_51AbcDEF123", "pk_test_51AbcDEF123", "whsec_AbC123dEf456", "http://127.0.0.1:8420")
LIVE = ProcessorKeys("sk_live_51AbcDEF123", "pk_live_51AbcDEF123", "whsec_AbC123dEf456", PROCESSOR_URL)


@pytest.mark.parametrize(
    "keys",
    [
        TEST,
        LIVE,
        dataclasses.replace(TEST, secret_key="rk_test_51AbcDEF123"),
        dataclasses.replace(TEST, webhook_secret="whsec_AbC123dEf456, whsec_Zzz999yyy888"),
        dataclasses.replace(TEST, payment_methods="card"),
    ],
)
def test_keys_of_one_mode_pass(keys: ProcessorKeys) -> None:
    validate_keys(keys, production=False)


def test_live_keys_pass_in_production_a_restricted_one_too() -> None:
    validate_keys(LIVE, production=True)
    validate_keys(dataclasses.replace(LIVE, secret_key="rk_live_51AbcDEF123"), production=True)


@pytest.mark.parametrize(
    ("setting", "change"),
    [
        ("processor_secret_key", {"secret_key": ""}),
        ("processor_secret_key", {"secret_key": "pk_live_51AbcDEF123"}),
        ("processor_secret_key", {"secret_key": "whsec_51AbcDEF123"}),
        ("processor_secret_key", {"secret_key": "sk_live_51AbcDEF123\n"}),
        ("processor_secret_key", {"secret_key": " sk_live_51AbcDEF123"}),
        ("processor_secret_key", {"secret_key": "sk_org_51AbcDEF123"}),
        ("processor_secret_key", {"secret_key": "sk_test_51AbcDEF123"}),
        ("processor_secret_key", {"secret_key": "rk_test_51AbcDEF123"}),
        ("processor_publishable_key", {"publishable_key": ""}),
        ("processor_publishable_key", {"publishable_key": "sk_live_51AbcDEF123"}),
        ("processor_publishable_key", {"publishable_key": "pk_test_51AbcDEF123"}),
        ("processor_webhook_secret", {"webhook_secret": ""}),
        ("processor_webhook_secret", {"webhook_secret": ","}),
        ("processor_webhook_secret", {"webhook_secret": "sk_live_51AbcDEF123"}),
        ("processor_webhook_secret", {"webhook_secret": "whsec_AbC123dEf456,nonsense"}),
        ("processor_webhook_secret", {"webhook_secret": "whsec_aaaa1,whsec_bbbb2,whsec_cccc3"}),
        ("processor_payment_methods", {"payment_methods": " , "}),
        ("processor_payment_methods", {"payment_methods": "card,Crypto!"}),
        ("processor_url", {"url": "http://api.stripe.com"}),
        ("processor_url", {"url": "ftp://api.stripe.com"}),
        ("processor_url", {"url": "https://api.stripe.com/v1"}),
        ("processor_url", {"url": "https://"}),
        ("processor_url", {"url": "api.stripe.com"}),
        ("processor_url", {"url": "https://[::"}),
    ],
)
def test_a_production_node_refuses_to_start_naming_the_setting(setting: str, change: dict[str, str]) -> None:
    with pytest.raises(StartupRefusedError) as refused:
        validate_keys(dataclasses.replace(LIVE, **change), production=True)
    assert refused.value.setting == setting
    assert "AbcDEF" not in str(refused.value)
    assert "AbC123" not in str(refused.value)


def test_a_live_browser_key_beside_a_test_secret_is_refused_in_development() -> None:
    with pytest.raises(StartupRefusedError, match="processor_publishable_key"):
        validate_keys(dataclasses.replace(TEST, publishable_key=LIVE.publishable_key), production=False)


def test_their_repr_holds_no_secret() -> None:
    assert "sk_live" not in repr(LIVE)
    assert "whsec" not in repr(LIVE)
    assert LIVE.live
    assert not TEST.live
