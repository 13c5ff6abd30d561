"""What a start loads: the help and an import of the library need none of the libraries that a verification needs."""

import json
import subprocess
import sys
from importlib import metadata
from typing import Final

import pytest
from click import Context

from svc_verifier.cli.commands import COMMANDS
from svc_verifier.cli.group import commands

LOADED: Final = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
HEAVY: Final = {"asyncio", "aiohttp", "cryptography", "dcap_qvl", "dns", "rfc8785", "sha3", "ssl", "tomllib", "yaml"}
"""Libraries, and parts of Python that take as long to load."""

OWN_HELP: Final = 4
"""Modules of ours that the help needs: two packages, the entry, and the names of the commands."""


def loaded_by(code: str) -> list[str]:
    command = [sys.executable, "-c", f"{code}\n{LOADED}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    names: list[str] = json.loads(ran.stdout.splitlines()[-1])
    return names


HELP: Final = "import contextlib\nfrom svc_verifier.__main__ import main\nimport sys; sys.argv = ['svc-verify', '--help']\nwith contextlib.suppress(SystemExit): main()"


def test_the_help_loads_no_library_but_click() -> None:
    assert not HEAVY.intersection(loaded_by(HELP))


def test_the_help_loads_four_modules_of_ours() -> None:
    code = f"{HELP}\nimport sys; sys.modules['marker.' + str(sum(name.split('.')[0] == 'svc_verifier' for name in sys.modules))] = sys\n"
    command = [sys.executable, "-c", f"{code}\nprint(max(n for n in sys.modules if n.startswith('marker.')))"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert int(ran.stdout.splitlines()[-1].removeprefix("marker.")) <= OWN_HELP


def test_the_library_itself_loads_nothing() -> None:
    assert not HEAVY.intersection(loaded_by("import svc_verifier"))


@pytest.mark.parametrize(
    ("module", "loads"),
    [("trust", set()), ("bundle", set()), ("check", set()), ("trust_file", {"tomllib"}), ("rendering.text", set())],
)
def test_a_part_of_the_library_loads_what_it_needs(module: str, loads: set[str]) -> None:
    assert HEAVY.intersection(loaded_by(f"import svc_verifier.{module}")) == loads


def test_a_replay_needs_no_network_library() -> None:
    code = "import contextlib\nfrom click.testing import CliRunner\nfrom svc_verifier.cli.group import commands\nCliRunner().invoke(commands, ['replay', 'absent.json', '--app-id', '0x' + '11' * 20])"
    assert not {"aiohttp", "dns"}.intersection(loaded_by(code))


def test_the_help_names_every_command_as_it_names_itself() -> None:
    context = Context(commands)
    for name in commands.list_commands(context):
        command = commands.get_command(context, name)
        assert command is not None
        assert commands.short_helps[name] == command.get_short_help_str(200), name
    registered = {name for name, command in COMMANDS.items() if not command.hidden}
    assert registered == set(commands.list_commands(context))


def test_no_drawing_library_is_installed_with_the_verifier() -> None:
    wanted = metadata.requires("svc-verifier") or []
    assert not [name for name in wanted if name.startswith(("rich", "pygments"))]
