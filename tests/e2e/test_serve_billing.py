"""`svc-node serve` that charges: its own ledger, and a card processor that is wrong, unreachable, or play money."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.account import TRIVIAL_CODE, new_account
from tests.support.node import NodeProcess, running_node
from tests.support.nursery import Nursery, nursery
from tests.support.ports import free_port
from tests.support.serving import configured, environment, lent_platform, serving, unchecked

KEYS = {"SVC_PROCESSOR_SECRET_KEY": "sk_test_local", "SVC_PROCESSOR_WEBHOOK_SECRET": "whsec_local"}
PRICE = "0x" + "11" * 20 + ":TOK:6:1000000"
LIVE = {**KEYS, "SVC_PROCESSOR_SECRET_KEY": "sk_live_neverTold"}


@dataclass(frozen=True)
class Platform:
    """What `serve` is pointed at, card processor included, and an account on the chain."""

    node: NodeProcess
    settings: Mapping[str, object]
    account_key: str


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    data = tmp_path_factory.mktemp("p")
    with running_node(data) as node:
        processor = {"processor_url": node.log_value("processor"), "processor_publishable_key": "pk_test_local"}
        settings = {**lent_platform(node, data), "billing": "", "chain_max_head_age_s": 0, **processor}
        yield Platform(node, settings, new_account(unchecked(node.url)).key)


@pytest.fixture(scope="module")
def starts() -> Iterator[Nursery]:
    with nursery("tests.support.serve_life") as starts:
        yield starts


def refusal(starts: Nursery, directory: Path, settings: Mapping[str, object], secrets: Mapping[str, str]) -> str:
    """What a start that must fail says; it never repeats a secret."""
    printed = directory / "printed"
    config = str(configured(directory, settings))
    life = starts.live({"config": config, "environment": environment(secrets), "printed": str(printed)})
    said = printed.read_text()
    assert life.code == 2, said
    assert "Traceback" not in said
    assert not any(secret in said for secret in secrets.values())
    return said


@pytest.mark.exhaustive
def test_without_a_processor_it_charges_and_sells_nothing(platform: Platform, tmp_path: Path) -> None:
    settings = {**platform.settings, "processor_publishable_key": ""}
    with serving(tmp_path, settings) as url:
        client = unchecked(url, platform.account_key)
        assert client.get("health").ok()["billing"] == "ok"
        client.post("svc_action", {"code": TRIVIAL_CODE}).refused(402, "payment_required")
        client.get("billing/processor_config").refused(503, "billing_disabled")
        client.get("billing/token_config").refused(503, "billing_disabled")
        assert client.get("billing/usage").ok() == []
    assert (tmp_path / "data" / "ledger.sqlite3").stat().st_mode & 0o777 == 0o600


@pytest.mark.exhaustive
def test_play_money_is_announced_where_it_is_allowed(platform: Platform, tmp_path: Path) -> None:
    with serving(tmp_path, platform.settings, KEYS) as url:
        health = unchecked(url).get("health").ok()
        assert health["billing"] == "ok"
        assert any("test key" in reason for reason in health["insecure"])


@pytest.mark.exhaustive
def test_play_money_is_refused_where_money_is_real(platform: Platform, starts: Nursery, tmp_path: Path) -> None:
    assert "processor_secret_key" in refusal(starts, tmp_path, {**platform.settings, "chain_testnet": False}, KEYS)


@pytest.mark.parametrize(
    ("named", "wrong", "secrets"),
    [
        ("processor_secret_key", {}, {**KEYS, "SVC_PROCESSOR_SECRET_KEY": "sk_test_ofSomebodyElse"}),
        ("processor_secret_key", {}, {**KEYS, "SVC_PROCESSOR_SECRET_KEY": "pk_test_local_no_secret"}),
        ("processor_secret_key", {}, {}),
        ("processor_webhook_secret", {}, {**KEYS, "SVC_PROCESSOR_WEBHOOK_SECRET": "nonsense-secret"}),
        ("processor_publishable_key", {"processor_publishable_key": "pk_live_ofAnotherMode"}, KEYS),
        ("processor_publishable_key", {"processor_publishable_key": ""}, KEYS),
        ("processor_url", {"chain_testnet": False, "processor_publishable_key": "pk_live_public"}, LIVE),
        ("ledger_url", {}, {"SVC_LEDGER_URL": "mysql://user:hush-hush@127.0.0.1/ledger"}),
        ("ledger_url", {}, {"SVC_LEDGER_URL": "postgresql://user:hush-hush@127.0.0.1:9/ledger?sslmode=disable"}),
        ("token_deposit_contract", {"token_prices": [PRICE]}, KEYS),
        ("token_deposit_contract", {"token_deposit_contract": "0x" + "11" * 20, "token_prices": [PRICE]}, KEYS),
    ],
)
def test_what_is_wrong_with_billing_is_refused_by_name(
    platform: Platform,
    starts: Nursery,
    tmp_path: Path,
    named: str,
    wrong: Mapping[str, object],
    secrets: Mapping[str, str],
) -> None:
    settings = {**platform.settings, "ledger_postgres_settle_patience_s": 0.1, **wrong}
    assert named in refusal(starts, tmp_path, settings, secrets)


@pytest.mark.exhaustive
def test_a_processor_that_is_not_there_stops_nobody(platform: Platform, tmp_path: Path) -> None:
    settings = {**platform.settings, "processor_url": f"http://127.0.0.1:{free_port()}"}
    with serving(tmp_path, settings, KEYS) as url:
        client = unchecked(url, platform.account_key)
        health = client.get("health").ok()
        assert (health["status"], health["billing"]) == ("degraded", "degraded")
        client.post("billing/create_payment_intent", {"amount_cents": 500}).refused(503, "billing_unavailable")
        client.post("svc_action", {"code": TRIVIAL_CODE}).refused(402, "payment_required")
