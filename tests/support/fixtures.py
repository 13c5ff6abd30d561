"""Where the real attestation data lies: beside the project, never in it; tests skip, saying so, where it is absent."""

import json
from pathlib import Path
from typing import Any, TypedDict

import pytest

FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "fixtures"
ABSENT = "../shared is not beside this checkout: the real attestation fixtures are read from there"

needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason=ABSENT)


class ExpectedQuote(TypedDict, total=False):
    """One row of expected.json, as far as parsers are concerned; hex without 0x."""

    fixture: str
    quote_type: str
    version: int
    report: str
    len: int
    td_attributes: str
    mrtd: str
    rtmr3: str
    mr_config_id: str
    report_data: str
    event_count_per_imr: list[int]
    boot_events: list[str]
    app_events_after_system_ready: list[str]
    compose_hash: str


def expected_quotes(quote_type: str) -> list[ExpectedQuote]:
    """The rows for `TDX` or `SGX` quotes."""
    rows: list[ExpectedQuote] = read_json("expected.json")
    return [row for row in rows if row["quote_type"] == quote_type]


def each_quote(quote_type: str) -> pytest.MarkDecorator:
    """Runs a test for every such quote, as its argument `row`; skips it where the fixtures are absent."""
    if not FIXTURES.is_dir():
        return pytest.mark.parametrize("row", [pytest.param({}, marks=needs_fixtures)])
    return pytest.mark.parametrize("row", expected_quotes(quote_type), ids=lambda row: row["fixture"])


def read_json(name: str) -> Any:
    """A JSON fixture, read."""
    return json.loads((FIXTURES / name).read_text())


def quote_bytes(name: str) -> bytes:
    """The quote in a fixture of any of the forms they come in."""
    if name.endswith(".hex"):
        return bytes.fromhex((FIXTURES / name).read_text().strip().removeprefix("0x"))
    if not name.endswith(".json"):
        return (FIXTURES / name).read_bytes()
    content = read_json(name)
    return bytes(content) if isinstance(content, list) else bytes.fromhex(content["quote"].removeprefix("0x"))


LOGS_WITH_QUOTE = ("dstack/quote-report.json", "dstack/tdx-lite-getquote.json", "dstack-examples/report.json")
LOGS_WITH_TCB_INFO = (
    "near-mpc/mpc-attestation-tcb_info.json",
    "near-mpc/mpc-attestation-tcb_info_dev.json",
    "near-mpc/test-utils-tcb_info.json",
    "shade/tcb_info.json",
)
