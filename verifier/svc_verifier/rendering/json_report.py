"""The report for machines. Its form is `report.schema.json`; ids and names are stable within one version."""

import json
from typing import Final

from svc_verifier.catalogue import CATALOGUE, SPECIFICATION
from svc_verifier.check import Check
from svc_verifier.formats.strict_json import Json
from svc_verifier.rendering.lines import proof
from svc_verifier.rendering.plain import moment
from svc_verifier.report import Report

FORMAT: Final = "svc-verify-report"
VERSION: Final = 2


def json_report(report: Report) -> str:
    """The report as JSON in ASCII."""
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
