"""CONTRIBUTING.md and the picture beside it: its recipes work, and its layers are those that are enforced."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from node.execution.host_calls import ActionCalls
from tests.support.node import REPOSITORY
from tools.house import PICTURE, picture
from tools.language import _sections, complaints

pytestmark = pytest.mark.exhaustive

PAGE = REPOSITORY / "CONTRIBUTING.md"
COPIED = ("node", "verifier", "client", "tests", "docs")
TIMEOUT_S = 240
OF_THE_CLIENTS = (
    "tests/client/test_api_coverage.py",
    "tests/client/test_document.py",
    "tests/client/test_sdk.py",
    "tests/client/generated/test_javascript_client.py",
)


def hunks() -> Iterator[tuple[str, list[str]]]:
    """The file and the lines of each hunk in the recipes, which have no line numbers."""
    for block in re.findall(r"^```diff\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE):
        for file in re.split(r"^\+\+\+ ", block, flags=re.MULTILINE)[1:]:
            path, _, body = file.partition("\n")
            for hunk in re.split(r"^@@\n", body, flags=re.MULTILINE):
                yield path, hunk.splitlines()


PYTHON = sorted({path for path, _ in hunks() if path.endswith(".py")})


def apply(folder: Path, path: str, lines: list[str]) -> None:
    """Put one hunk into a file; of added lines alone, at its end."""
    file = folder / path
    text = file.read_text() if file.exists() else ""
    old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    if not old:
        file.write_text(text + new)
        return
    place = f"\n{text}".count(f"\n{old}")
    assert place == 1, f"{path} has {place} times: {old}"
    file.write_text(f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:])


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code with every recipe applied."""
    folder = tmp_path_factory.mktemp("contributed")
    for path in REPOSITORY.iterdir():
        if path.name in COPIED:
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif path.name != ".git":
            (folder / path.name).symlink_to(path)
    for name, lines in hunks():
        apply(folder, name, lines)
    return folder


def run(folder: Path, *arguments: str) -> str:
    """Run a module there; fails unless it ends well."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(folder / each) for each in ("", "verifier", "client")),
    }
    ran = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    ("tests", "expression", "added"),
    [
        pytest.param("tests/subjects/test_wallets.py", "found_by_its_address", "found_by_its_address", id="endpoint"),
        pytest.param("tests/subjects/test_key_life.py", "", "lives_too_long", id="setting"),
        pytest.param(
            "tests/verifier/test_mutations.py", "good_node or every_check or image", "more than can be read", id="check"
        ),
        pytest.param("tests/docs/test_verifier_pages.py", "every_check", "lists_every_check", id="check on its page"),
        pytest.param("tests/execution/test_keys.py", "tells_its_address", "tells_its_address", id="host call"),
    ],
)
def test_a_recipe_works_as_it_is_written(changed: Path, tests: str, expression: str, added: str) -> None:
    if "execution" in tests:
        run(changed, "node.engine.guest.snapshot")
    printed = run(changed, "pytest", "-v", tests, "-k", expression)
    assert re.search(rf"{added}.* PASSED", printed), printed


def test_the_client_has_the_new_endpoint(changed: Path) -> None:
    run(changed, "tools.clients")
    run(changed, "tools.synchronous")
    run(changed, "pytest", "-n", "0", *OF_THE_CLIENTS)
    assert "def get(self, address: str) -> models.Wallet:" in (changed / "client/svc_client/sync.py").read_text()
    assert "get(address: string): Promise<models.Wallet>;" in (changed / "client/js/svc-client.d.mts").read_text()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("ruff", "check", "--no-cache"), id="ruff"),
        pytest.param(("ruff", "format", "--no-cache", "--check"), id="format"),
        pytest.param(("mypy", "--cache-dir=types"), id="types"),
    ],
)
def test_the_recipes_pass_the_checks_of_make_lint(changed: Path, command: tuple[str, ...]) -> None:
    run(changed, *command, *PYTHON)


def test_the_recipes_are_written_by_the_rules_of_language(changed: Path) -> None:
    paths = [changed / path for path in PYTHON if not path.startswith("tests/")]
    assert [each for path in paths for each in complaints(path, _sections())] == []


def test_an_endpoint_takes_five_files_and_forty_lines() -> None:
    recipe = PAGE.read_text().partition("### Add an endpoint")[2].partition("```diff\n")[2].partition("```")[0]
    assert len(re.findall(r"^\+\+\+ ", recipe, re.MULTILINE)) == 5
    assert len(re.findall(r"^\+(?!\+\+ )", recipe, re.MULTILINE)) <= 40


def test_the_new_setting_is_listed_and_published(changed: Path) -> None:
    assert "| `usage_key_life_max_s` | `0.0` | longest time" in run(changed, "devkit", "settings", "--markdown")


def test_every_host_call_is_named_in_the_prelude_and_described() -> None:
    prelude = (REPOSITORY / "node" / "engine" / "prelude" / "requests.js").read_text()
    page = (REPOSITORY / "docs" / "actions.md").read_text()
    for name in ActionCalls._FUNCTIONS:
        assert f"\n  {name}: " in prelude, name
        assert re.search(rf"\b{name}\(", page), name


def test_the_picture_has_the_layers_that_are_enforced() -> None:
    """Draw it anew with `python -m tools.house`."""
    assert PICTURE.read_text() == picture()
    assert 'data-packages="cli"' in picture()


def test_every_command_of_the_table_is_a_target() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    for target in re.findall(r"^\| `make ([a-z-]+)", PAGE.read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:.*## ", makefile, re.MULTILINE), target
