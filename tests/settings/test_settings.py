"""What a node is told, and what it refuses to be told."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from devkit.settings import DevelopmentSettings
from node.errors import StartupRefusedError
from node.settings import SECRETS, Settings
from node.settings.loading import (
    settings_for_development,
    settings_for_serving,
    settings_for_serving_from_text,
)
from node.settings.table import markdown, rows, settings_command
from node.status.limits import client_config
from tests.support.node import REPOSITORY


def config(directory: Path, text: str) -> Path:
    path = directory / "node.toml"
    path.write_text(text)
    return path


def test_serve_reads_its_file_and_its_secrets_from_the_environment(tmp_path: Path) -> None:
    path = config(tmp_path, 'chain_id = 8453\nrpc_endpoints = ["https://one.example"]\n')
    settings = settings_for_serving(path, {"SVC_RPC_AUTHORIZATION": "Bearer x", "HOME": "/"})
    assert settings.chain_id == 8453
    assert settings.rpc_endpoints == settings.rpc_urls == ("https://one.example",)
    assert settings.rpc_authorization.get_secret_value() == "Bearer x"


NAMED = 'rpc_endpoints = ["a=https://one.example", "b2=https://two.example/rpc?x=1", "https://three.example"]\n'


def test_each_named_endpoint_has_a_secret_of_its_own(tmp_path: Path) -> None:
    environment = {"SVC_RPC_AUTHORIZATION_A": "Bearer one", "SVC_RPC_AUTHORIZATION_B2": "Bearer two"}
    for settings in (
        settings_for_serving(config(tmp_path, NAMED), environment),
        settings_for_development(Settings, config(tmp_path, NAMED), environment),
    ):
        assert settings.rpc_urls == ("https://one.example", "https://two.example/rpc?x=1", "https://three.example")
        sent = [settings.authorization_of(url) for url in (*settings.rpc_urls, "https://stranger.example")]
        assert sent == ["Bearer one", "Bearer two", "", ""]
        assert "Bearer" not in repr(settings)


def test_the_secret_of_one_endpoint_goes_to_it_named_or_not(tmp_path: Path) -> None:
    for entry in ("https://one.example", "a=https://one.example"):
        path = config(tmp_path, f'rpc_endpoints = ["{entry}"]\n')
        settings = settings_for_serving(path, {"SVC_RPC_AUTHORIZATION": "Bearer x"})
        assert settings.authorization_of("https://one.example") == "Bearer x"


@pytest.mark.parametrize(
    ("text", "environment", "named", "said"),
    [
        (NAMED, {"SVC_RPC_AUTHORIZATION": "Bearer hush"}, "rpc_authorization", "SVC_RPC_AUTHORIZATION_A for `a`"),
        (
            NAMED,
            {"SVC_RPC_AUTHORIZATION_C": "hush"},
            "SVC_RPC_AUTHORIZATION_C",
            "no entry of rpc_endpoints has the name c",
        ),
        (NAMED, {"SVC_RPC_AUTHORIZATIONS": "hush"}, "SVC_RPC_AUTHORIZATIONS", "unset it"),
        (NAMED + 'rpc_authorization_a = "hush"\n', {}, "rpc_authorization_a", "set it as a variable"),
        (NAMED + 'rpc_authorizations = {a = "hush"}\n', {}, "rpc_authorizations", "set it as a variable"),
        ('rpc_endpoints = ["a=https://x.example", "a=https://y.example"]', {}, "rpc_endpoints", "gives a name twice"),
        (
            'rpc_endpoints = ["a=https://x.example", "https://x.example/"]',
            {},
            "rpc_endpoints",
            "names an endpoint twice",
        ),
        ('rpc_endpoints = ["https://hush@x.example"]', {}, "rpc_endpoints", "user or password"),
        ('rpc_endpoints = ["https://x.example/?apiKey=hush"]', {}, "rpc_endpoints", "SVC_RPC_AUTHORIZATION_A"),
        (f'rpc_endpoints = ["https://x.example/v2/hush{"0a" * 16}"]', {}, "rpc_endpoints", "SVC_RPC_AUTHORIZATION_A"),
        ("rpc_endpoints = [1]", {"SVC_RPC_AUTHORIZATION": "hush"}, "rpc_endpoints.0", "string"),
        ("rpc_endpoints = 1", {"SVC_RPC_AUTHORIZATION": "hush"}, "rpc_endpoints", "tuple"),
    ],
)
def test_a_secret_that_would_go_elsewhere_or_that_all_can_read_stops_the_start(
    tmp_path: Path, text: str, environment: dict[str, str], named: str, said: str
) -> None:
    with pytest.raises(StartupRefusedError) as refused:
        settings_for_serving(config(tmp_path, text), environment)
    assert refused.value.setting == named
    assert said in str(refused.value)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("name", ["SVC_CHAIN_ID", "SVC_RPC_ENDPOINTS", "SVC_LOG_LEVEL", "SVC_NO_SUCH_THING"])
def test_serve_refuses_any_other_variable(tmp_path: Path, name: str) -> None:
    with pytest.raises(StartupRefusedError, match=name):
        settings_for_serving(config(tmp_path, ""), {name: "1"})


def test_serve_refuses_a_secret_in_the_measured_file_and_does_not_repeat_it(tmp_path: Path) -> None:
    with pytest.raises(StartupRefusedError, match="rpc_authorization") as refused:
        settings_for_serving(config(tmp_path, 'rpc_authorization = "Bearer hush"\n'), {})
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("http_port = 70000\n", "http_port"),
        ('http_port = "many"\n', "http_port"),
        ("http_prot = 80\n", "http_prot"),
        ("price_write_cents = -1\n", "price_write_cents"),
        ('billing = "on"\n', "billing"),
        ('rpc_endpoints = ["https://one.example/key", "https://One.example/key/"]\n', "rpc_endpoints"),
        ("dev_chain_port = 1\n", "dev_chain_port"),
        ("= 1\n", "--config"),
    ],
)
def test_a_fault_in_the_file_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(StartupRefusedError) as refused:
        settings_for_serving(config(tmp_path, text), {})
    assert refused.value.setting == named


def test_serve_takes_the_same_settings_as_text_with_the_same_refusals(tmp_path: Path) -> None:
    text, secret = 'chain_id = 8453\nrpc_endpoints = ["https://one.example"]\n', {"SVC_RPC_AUTHORIZATION": "Bearer x"}
    assert settings_for_serving_from_text(text, secret) == settings_for_serving(config(tmp_path, text), secret)
    for bad, environment, named in [
        ("= 1", {}, "--config-text"),
        ("a = " + "[" * 100_000, {}, "--config-text"),
        ("http_prot = 80", {}, "http_prot"),
        ('rpc_authorization = "Bearer hush"', {}, "rpc_authorization"),
        ("", {"SVC_CHAIN_ID": "1"}, "SVC_CHAIN_ID"),
    ]:
        with pytest.raises(StartupRefusedError) as refused:
            settings_for_serving_from_text(bad, environment)
        assert refused.value.setting == named
        assert "hush" not in str(refused.value)


def test_a_name_that_is_no_setting_is_refused_and_the_command_that_lists_them_is_named() -> None:
    with pytest.raises(StartupRefusedError, match="acme_poll_s: there is no such setting; `svc-node settings` lists"):
        settings_for_serving_from_text("acme_poll_s = 2", {})


def test_a_file_that_is_missing_or_no_text_is_said(tmp_path: Path) -> None:
    path = tmp_path / "node.toml"
    with pytest.raises(StartupRefusedError, match="cannot be read"):
        settings_for_serving(path, {})
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(StartupRefusedError, match="is not TOML"):
        settings_for_serving(path, {})


def test_development_takes_the_environment_over_the_file(tmp_path: Path) -> None:
    path = config(tmp_path, "http_port = 1\nmetrics_port = 2\n")
    settings = settings_for_development(DevelopmentSettings, path, {"SVC_HTTP_PORT": "3", "SVC_DEV_CHAIN_PORT": "4"})
    assert (settings.http_port, settings.metrics_port, settings.dev_chain_port) == (3, 2, 4)


def test_secrets_are_settings_and_never_print() -> None:
    assert set(Settings.model_fields) >= SECRETS
    settings = settings_for_development(Settings, None, {"SVC_RPC_AUTHORIZATION": "Bearer hush"})
    assert "hush" not in repr(settings)


def test_every_setting_has_a_meaning_and_the_docs_list_is_what_the_command_prints() -> None:
    for name, field in DevelopmentSettings.model_fields.items():
        assert field.description, name
    assert (REPOSITORY / "docs" / "settings.md").read_text() == markdown(DevelopmentSettings)


@pytest.mark.parametrize("columns", ["40", "200"])
def test_the_list_shows_each_setting_and_its_default_whole_however_narrow_the_terminal(columns: str) -> None:
    shown = CliRunner(env={"COLUMNS": columns}).invoke(settings_command(Settings), []).output
    assert all(f"{row.name} = {row.default}".rstrip() in shown for row in rows(Settings))


def test_clients_are_told_of_the_bounds_they_meet_in_numbers_that_json_holds() -> None:
    shown = client_config(Settings())
    names = {"name_bytes", "description_bytes", "write_gas_limit_max", "free_writes_per_hour_wei"}
    assert names <= shown.keys()
    assert shown["free_writes_per_hour_wei"] == str(Settings().free_writes_per_hour_wei)
    assert all(value < 2**53 for value in shown.values() if isinstance(value, (int, float)))
