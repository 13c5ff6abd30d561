"""The compose hash of real machines: SHA-256 of the exact bytes of their app-compose, as their hardware measured it."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from compose.app_compose import compose_hash
from compose.cli import commands
from tests.support.audited import PLAIN, app_compose
from tests.support.fixtures import FIXTURES, needs_fixtures

STATED_BY_A_SIMULATOR = "dstack/simulator-app-compose.json"
"""It is served beside a machine's log that measured another file (index.json says so)."""


def carried(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every app_compose anywhere in a JSON document, with the object that carries it; JSON in texts included."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            value = json.loads(value)
        except ValueError:
            return
    if isinstance(value, dict):
        if isinstance(value.get("app_compose"), str):
            yield value["app_compose"], value
        for name, part in value.items():
            if name != "app_compose":
                yield from carried(part)
    elif isinstance(value, list):
        for part in value:
            yield from carried(part)


def measured_in(log: Any) -> list[str]:
    """The payloads of compose-hash events."""
    events = json.loads(log) if isinstance(log, str) else log
    return [event["event_payload"] for event in events if event.get("event") == "compose-hash"]


def real_files() -> list[tuple[str, str, dict[str, Any]]]:
    if not FIXTURES.is_dir():
        return []
    found = []
    for path in sorted(FIXTURES.rglob("*.json")):
        if path.name not in {"index.json", "expected.json"}:
            content = json.loads(path.read_text())
            found += [(str(path.relative_to(FIXTURES)), text, holder) for text, holder in carried(content)]
    return found


@needs_fixtures
def test_every_fixture_that_carries_an_app_compose_is_looked_at() -> None:
    named = {path for path, _, _ in real_files()}
    mentions = {
        str(path.relative_to(FIXTURES))
        for path in FIXTURES.rglob("*.json")
        if b'app_compose"' in path.read_bytes().replace(b"\\", b"") and path.name not in {"index.json", "expected.json"}
    }
    assert named == mentions
    assert len(named) >= 5


@needs_fixtures
@pytest.mark.parametrize(("path", "text", "holder"), real_files(), ids=[path for path, _, _ in real_files()])
def test_the_hash_is_the_measured_one(path: str, text: str, holder: dict[str, Any]) -> None:
    digest = compose_hash(text.encode()).hex()
    stated = [holder["compose_hash"]] if "compose_hash" in holder else []
    logged = measured_in(holder["event_log"]) if "event_log" in holder else []
    assert stated or logged
    assert set(stated + logged) == {digest}
    assert compose_hash(text.encode() + b"\n").hex() != digest


@needs_fixtures
@pytest.mark.parametrize(
    ("file", "log"),
    [
        ("dstack-examples/app-compose.json", "dstack-examples/report.json"),
        ("near-mpc/test-utils-app_compose.json", "near-mpc/test-utils-tcb_info.json"),
    ],
)
def test_the_file_beside_a_real_log_is_the_one_it_measured(file: str, log: str) -> None:
    raw = (FIXTURES / file).read_bytes()
    content = json.loads(raw)
    exact = content.encode() if isinstance(content, str) else raw
    assert [compose_hash(exact).hex()] == measured_in(json.loads((FIXTURES / log).read_text())["event_log"])


@needs_fixtures
def test_the_same_content_written_again_is_another_file() -> None:
    """shade's repository keeps a measured app-compose and a copy that some tool wrote anew."""
    served = json.loads((FIXTURES / "shade" / "tcb_info.json").read_text())
    copy = (FIXTURES / "shade" / "app_compose.json").read_bytes()
    assert json.loads(copy) == json.loads(served["app_compose"])
    assert measured_in(served["event_log"]) == [compose_hash(served["app_compose"].encode()).hex()]
    assert compose_hash(copy) != compose_hash(served["app_compose"].encode())


@needs_fixtures
def test_a_file_that_was_not_measured_has_another_hash() -> None:
    raw = (FIXTURES / STATED_BY_A_SIMULATOR).read_bytes()
    log = (FIXTURES / "dstack" / "attestation.bin").read_bytes()
    assert compose_hash(raw) not in log


NO_APP_COMPOSE = {
    "a docker compose file": PLAIN,
    "a docker compose file in JSON": json.dumps({"services": {"node": {"image": "x"}}}),
    "an app-compose in a text": json.dumps(app_compose(PLAIN)),
    "a list": "[]",
    "an image": "\u0000\u0001",
    "nothing": "",
}


@pytest.mark.parametrize("text", NO_APP_COMPOSE.values(), ids=NO_APP_COMPOSE.keys())
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_the_hash_of_another_file_says_that_no_machine_measures_it(
    tmp_path: Path, text: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "file").write_text(text)
    ran = CliRunner().invoke(commands, ["hash", str(tmp_path / "file"), *options])
    assert ran.exit_code == 0
    assert hashlib.sha256(text.encode()).hexdigest() in ran.stdout
    assert "is no app-compose" in ran.stderr


def test_the_hash_of_an_app_compose_says_nothing_but_of_its_line_end(tmp_path: Path) -> None:
    for text, says in ((app_compose(PLAIN), ""), (app_compose(PLAIN) + "\n", "ends with a line end")):
        (tmp_path / "file").write_text(text)
        ran = CliRunner().invoke(commands, ["hash", str(tmp_path / "file")])
        assert ran.stdout == hashlib.sha256(text.encode()).hexdigest() + "\n"
        assert says in ran.stderr
        assert bool(says) is bool(ran.stderr)
