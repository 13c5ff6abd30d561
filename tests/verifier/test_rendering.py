"""Reports: what machines read keeps its form, and nothing a server says is ever more than text."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from importlib import resources
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from svc_verifier.check import CATALOGUE, Check, Report, Verdict, failed, not_made, passed, skipped, unknown
from svc_verifier.rendering.machine import json_report, junit
from svc_verifier.rendering.text import moment, page, plain, summary, table

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\r\nACCEPTED [bold red]x[/] <script>alert(1)</script> \"'&\ud800\x00\u2028"
)
SCHEMA: Any = json.loads(resources.files("svc_verifier.rendering").joinpath("report.schema.json").read_text())


def report_of(*own: Check, development: bool = False, replayed: bool = False) -> Report:
    """Every check passed but those named."""
    by_id = {check.id: check for check in own}
    checks = tuple(by_id.get(name, passed(name)) for name in CATALOGUE)
    return Report("a.example", 1_750_000_000, development, replayed, checks)


def hostile() -> Report:
    """A server's words wherever a report has room for them."""
    checks = (
        failed("hardware.quote", HOSTILE, HOSTILE, **{HOSTILE: HOSTILE}),
        unknown("log.form", HOSTILE, HOSTILE, value=HOSTILE),
        skipped("tls.web-pki", HOSTILE),
        passed("code.images", **{f"image {HOSTILE}": HOSTILE}),
    )
    return report_of(*checks)


def test_the_report_for_machines_is_of_its_published_form() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for report in (report_of(), hostile(), report_of(development=True), report_of(replayed=True)):
        document = json.loads(json_report(report))
        Draft202012Validator(SCHEMA).validate(document)
        assert [check["id"] for check in document["checks"]] == list(CATALOGUE)
        assert document["exit_code"] == report.verdict.exit_code


def test_the_schema_knows_every_check() -> None:
    pattern = re.compile(SCHEMA["$defs"]["id"]["pattern"])
    assert all(pattern.match(name) for name in CATALOGUE)


@pytest.mark.parametrize(
    ("checks", "verdict", "said"),
    [
        ((), Verdict.ACCEPTED, "ACCEPTED a.example: every required check holds ("),
        ((skipped("tls.web-pki", "x"),), Verdict.ACCEPTED, "ACCEPTED a.example"),
        ((unknown("governance.owner", "x"),), Verdict.ACCEPTED, "ACCEPTED a.example"),
        ((unknown("tls.web-pki", "x"),), Verdict.UNDECIDED, "COULD NOT DECIDE a.example: unknown: tls.web-pki ("),
        ((failed("governance.owner", "x"),), Verdict.REJECTED, "REJECTED a.example: failed: governance.owner ("),
        (
            (failed("tls.web-pki", "x"), unknown("log.form", "x")),
            Verdict.REJECTED,
            "REJECTED a.example: failed: tls.web-pki (",
        ),
    ],
)
def test_one_verdict_is_told_and_it_is_the_first_line(checks: Sequence[Check], verdict: Verdict, said: str) -> None:
    report = report_of(*checks)
    assert report.verdict is verdict
    lines = table(report, width=120).splitlines()
    assert lines[0].startswith(said)
    assert not [line for line in lines[1:] if re.search("ACCEPTED|REJECTED|COULD NOT DECIDE", line)]
    short = summary(report, width=120).splitlines()
    assert short[0] == said.split(":", maxsplit=1)[0].removesuffix(" (")
    assert len(short) <= 10


def test_one_cause_of_many_undecided_checks_is_told_once() -> None:
    """Each check that depends on the quote, or on one that does, is traced to the quote."""
    waiting = [not_made(name, "log.replay") for name in CATALOGUE if name.startswith(("identity.", "os.", "code."))]
    report = report_of(
        unknown("hardware.quote", "no answer", "Try later."), not_made("log.replay", "hardware.quote"), *waiting
    )
    assert [check.id for check in report.causes] == ["hardware.quote"]
    said = summary(report, width=100)
    assert said.count("hardware.quote: no answer") == 1
    assert "Try later." in said
    assert f"{len(waiting) + 1} checks that depend on" in said
    assert "COULD NOT DECIDE a.example: unknown: hardware.quote (" in table(report, width=200)


def test_a_failed_check_is_never_explained_away_by_one_that_did_not_fail() -> None:
    report = report_of(
        replace(failed("evidence.quote", "forged"), depends_on="hardware.signatures"),
        unknown("hardware.signatures", "not known"),
    )
    assert [check.id for check in report.causes] == ["evidence.quote"]


def test_checks_that_depend_on_one_another_end_somewhere() -> None:
    report = report_of(not_made("log.form", "log.replay"), not_made("log.replay", "log.form"))
    assert {check.id for check in report.causes} <= {"log.form", "log.replay"}


def test_more_causes_than_fit_are_named() -> None:
    names = ("hardware.quote", "log.form", "os.allowed", "code.form", "tls.web-pki")
    said = summary(report_of(*(failed(name, f"fault of {name}", "Mend it.") for name in names)), width=100)
    assert all(name in said for name in names)
    assert "fault of hardware.quote" in said
    assert "fault of tls.web-pki" not in said


def test_what_did_not_pass_is_never_shown_as_proven() -> None:
    said = summary(
        report_of(
            failed("identity.app-id", "another", measured="11" * 20),
            unknown("governance.owner", "no owner is pinned", owner="0x22"),
            skipped("os.measurements", "x", os_image_hash="33"),
        ),
        width=120,
    )
    assert f"0x{'11' * 20} [refused]" in said
    assert "0x22 [unproven]" in said
    assert "33 [skipped]" in said


def test_every_line_under_a_development_root_says_dev() -> None:
    report = report_of(failed("log.replay", "long " * 100), development=True)
    assert all(line.startswith("DEV") for line in (table(report, width=80) + summary(report, width=80)).splitlines())
    document = json.loads(json_report(report))
    assert document["development"]
    assert all(check["development"] for check in document["checks"])
    assert all(case.get("name", "").startswith("DEV ") for case in fromstring(junit(report)).iter("testcase"))
    rows = re.findall(r'<td class="status">([^<]*)', page(report))
    assert len(rows) == len(CATALOGUE)
    assert all(row.startswith("DEV ") for row in rows)
    assert "DEV" not in table(report_of(), width=120)


def test_a_replay_says_who_vouches_for_what() -> None:
    vouching = {c["id"]: c["vouched_for"] for c in json.loads(json_report(report_of(replayed=True)))["checks"]}
    assert vouching["hardware.signatures"] == vouching["code.images"] == vouching["evidence.same-td"] == "proved"
    assert vouching["tls.certificate"] == vouching["governance.compose-allowed"] == "recorded"
    assert vouching["freshness.statement"] == "recorded"
    live = json.loads(json_report(report_of()))
    assert {check["vouched_for"] for check in live["checks"]} == {None}


@pytest.mark.parametrize("colour", [False, True])
def test_a_terminal_is_told_nothing_by_a_server(colour: bool) -> None:
    shown = table(hostile(), width=100, colour=colour) + summary(hostile(), width=100, colour=colour)
    own = re.sub(r"\x1b\[[0-9;]*m", "", shown) if colour else shown
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\ud800]", own)
    assert "[bold red]" in own
    assert not any(line.startswith("ACCEPTED") for line in own.splitlines())


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_a_page_holds_no_markup_of_a_server_and_loads_nothing() -> None:
    shown = page(hostile())
    shown.encode()
    tags = Tags()
    tags.feed(shown)
    assert "script" not in tags.names
    assert "&lt;script&gt;" in shown
    assert not tags.attributes & {"src", "href", "onload", "onclick"}
    assert "default-src 'none'" in shown


def test_junit_counts_what_it_lists() -> None:
    root = fromstring(junit(hostile()))
    assert len(list(root.iter("testcase"))) == len(CATALOGUE)
    counts = {
        name: sum(int(suite.get(name, "0")) for suite in root) for name in ("tests", "failures", "errors", "skipped")
    }
    assert counts == {"tests": len(CATALOGUE), "failures": 1, "errors": 1, "skipped": 1}
    assert len(list(root.iter("failure"))) == 1
    assert len(list(root.iter("error"))) == 1
    assert {datetime.fromisoformat(suite.attrib["timestamp"]).timestamp() for suite in root} == {1_750_000_000}


@given(st.text())
def test_plain_text_is_one_printable_line(text: str) -> None:
    shown = plain(text, 50)
    assert len(shown) <= 51
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", shown)
    shown.encode()


@given(st.text(st.characters(categories=("L", "N", "P", "S")), max_size=50))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(text, 50) == text


@given(st.integers())
def test_every_time_has_a_name(unix_s: int) -> None:
    assert moment(unix_s)
