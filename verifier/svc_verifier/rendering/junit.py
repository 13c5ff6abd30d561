"""The report for what reads test results: a suite for each subject, a test for each check."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from svc_verifier.check import Check, Status
from svc_verifier.rendering.lines import DEV, TITLES, groups, required
from svc_verifier.rendering.plain import iso_moment, plain
from svc_verifier.report import Report


def junit(report: Report) -> str:
    """JUnit XML. A required check without an answer is an error, an optional one and one that does not apply a skip."""
    root = Element("testsuites", name=_marked(report, f"svc-verify {plain(report.host, 253)}"))
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
