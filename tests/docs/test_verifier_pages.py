"""What the documents say of the verifier is what it says of itself."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from svc_verifier.check import CATALOGUE
from svc_verifier.cli.group import commands
from svc_verifier.errors import Exit
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode, verifiable_node

VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"), "…"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:…"),
    (re.compile(r"public key sha256 [0-9a-f]{64}"), "public key sha256 …"),
)
"""What differs from run to run: the time, the ports of a test's node, and its TLS key."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VerifiableNode]:
    with verifiable_node(tmp_path_factory.mktemp("node")) as running:
        yield running


def block(name: str) -> tuple[str, str]:
    """The one command of a marked block of README.md or docs/verifying.md, and what the page says that prints."""
    readme = "".join((REPOSITORY / page).read_text() for page in ("README.md", "docs/verifying.md"))
    found = re.search(rf"<!-- {name} -->\n```console\n\$ ([^\n]*)\n(.*?)```\n<!-- /{name} -->", readme, re.DOTALL)
    assert found is not None
    return found[1], found[2]


def printed(command: str) -> str:
    program, *arguments = command.split()
    assert program == "svc-verify"
    ran = subprocess.run(
        [sys.executable, "-m", "svc_verifier", *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={name: value for name, value in os.environ.items() if name not in {"COLUMNS", "TERMINAL_WIDTH"}},
    )
    return ran.stdout


def steady(text: str) -> str:
    for pattern, stand_in in VARYING:
        text = pattern.sub(stand_in, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def test_the_help_is_what_the_readme_shows() -> None:
    command, said = block("svc-verify-help")
    assert steady(printed(command)) == steady(said)


@pytest.mark.exhaustive
def test_the_report_is_what_the_readme_shows(node: VerifiableNode) -> None:
    """The same command, at the ports of this test's node and with its root."""
    command, said = block("svc-verify-report")
    places = {
        "https://localhost:8443": node.address.origin,
        "http://127.0.0.1:8545": node.chain,
        ".data/tee-simulator/root.pem": str(node.root),
    }
    for shown, there in places.items():
        assert shown in command
        command = command.replace(shown, there)
    assert f"0x{node.app_id.hex()}" in command.lower()
    assert steady(printed(command)) == steady(said)


def test_the_page_names_every_exit_code_and_only_options_there_are() -> None:
    page = (REPOSITORY / "docs" / "verifying.md").read_text()
    assert all(re.search(rf"\b{code.value}\b", page) for code in Exit)
    assert isinstance(commands, click.Group)
    context = click.Context(commands)
    loaded = {name: commands.get_command(context, name) for name in commands.list_commands(context)}
    options = {
        name for command in loaded.values() if command is not None for each in command.params for name in each.opts
    }
    assert set(re.findall(r"`(--[a-z-]+)", page)) <= options
    for name in re.findall(r"svc-verify ([a-z]+) ", page):
        assert name in loaded


def test_the_page_imports_what_is_there() -> None:
    page = Path(REPOSITORY / "docs" / "verifying.md").read_text()
    imports = re.findall(r"^from svc_verifier\.\w+ import \w+$", page, re.MULTILINE)
    assert len(imports) == 2
    subprocess.run([sys.executable, "-c", "; ".join(imports)], cwd=REPOSITORY, check=True, timeout=60)


def test_the_page_lists_every_check_by_its_id_and_no_other() -> None:
    page = (REPOSITORY / "docs" / "verifying.md").read_text()
    listed = re.findall(r"^\| `([a-z-]+\.[a-z-]+)` \| (.*) \| (yes|no) \|$", page, re.MULTILINE)
    assert listed == [(name, row.claim, "yes" if row.required else "no") for name, row in CATALOGUE.items()]
