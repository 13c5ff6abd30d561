"""The rules in tests/conftest.py hold: a test that breaks one fails."""

import importlib
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.attested.cases import CASES as CASES_OF_CHECKS
from tests.support.node import REPOSITORY
from tests.support.selection import CASES, NO_ROOT


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_no_test_connects_beyond_this_machine(host: str) -> None:
    with (
        socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        pytest.raises(pytest.fail.Exception, match="reached for the network"),
    ):
        datagrams.connect((host, 9))


def test_no_test_asks_for_a_name() -> None:
    with pytest.raises(pytest.fail.Exception, match="reached for the network"):
        socket.create_connection(("node.example", 9))


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass


SKIPS = {
    "test": 'import pytest\ndef test_it():\n    pytest.skip("{reason}")\n',
    "mark": 'import pytest\n@pytest.mark.skip(reason="{reason}")\ndef test_it(): ...\n',
    "module": 'import pytest\npytest.skip("{reason}", allow_module_level=True)\n',
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", ["0", "1"])
@pytest.mark.parametrize(("reason", "refused"), [("no network here", len(SKIPS)), ("no browser: v3", 0)])
def test_a_skip_passes_only_with_a_listed_reason(tmp_path: Path, reason: str, refused: int, workers: str) -> None:
    (tmp_path / "allowed").write_text("# a comment\nno browser\n")
    for name, source in SKIPS.items():
        (tmp_path / f"test_{name}.py").write_text(source.format(reason=reason))
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", "pyproject.toml", "-n", workers]
    ran = subprocess.run(
        [*command, "--allowed-skips", tmp_path / "allowed", tmp_path],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert ran.stdout.count("skip not on the list: ") == refused, ran.stdout + ran.stderr
    assert ran.returncode == (1 if refused else 0), ran.stdout


@pytest.mark.parametrize("helper", ["tests.support.ledgers", "tests.support.node", "tests.execution.bench"])
def test_asserts_of_helpers_say_what_they_compare(helper: str) -> None:
    """pytest rewrites test modules alone unless it is told: elsewhere a failure is a bare AssertionError without values."""
    assert "@pytest_ar" in vars(importlib.import_module(helper))


@pytest.mark.exhaustive
def test_pytest_understands_what_ci_asks_of_it() -> None:
    exported = re.search(r'PYTEST_ARGUMENTS="(.*) \$\{PYTEST_ARGUMENTS:-\}"', (REPOSITORY / ".ci" / "run").read_text())
    assert exported is not None
    command = [sys.executable, "-m", "pytest", *shlex.split(exported[1]), "--collect-only", "--ignore-glob=tests/*/*"]
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=110, check=False)
    assert ran.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, ran.stdout + ran.stderr


PARTS = {
    "test_covering.py": "import pytest\ncovers = pytest.mark.covers\n"
    "CASES = [pytest.param(n, marks=covers('every', *{7: ['odd', 'other'], 9: ['odd'], 33: ['rare']}.get(n, []))) for n in range(40)]\n"
    "@pytest.mark.parametrize('case', CASES)\ndef test_name(case): ...\n",
    "test_table.py": "import pytest\n@pytest.mark.parametrize('case', range(40))\ndef test_case(case): ...\n",
    "test_one.py": "def test_first(): ...\ndef test_second(): ...\n",
    "test_long.py": "import pytest\n@pytest.mark.exhaustive\ndef test_long(): ...\n",
    "test_root.py": "import pytest\npytestmark = pytest.mark.needs_root\n"
    "@pytest.mark.parametrize('case', range(8))\ndef test_seen(case): ...\n"
    "@pytest.mark.exhaustive\ndef test_seen_at_length(): ...\n",
}


def collected(folder: Path, part: str, *more: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", *more, "-c", "pyproject.toml", "--collect-only", "-q"]
    ran = subprocess.run(
        [*command, "--part", part, folder], cwd=REPOSITORY, capture_output=True, text=True, timeout=110, check=False
    )
    lines = [line.partition("[") for line in ran.stdout.splitlines() if "::" in line]
    return [path.rpartition("/")[2] + case + name for path, case, name in lines]


@pytest.mark.exhaustive
def test_every_test_is_in_one_part_and_the_quick_one_samples_each_table(tmp_path: Path) -> None:
    for name, source in PARTS.items():
        (tmp_path / name).write_text(source)
    quick, rest, root, everything = (
        collected(tmp_path, part, "-p", "tests.conftest") for part in ("quick", "rest", "root", "all")
    )
    assert sorted(quick + rest + root) == sorted(everything)
    assert len(everything) == 92
    assert [name for name in everything if "test_root.py" in name] == root
    tables = {
        table: [int(re.findall(r"\[(\d+)\]", name)[0]) for name in quick if table in name]
        for table in ("test_case", "test_name")
    }
    cases = tables["test_case"]
    assert len(cases) == CASES
    assert (cases[0], cases[-1]) == (0, 39)
    assert set(tables["test_name"]) == {*cases, 7, 9, 33}, (
        "one of each name, and of two with a name the one that has no other"
    )
    assert "test_long.py::test_long" in rest
    assert "test_one.py::test_first" in quick


@pytest.mark.exhaustive
@pytest.mark.parametrize(("user", "summary"), [(0, "9 passed"), (1000, "9 skipped")])
def test_the_part_of_root_says_so_where_it_cannot_run(tmp_path: Path, user: int, summary: str) -> None:
    (tmp_path / "test_root.py").write_text(PARTS["test_root.py"])
    (tmp_path / "another_user.py").write_text(f"import os\nos.geteuid = lambda: {user}\n")
    command = [sys.executable, "-m", "pytest", "-p", "another_user", "-p", "tests.conftest", "-c", "pyproject.toml"]
    ran = subprocess.run(
        [*command, "--part", "root", tmp_path],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (ran.returncode, summary in ran.stdout) == (0, True), ran.stdout + ran.stderr
    assert (NO_ROOT in ran.stdout) == (user != 0)


@pytest.mark.exhaustive
def test_the_quick_part_makes_every_check_of_the_verifier_fail_that_any_case_does() -> None:
    quick = collected(REPOSITORY / "tests" / "verifier" / "test_mutations.py", "quick")
    shown = {name.partition("[")[2].removesuffix("]") for name in quick if "right_checks_turn_red[" in name}
    failing = {case.name: case.failed for case in CASES_OF_CHECKS}
    assert set().union(*(failing[name] for name in shown)) == set().union(*failing.values())
    assert len(shown) < len(failing) / 4
