"""docs/compose.md: its settings deploy, and its commands and options are those there are."""

import json
import re
from pathlib import Path

import pytest
from click import Group, Option

from compose.cli import commands
from tests.compose.conftest import Run, documented_members
from tests.support.contract import REPOSITORY
from tests.support.measured_files import IMAGE, SETTINGS

PAGE = (REPOSITORY / "docs" / "compose.md").read_text()


@pytest.mark.exhaustive
def test_its_settings_deploy(run: Run, tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "settings.toml").write_text(block)
    ran = run("render", "--image", IMAGE, "--settings", "settings.toml")
    assert ran.code == 0, ran.err
    assert run("check", "app-compose.json").code == 0


def test_it_names_every_command_and_no_option_that_is_not_there() -> None:
    assert isinstance(commands, Group)
    options = {
        name
        for command in commands.commands.values()
        for parameter in command.params
        if isinstance(parameter, Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    ours = set(re.findall(r"(?<![\w=-])--[a-z][a-z-]+", PAGE)) - {"--config-text"}
    assert ours <= options
    assert all(f"svc-compose {name}" in PAGE for name in commands.commands)


@pytest.mark.exhaustive
def test_documents_hold_the_members_it_names(run: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(SETTINGS)
    file = "app-compose.json"
    at = ["--app-id", "0x" + "11" * 20, "--chain-id", "1"]
    for command, *arguments in (
        ["render", "--image", IMAGE, "--settings", "settings.toml"],
        ["hash", file],
        ["check", file],
        ["diff", file, file],
        ["approve", file, *at],
        ["revoke", file, *at],
    ):
        assert list(json.loads(run(command, *arguments, "--json").out)) == documented_members(command), command
