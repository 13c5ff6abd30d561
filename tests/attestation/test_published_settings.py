"""What a statement says of the settings: all that decides anything, and nothing that is a secret."""

import json
from typing import Any

import pytest
import rfc8785
from pydantic import SecretStr

from devkit.settings import DevelopmentSettings
from node.settings import SECRETS, Settings
from node.settings.published import published_settings

SECRET = "s3cr3t-t0ken"
WITH_SECRETS = {
    "rpc_endpoints": (f"a=https://one.example:8545/v2/{SECRET}?q={SECRET}#x", "https://two.example"),
    "rpc_authorizations": {"a": SecretStr(SECRET)},
    "rpc_websocket_endpoints": (f"wss://one.example/v2/{SECRET}", "wss://two.example"),
    "guest_agent": f"http://agent:{SECRET}@10.0.0.1:8090/{SECRET}",
}


def test_secrets_are_there_by_name_alone_and_urls_by_their_origin() -> None:
    shown = published_settings(Settings.model_validate(WITH_SECRETS))
    assert SECRET not in json.dumps(shown)
    assert shown["secrets"] == ["rpc_authorization_a"]
    settings = shown["settings"]
    assert isinstance(settings, dict)
    assert settings["rpc_endpoints"] == ["https://one.example:8545", "https://two.example"]
    assert settings["rpc_websocket_endpoints"] == ["wss://one.example", "wss://two.example"]
    assert settings["guest_agent"] == "http://10.0.0.1:8090"


@pytest.mark.parametrize("kind", [Settings, DevelopmentSettings])
def test_every_setting_is_there_once(kind: type[Settings]) -> None:
    shown = published_settings(kind())
    settings = shown["settings"]
    assert isinstance(settings, dict)
    assert settings.keys() == kind.model_fields.keys() - {
        name for name, field in kind.model_fields.items() if name in SECRETS or field.annotation is SecretStr
    } - {"rpc_authorizations"}
    assert shown["secrets"] == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("chain_id", 8453, 8453),
        ("payer_low_balance_wei", 5, "5"),
        ("payer_low_balance_wei", 2**70, str(2**70)),
        ("chain_id", 2**60, str(2**60)),
        ("action_timeout_s", 0.5, 0.5),
        ("action_timeout_s", 1e300, "1e+300"),
        ("action_timeout_s", float("inf"), "inf"),
        ("chain_testnet", True, True),
        ("trusted_proxies", "10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]),
    ],
)
def test_any_value_has_a_canonical_form(name: str, value: Any, said: Any) -> None:
    shown = published_settings(Settings.model_validate({name: value}))
    settings = shown["settings"]
    assert isinstance(settings, dict)
    assert settings[name] == said
    assert json.loads(rfc8785.dumps(shown)) == shown


def test_another_chain_is_another_statement() -> None:
    """Return what a host that forges the environment would change (spec 12.4, 14)."""
    honest = published_settings(Settings(chain_id=8453, rpc_endpoints=("https://mainnet.example",)))
    forged = published_settings(Settings(chain_id=8453, rpc_endpoints=("https://attacker.example",)))
    assert rfc8785.dumps(honest) != rfc8785.dumps(forged)
