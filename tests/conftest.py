"""Rules of every test run: which skips CI accepts, and hypothesis without deadlines that depend on the machine."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--allowed-skips", type=Path, help="fail when a test skips for a reason this file does not list")


class SkipGate:
    """Fails the run when a test skipped for a reason that is not on the list."""

    def __init__(self, listed: tuple[str, ...]) -> None:
        self.listed = listed
        self.refused: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.skipped or not isinstance(report.longrepr, tuple):
            return
        reason = str(report.longrepr[2]).removeprefix("Skipped: ")
        if not reason.startswith(self.listed):
            self.refused.append(f"{report.nodeid}: {reason}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.refused and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.refused:
            terminalreporter.write_line(f"skip not on the list: {line}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    path: Path | None = config.getoption("--allowed-skips")
    if path is None or hasattr(config, "workerinput"):
        return
    lines = (line.strip() for line in path.read_text().splitlines())
    config.pluginmanager.register(SkipGate(tuple(line for line in lines if line and not line.startswith("#"))))
