"""Files with several quotes, and several sets of collateral: one part is judged, and the report says which."""

import json
from typing import Any, Final

import pytest
from click.testing import CliRunner

from svc_verifier.cli.group import commands
from svc_verifier.errors import VerifierError, exit_of
from svc_verifier.trust_file import ContradictionError
from tests.support.attested.imports import Files, in_one_line, judged, report_of, run, statuses
from tests.support.attested.look import Look

OTHER: Final = "04000200" + "00" * 60
"""Hex that is no quote of the machine's."""


def several(look: Look) -> dict[str, Any]:
    """A gateway's report, whose own quote stands before those of its models."""
    return {
        "gateway_attestation": report_of(look),
        "model_attestations": [{"intel_quote": OTHER}, {"name": "m/~", "tdx": {"quote": OTHER + "00"}}],
        "copy": {"quote": "0x" + look.attestation["quote"].upper()},
    }


def told(report: dict[str, Any]) -> str:
    """What the report says of which quote it judged."""
    check = next(check for check in report["checks"] if check["id"] == "hardware.quote")
    text: str = check["evidence"].get("judged", "")
    return text


def test_the_report_says_which_part_was_judged_and_names_the_others(files: Files) -> None:
    brought = (files.put("r.json", several(files.look)), files.collateral())
    report = judged(*brought, *files.trusted)
    expected = (
        "/gateway_attestation of r.json; 2 further quotes, not judged: /model_attestations/0 /model_attestations/1/tdx"
    )
    assert told(report) == expected
    assert statuses(report)["hardware.signatures"] == "passed"
    assert f"judged {expected}" in in_one_line(run(*brought, *files.trusted).stdout)


def test_the_bundle_keeps_what_was_judged(files: Files) -> None:
    saved = files.folder / "bundle.json"
    brought = (files.put("r.json", several(files.look)), files.collateral())
    first = judged(*brought, *files.trusted, "--save", saved)
    again = CliRunner().invoke(commands, ["replay", str(saved), "--json", *map(str, files.trusted[:4])])
    assert told(json.loads(again.stdout)) == told(first)


def test_of_one_quote_nothing_is_said(files: Files) -> None:
    document = report_of(files.look) | {"copy": {"quote": files.look.attestation["quote"]}, "quote_of_the_day": "a b"}
    assert told(judged(files.put("r", document), files.collateral(), *files.trusted)) == ""


def test_quotes_behind_an_info_are_named(files: Files) -> None:
    """The first shape that fits is read, and it has no quote."""
    document = {"info": files.look.info, "models": [{"quote": OTHER}]}
    report = judged(files.put("r.json", document), *files.trusted)
    assert told(report) == "the top of r.json; 1 further quote, not judged: /models/0"
    assert statuses(report)["hardware.quote"] == "unknown"


def test_a_part_is_chosen_by_its_pointer(files: Files) -> None:
    document = {"a/b": [{"x~y": report_of(files.look)}], "quote": OTHER}
    brought = (files.put("r.json", document), files.collateral())
    report = judged(*brought, *files.trusted, "--part", "/a~1b/0/x~0y")
    assert told(report) == "/a~1b/0/x~0y of r.json; 1 further quote, not judged: the whole document"
    assert statuses(report)["hardware.signatures"] == statuses(report)["identity.app-compose"] == "passed"
    whole = judged(*brought, *files.trusted, "--part", "")
    assert told(whole) == "the top of r.json; 1 further quote, not judged: /a~1b/0/x~0y"
    assert statuses(whole)["hardware.quote"] == "failed"


def test_a_part_of_a_list_is_chosen(files: Files) -> None:
    brought = (files.put("r.json", [{"quote": OTHER}, report_of(files.look)]), files.collateral())
    report = judged(*brought, *files.trusted, "--part", "/1")
    assert told(report) == "/1 of r.json; 1 further quote, not judged: /0"
    assert statuses(report)["hardware.signatures"] == "passed"
    refused = run(*brought, *files.trusted)
    assert isinstance(refused.exception, VerifierError)
    assert "--part names the object with the quote to judge: /0 /1" in refused.exception.message


def test_a_part_beside_other_files_leaves_those_as_they_are(files: Files) -> None:
    document = files.put("r.json", {"machines": [{"quote": OTHER}, {"quote": files.look.attestation["quote"]}]})
    log = files.put("log", files.look.attestation["event_log"])
    report = judged(
        document, log, files.put("i", files.look.info), files.collateral(), *files.trusted, "--part", "/machines/1"
    )
    assert statuses(report)["log.replay"] == statuses(report)["identity.app-compose"] == "passed"


@pytest.mark.parametrize(
    "part",
    ["/gateway_attestation/info", "/no", "/model_attestations/2", "/model_attestations/01", "/copy/quote", "copy", "/"],
)
def test_a_part_that_holds_no_quote_is_misuse(files: Files, part: str) -> None:
    ran = run(files.put("r.json", several(files.look)), *files.trusted, "--part", part)
    assert isinstance(ran.exception, ContradictionError)
    assert "--part" in str(ran.exception)


def test_of_very_many_quotes_the_first_are_named(files: Files) -> None:
    names = [f"{number}{'x' * 300}" for number in range(40)]
    document = {"attestation": report_of(files.look), **{name: {"quote": OTHER} for name in names}}
    text = told(judged(files.put("r", document), files.collateral(), *files.trusted))
    assert "40 further quotes, not judged: /0xxx" in text
    assert text.endswith(" and 24 more")
    assert len(text) < 5_000


def other_set(look: Look) -> dict[str, str]:
    """The same platform's collateral, issued at another time."""
    return dict(look.collateral) | {"tcb_info_signature": "11" * 64}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_sets_of_collateral_of_one_platform_that_differ_are_refused_in_either_order(
    files: Files, order: tuple[int, int]
) -> None:
    sets = (files.collateral(), files.put("other", other_set(files.look)))
    ran = run(files.put("r", report_of(files.look)), *(sets[place] for place in order), *files.trusted)
    assert isinstance(ran.exception, VerifierError), ran.output
    assert exit_of(ran.exception.code) == 30
    assert "sets of collateral for one platform" in ran.exception.message


def test_one_set_of_collateral_brought_twice_and_one_of_another_family_are_no_contradiction(files: Files) -> None:
    again = files.put("again", json.dumps(files.look.collateral, indent=3))
    tcb_info = json.dumps(json.loads(files.look.collateral["tcb_info"]) | {"fmspc": "00906ED50000"})
    other = files.put("family", files.look.collateral | {"tcb_info": tcb_info})
    report = judged(files.put("r", report_of(files.look)), again, other, files.collateral(), *files.trusted)
    assert statuses(report)["hardware.signatures"] == "passed"
