"""Rules of every test run: loopback alone, which skips CI accepts, and hypothesis without deadlines of the machine's."""

import signal
import sys
from pathlib import Path

import eth_account  # noqa: F401 - imported first, for what is undone below
import pytest
from hypothesis import HealthCheck, settings

# Before they are imported: asserts of helpers say what they compare, as those of the tests themselves do.
pytest.register_assert_rewrite(*(f"tests.{each.name}" for each in Path(__file__).parent.iterdir() if each.is_dir()))

from tests.support.loopback import refuse_other_networks  # noqa: E402
from tests.support.selection import COVERS, EXHAUSTIVE, NEEDS_ROOT, Part, divide, skip_without_root  # noqa: E402
from tests.support.skip_gate import SkipGate, listed_reasons  # noqa: E402

settings.register_profile("project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")


# eth-account, the reference of some tests, raises the limit to 100,000, with which nested JSON overflows the C stack and
# ends the run. The node never imports it (tests/permissions/test_forbidden.py), so its limit is Python's own.
sys.setrecursionlimit(1000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz-inputs", type=int, default=2_000, help="inputs for each parser of the verifier")
    parser.addoption("--stage-fuzz-inputs", type=int, default=60, help="inputs for each stage of the verifier")
    parser.addoption(
        "--crash-all", action="store_true", help="kill and cut at every boundary on PostgreSQL, not at a sample"
    )
    parser.addoption(
        "--part",
        type=Part,
        choices=list(Part),
        default=Part.ALL,
        help="the quick tests, the rest, what only root can see, or all",
    )
    parser.addoption("--allowed-skips", type=Path, help="fail when a test skips for a reason this file does not list")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{EXHAUSTIVE}: only `make test-all` runs it")
    config.addinivalue_line("markers", f"{COVERS}(*names): what a case of a table is of; `make test` runs one of each")
    config.addinivalue_line("markers", f"{NEEDS_ROOT}: only root can see it; `make test-root` runs it")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script; programs would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.addaudithook(refuse_other_networks)
    path: Path | None = config.getoption("--allowed-skips")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SkipGate(listed_reasons(path)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part = config.getoption("--part")
    skip_without_root(items)
    if part is not Part.ALL:
        parts = divide(items)
        items[:] = parts.pop(part)
        config.hook.pytest_deselected(items=[item for others in parts.values() for item in others])


@pytest.fixture
def fuzz_inputs(request: pytest.FixtureRequest) -> int:
    """How many inputs each parser is to be tried with."""
    inputs = request.config.getoption("--fuzz-inputs")
    assert isinstance(inputs, int)
    return inputs


@pytest.fixture
def stage_fuzz_inputs(request: pytest.FixtureRequest) -> int:
    """How many inputs each stage is to be tried with."""
    inputs = request.config.getoption("--stage-fuzz-inputs")
    assert isinstance(inputs, int)
    return inputs


@pytest.fixture
def crash_all(request: pytest.FixtureRequest) -> bool:
    """Whether crash tests on PostgreSQL try every boundary; on SQLite they always do."""
    every = request.config.getoption("--crash-all")
    assert isinstance(every, bool)
    return every
