"""README.md and docs/client.md: their commands and their program do what they say, and they leave out no exit code."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import svc_client
from svc_client import Client
from svc_client.cli import main
from svc_client.cli_context import Exit
from tests.support.client_arguments import ClientArguments
from tests.support.javascript import NODE
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode

PAGE = (REPOSITORY / "docs" / "client.md").read_text()
VARYING = re.compile(r"0x[0-9a-fA-F]{40,}")


def places_of(node: VerifiableNode) -> dict[str, str]:
    return {
        "https://localhost:8443": node.address.origin,
        "http://127.0.0.1:8545": node.chain,
        ".data/tee-simulator/root.pem": str(node.root),
    }


@pytest.mark.exhaustive
def test_the_commands_of_the_readme_print_what_it_says(node: VerifiableNode, tmp_path: Path) -> None:
    """Five commands, from nothing to the result of an action."""
    readme = (REPOSITORY / "README.md").read_text()
    found = re.search(r"<!-- client -->\n```console\n(.*?)```\n<!-- /client -->", readme, re.DOTALL)
    assert found is not None
    lines = found[1].splitlines()
    script = "\n".join(line[2:] for line in lines if line.startswith("$ "))
    for shown, there in places_of(node).items():
        assert shown in script
        script = script.replace(shown, there)
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SVC_CLIENT_FOLDER": str(tmp_path),
        },
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = [line for line in lines if not line.startswith("$ ")]
    assert VARYING.sub("0x…", ran.stdout).splitlines() == [VARYING.sub("0x…", line) for line in said]
    assert len(script.splitlines()) == 5


@pytest.mark.filterwarnings("ignore::svc_client.InsecureDevelopmentRootWarning")
def test_the_program_of_the_page_runs(arguments: ClientArguments, capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"<!-- sdk -->\n```python\n(.*?)```\n<!-- /sdk -->", PAGE, re.DOTALL)
    assert found is not None
    with Client(**arguments) as svc:
        key = svc.account.create("page").api_key
    program = found[1].replace('Client(URL, api_key=KEY, trust="node.trust.toml")', "Client(api_key=KEY, **ARGUMENTS)")
    assert program != found[1]
    exec(compile(program, "docs/client.md", "exec"), {"KEY": key, "ARGUMENTS": arguments})
    assert re.search(r"^0x[0-9a-f]{130}  1 \d+\nbackend \('1',\)\n$", capsys.readouterr().out)


@pytest.fixture
def profile_key(arguments: ClientArguments) -> str:
    """An account's key for the profile of the proxy."""
    with Client(**arguments) as svc:
        return svc.account.create("page").api_key


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::svc_client.InsecureDevelopmentRootWarning")
def test_the_javascript_of_the_page_runs_behind_the_proxy(program: tuple[str, str], tmp_path: Path) -> None:
    found = re.search(r"<!-- javascript -->\n```js\n(.*?)```\n<!-- /javascript -->", PAGE, re.DOTALL)
    assert found is not None
    shutil.copytree(REPOSITORY / "client" / "js", tmp_path, dirs_exist_ok=True)
    url, token = program
    script = tmp_path / "page.mjs"
    script.write_text(found[1].replace("http://127.0.0.1:9000", url))
    environment = {**os.environ, "SVC_PROXY_TOKEN": token}
    ran = subprocess.run([NODE, script], capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert ran.returncode == 0, ran.stderr
    wanted = r"0x[0-9a-f]{130}  1 \d+\nbackend \[ '1' \]\nForbidden execute_in_groups\n"
    assert re.fullmatch(wanted, ran.stdout), ran.stdout


def commands_of(group: click.Group, prefix: str) -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found[f"{prefix} {name}"] = command
        if isinstance(command, click.Group):
            found |= commands_of(command, f"{prefix} {name}")
    return found


def test_the_page_has_every_command_exit_code_and_error() -> None:
    commands = commands_of(main, "svc")
    groups = {name for name, command in commands.items() if isinstance(command, click.Group)}
    for name in commands:
        assert name in groups or re.search(rf"`{name.split()[-1]}\b|`{name}\b", PAGE), name
    for named in re.findall(r"^(?:`| *)(svc [a-z]+ [a-z]+) ", PAGE, re.MULTILINE):
        assert named in commands or named.rpartition(" ")[0] in commands, named
    options = {option for command in [main, *commands.values()] for each in command.params for option in each.opts}
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) <= options
    assert all(re.search(rf"^\| {code.value} \|", PAGE, re.MULTILINE) for code in Exit)
    errors: dict[str, Any] = {name: getattr(svc_client, name) for name in svc_client.__all__}
    for name, kind in errors.items():
        if isinstance(kind, type) and issubclass(kind, svc_client.SvcError):
            assert f"`{name}`" in PAGE, name


def test_parts_of_the_table_exist() -> None:
    parts = {"account", "wallets", "groups", "actions", "usage_keys", "billing", "node"}
    with Client("https://localhost:1", app_id="0x" + "00" * 20) as svc:
        for part in parts:
            row = re.search(rf"^\| .*`svc\.{part}`.* \| (.*) \|$", PAGE, re.MULTILINE)
            assert row is not None
            for method in re.findall(r"`([a-z_]+)`", row[1]):
                assert hasattr(getattr(svc, part), method), (part, method)
