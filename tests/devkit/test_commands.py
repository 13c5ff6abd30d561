"""Commands of the development stand-ins, and the former ones of `svc-node`, which name them."""

import pytest
from click.testing import CliRunner

from devkit.cli import main as devkit
from node.cli import main as node


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["dev"], "svc-devkit run"),
        (["dev", "--config", "none.toml"], "svc-devkit run"),
        (["dev", "--help"], "svc-devkit run"),
        (["tee-simulator", "--directory", "tee", "--debug"], "svc-devkit tee-simulator"),
    ],
)
def test_a_former_command_names_the_new_one(arguments: list[str], command: str) -> None:
    result = CliRunner().invoke(node, arguments)
    assert result.exit_code == 2
    assert f"`svc-node {arguments[0]}` is `{command}` now" in result.output


def test_the_product_lists_no_stand_in_and_the_devkit_all() -> None:
    listed = CliRunner().invoke(node, ["--help"]).output
    assert "tee-simulator" not in listed
    assert "\n  dev" not in listed
    for command in ("run", "approve-compose", "tee-simulator", "settings"):
        assert f"\n  {command} " in CliRunner().invoke(devkit, ["--help"]).output
