"""A report for machines, as JSON and JUnit XML."""

import json
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from svc_verifier.check import CATALOGUE, SPECIFICATION, Check, Report, Status
from svc_verifier.formats.strict_json import Json
from svc_verifier.rendering.text import DEV, TITLES, groups, iso_moment, moment, plain, proof, required

FORMAT: Final = "svc-verify-report"
VERSION: Final = 2


def json_report(report: Report) -> str:
    """Returns the report as JSON in ASCII."""
    checks: list[Json] = [_check(report, check) for check in report.checks]
    names: list[Json] = list(SPECIFICATION)
    causes: list[Json] = [check.id for check in report.causes]
    document: dict[str, Json] = {
        "format": FORMAT,
        "version": VERSION,
        "host": report.host,
        "verdict": report.verdict.value,
        "exit_code": report.verdict.exit_code,
        "development": report.development,
        "replayed": report.replayed,
        "imported": report.imported,
        "now_s": report.now_s,
        "time": moment(report.now_s),
        "causes": causes,
        "specification": names,
        "checks": checks,
    }
    return json.dumps(document, indent=1) + "\n"


def _check(report: Report, check: Check) -> Json:
    row = CATALOGUE[check.id]
    return {
        "id": check.id,
        "number": row.number,
        "group": check.group.value,
        "status": check.status.value,
        "required": row.required,
        "development": report.development,
        "claim": check.claim,
        "why": check.why,
        "fix": check.fix,
        "evidence": dict(check.evidence),
        "depends_on": check.depends_on or None,
        "vouched_for": proof(report, check) or None,
    }


def junit(report: Report) -> str:
    """Returns JUnit XML. Undecided required checks are errors, optional ones skips."""
    root = Element("testsuites", name=_marked(report, f"svc-verify {plain(report.host, 253)}"))
    # JUnit knows failures, errors and skips. An undecided required check must turn a build red, an
    # optional one must not.
    for group, checks in groups(report):
        failures = sum(check.status is Status.FAILED for check in checks)
        errors = sum(_is_error(check) for check in checks)
        skips = sum(_is_skip(check) for check in checks)
        suite = SubElement(
            root,
            "testsuite",
            name=_marked(report, TITLES[group]),
            tests=str(len(checks)),
            failures=str(failures),
            errors=str(errors),
            skipped=str(skips),
            timestamp=iso_moment(report.now_s),
        )
        for check in checks:
            _add(suite, report, check)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add(suite: Element, report: Report, check: Check) -> None:
    case = SubElement(suite, "testcase", classname=_marked(report, check.group), name=_marked(report, check.id))
    if check.status is Status.FAILED:
        SubElement(case, "failure", message=plain(check.why)).text = plain(check.fix)
    elif _is_error(check):
        SubElement(case, "error", message=plain(check.why)).text = plain(check.fix)
    elif _is_skip(check):
        SubElement(case, "skipped", message=plain(f"{check.status}: {check.why}"))


def _is_error(check: Check) -> bool:
    return check.status is Status.UNKNOWN and required(check)


def _is_skip(check: Check) -> bool:
    return check.status is Status.SKIPPED or (check.status is Status.UNKNOWN and not required(check))


def _marked(report: Report, name: str) -> str:
    return f"{DEV} {name}" if report.development else name
