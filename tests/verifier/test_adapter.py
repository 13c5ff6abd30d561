"""Runs the vectors with another verifier and with svc-verify through one adapter.

The adapter writes JSON to the verifier's standard input and reads its exit code.
"""

import base64
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from svc_verifier.formats.quote import quote_from_hex
from tests.support.attested.look import Look
from tests.support.attested.td import Td
from tests.support.fixtures import FIXTURES, needs_fixtures
from tests.support.vectors.vector import FOLDER, read_input
from tests.vectors.adapter import vectors

pytestmark = pytest.mark.exhaustive

ADAPTER: Final = FOLDER / "adapter.py"
HARDWARE: Final = FOLDER / "hardware"
FOREIGN: Final = """\
import json, sys
import dcap_qvl

given = json.load(sys.stdin)
try:
    collateral = dcap_qvl.QuoteCollateralV3.from_json(given["collateral"])
    quote, root = bytes.fromhex(given["quote"].removeprefix("0x")), given["root"]
    verify = dcap_qvl.verify_with_root_ca if root else dcap_qvl.verify
    more = (bytes.fromhex(root),) if root else ()
    report = verify(quote, collateral, *more, given["now_s"])
except Exception:
    sys.exit(1)
sys.exit(0 if report.status == "UpToDate" else 2)
"""
"""A verifier of somebody else's: dcap-qvl alone, without what svc-verify does beside it."""


def adapter(*arguments: object, given: Any = None) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ADAPTER), *map(str, arguments)]
    text = "" if given is None else given if isinstance(given, str) else json.dumps(given)
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.timeout(180)
def test_another_verifier_is_held_against_our_vectors_and_what_it_misses_is_told(tmp_path: Path) -> None:
    """dcap-qvl alone takes what its own documentation leaves to callers; our vectors say so."""
    foreign = tmp_path / "foreign.py"
    foreign.write_text(FOREIGN)
    ran = adapter("run", "--only", "hardware/*signed*", "--", sys.executable, foreign)
    assert ran.returncode == 1
    assert "accepts what is to be refused" in ran.stdout
    assert "signed-by-the-pck-key" in ran.stdout
    agreeing = adapter("run", "--only", "hardware/*flipped*", "--", sys.executable, foreign)
    assert agreeing.returncode == 0, agreeing.stdout
    assert agreeing.stdout.endswith(", 0 differences\n")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("only", ["hardware/tcb-*", "quote/version-*", "log/log-*", "procedure/the-good-node"])
def test_ours_agrees_with_our_vectors_through_the_same_door(only: str) -> None:
    ran = adapter("run", "--only", only, "--", sys.executable, ADAPTER, "judge")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(ran.stdout.split()[0]) >= 1


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("true",), "accepts what is to be refused"),
        (("false",), "refuses (1) what is good"),
        (("sh", "-c", "kill -9 $$"), "did not answer"),
    ],
)
def test_a_verifier_that_does_not_look_is_told_apart(command: tuple[str, ...], says: str) -> None:
    ran = adapter("run", "--only", "caa/*", "--", *command)
    assert ran.returncode == 1
    assert says in ran.stdout
    assert adapter("run", "--only", "nothing/*", "--", "true").returncode == 1


def foreign_forms() -> dict[str, dict[str, Any]]:
    """One input in the forms in which others write it; each is to be accepted."""
    look = Look()
    quote, collateral, root = quote_from_hex(look.attestation["quote"]), look.collateral, look.td.root_der
    pem = look.td.platform.root_pem
    good = {"quote": quote.hex(), "collateral": collateral, "now": look.now_s, "root": root.hex()}
    return {
        "plain": good,
        "base64": {**good, "quote": base64.b64encode(quote).decode()},
        "bytes": {**good, "quote": list(quote)},
        "0x": {**good, "quote": f"0x{quote.hex()}"},
        "collateral as text": {**good, "collateral": json.dumps(collateral)},
        "collateral of one quote": {**good, "collateral": {**collateral, "pck_certificate_chain": "x"}},
        "time as text": {**good, "now": None, "verification_time": "2026-08-15T00:00:00+00:00"},
        "root as PEM": {**good, "root": pem},
    }


@pytest.mark.parametrize(("form", "given"), foreign_forms().items(), ids=foreign_forms().keys())
def test_inputs_of_other_suites_are_read(form: str, given: dict[str, Any]) -> None:
    if form == "time as text":
        given = {**given, "verification_time": datetime.fromtimestamp(Look().now_s, UTC).isoformat()}
    ran = adapter("judge", given=given)
    assert ran.returncode == 0, ran.stdout + ran.stderr


ANSWERS: Final[tuple[tuple[Any, int], ...]] = (
    ({**foreign_forms()["plain"], "root": None}, 10),
    ({**foreign_forms()["plain"], "quote": "zz"}, 10),
    (
        {
            **foreign_forms()["plain"],
            "quote": Td().as_version_5(bytes.fromhex(foreign_forms()["plain"]["quote"]), body_type=9).hex(),
        },
        20,
    ),
    ({**foreign_forms()["plain"], "collateral": None}, 20),
    ("[]", 30),
    ("{", 30),
    ({"stage": "../x"}, 30),
    ({"quote": 1}, 30),
)


@pytest.mark.parametrize(("given", "code"), ANSWERS)
def test_the_answer_is_the_exit_code(given: Any, code: int) -> None:
    assert adapter("judge", given=given).returncode == code


@needs_fixtures
def test_real_data_is_read_by_the_adapter_as_by_the_tests() -> None:
    seen = {name: given for name, given, _ in vectors("*")}
    assert FIXTURES.is_dir()
    for name, given in seen.items():
        assert {key: value for key, value in given.items() if key != "stage"} == read_input(FOLDER / name), name
