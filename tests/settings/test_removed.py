"""Settings that are constants now: named when a file still has them, listed on demand, and where the list says."""

import importlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from devkit.settings import DevelopmentSettings
from node.cli import main
from node.errors import StartupRefusedError
from node.settings import Settings
from node.settings.loading import settings_for_serving_from_text, unknown_settings
from node.settings.removed import REMOVED, RENAMED


@pytest.mark.parametrize("name", sorted(REMOVED))
def test_a_removed_setting_is_no_setting_and_its_constant_exists(name: str) -> None:
    assert name not in DevelopmentSettings.model_fields
    module_name, constant = REMOVED[name].rsplit(".", 1)
    assert hasattr(importlib.import_module(module_name), constant)
    assert constant.isupper(), "a constant, which a test can replace"


@pytest.mark.parametrize("name", sorted(REMOVED)[:3])
def test_a_start_with_a_removed_setting_names_the_constant_and_the_command(name: str) -> None:
    with pytest.raises(StartupRefusedError) as refused:
        settings_for_serving_from_text(f"{name} = 1", {})
    assert refused.value.setting == name
    assert REMOVED[name] in str(refused.value)
    assert "svc-node settings --removed" in str(refused.value)


@pytest.mark.parametrize("name", sorted(RENAMED))
def test_a_start_with_a_renamed_setting_says_its_new_name(name: str) -> None:
    assert name not in DevelopmentSettings.model_fields
    assert RENAMED[name] in Settings.model_fields
    assert name not in REMOVED
    with pytest.raises(StartupRefusedError, match=f"{name}: is {RENAMED[name]} now; rename it"):
        settings_for_serving_from_text(f"{name} = 1", {})


FILE = """# settings of an earlier version
chain_id = 8453
health_watch_interval_s = 30
# acme_poll_s = 1
rpc_endpoints = [
  "https://one.example",
]
"acme_poll_s" = 2
  http_prot = 80
name_characters = 64
[table]
chain_name = "in a table, so it is none of the node's"
"""


def test_the_lines_that_name_no_setting_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "node.toml"
    path.write_text(FILE)
    result = CliRunner().invoke(main, ["settings", "--removed", str(path)])
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"{path}:3: health_watch_interval_s is a constant now (node.status.health.WATCH_INTERVAL_S); delete the line",
        f"{path}:8: acme_poll_s is a constant now (attest.certificates.acme_issuer.POLL_S); delete the line",
        f"{path}:9: http_prot is no setting; delete the line",
        f"{path}:10: name_characters is name_bytes now; rename it",
        f"{path}:11: table is no setting; delete the line",
    ]


def test_a_file_of_settings_alone_lists_nothing(tmp_path: Path) -> None:
    path = tmp_path / "node.toml"
    path.write_text('chain_id = 8453\nlog_level = "info"\n')
    result = CliRunner().invoke(main, ["settings", "--removed", str(path)])
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize("content", [None, b"= 1\n", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "node.toml"
    if content is not None:
        path.write_bytes(content)
    result = CliRunner().invoke(main, ["settings", "--removed", str(path)])
    assert result.exit_code == 2
    assert str(path) in result.output


def test_settings_of_the_development_node_are_unknown_to_the_product_alone(tmp_path: Path) -> None:
    path = tmp_path / "node.toml"
    path.write_text("dev_chain_port = 1\n")
    assert [unknown.name for unknown in unknown_settings(path, Settings)] == ["dev_chain_port"]
    assert list(unknown_settings(path, DevelopmentSettings)) == []
