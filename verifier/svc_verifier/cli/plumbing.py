"""`svc-verify plumbing verify-STAGE` runs one stage over JSON, to compare implementations.

Standard input is one JSON object, standard output another with the status of each check in
`checks`, or the code of a refused input (`svc_verifier.errors`) in `error`. Most stages (identity,
os, evidence, tls, freshness, governance, config, accounts, procedure) take a whole bundle, a trust
file's text, and `root`, a DER certificate in hex or null for Intel's. See tests/vectors/README.md.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

import click

from svc_verifier.bundle import load_bundle
from svc_verifier.check import Check, Group
from svc_verifier.checks.code import check_code
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.checks.log import check_log
from svc_verifier.checks.tls import check_caa
from svc_verifier.errors import Exit, VerifierError, VerifierErrorCode
from svc_verifier.formats.quote import parse_quote_hex, quote_from_hex
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json_object
from svc_verifier.material import CaaRecord, CaaRecords, VerifiedQuote
from svc_verifier.procedure import verify
from svc_verifier.tdx.dcap import platform_of
from svc_verifier.trust import DevelopmentRoot, Trust
from svc_verifier.trust_file import parse_trust

Given: TypeAlias = "Mapping[str, Json]"
Result: TypeAlias = "dict[str, Json]"

INPUT_LIMIT_BYTES: Final = 33_554_432
NESTING: Final = 32


def run_stage(stage: str, given: Given) -> Result:
    """Returns the result of `stage` over `given`, or `{"error": code}` for a refused input."""
    try:
        return STAGES[stage](given)
    except VerifierError as error:
        return {"error": error.code.value}


def _quote(given: Given) -> Result:
    quote = parse_quote_hex(_text(given, "quote"))
    report = quote.report
    return {
        "version": quote.version,
        "body_type": int(report.body_type),
        "td_attributes": report.td_attributes.hex(),
        "mr_td": report.mr_td.hex(),
        "mr_config_id": report.mr_config_id.hex(),
        "rtmrs": [register.hex() for register in report.rtmrs],
        "report_data": report.report_data.hex(),
        "trailing_bytes": quote.trailing_bytes,
    }


def _hardware(given: Given) -> Result:
    """Run the stage. The collateral is taken as that of the quote's platform, which is checked."""
    quote, now_s = _text(given, "quote"), given.get("now_s")
    if not isinstance(now_s, int):
        raise _bad("now_s is no number")
    try:
        platform = platform_of(quote_from_hex(quote))
        collateral = {(platform.fmspc, platform.ca): _text(given, "collateral")}
    except VerifierError:
        collateral = {}
    outcome = check_hardware(quote, collateral, _trust(given), now_s)
    status: Json = outcome.value.tcb_status if outcome.value else None
    return {"checks": _statuses(outcome.checks), "tcb_status": status}


def _log(given: Given) -> Result:
    """Run the stage with a quote that is taken as verified."""
    quote = parse_quote_hex(_text(given, "quote"))
    outcome = check_log(_text(given, "event_log"), VerifiedQuote(quote, "", (), "", "", b"", 0))
    boot = outcome.value
    identity: Json = None
    if boot is not None:
        identity = {"app_id": boot.identity.app_id.hex(), "compose_hash": boot.identity.compose_hash.hex()}
    return {"checks": _statuses(outcome.checks), "identity": identity}


def _code(given: Given) -> Result:
    return {"checks": _statuses(check_code(_text(given, "app_compose"), _trust(given)).checks)}


def _caa(given: Given) -> Result:
    listed = given.get("records")
    if not isinstance(listed, list):
        raise _bad("records is no array")
    answer = CaaRecords(_text(given, "name"), tuple(map(_record, listed)), authenticated=False)
    return {"checks": _statuses((check_caa(answer, _text(given, "account_uri"), _trust(given)),))}


def _record(value: Json) -> CaaRecord:
    flags = value.get("flags") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(flags, int):
        raise _bad("a record has no flags")
    return CaaRecord(flags, _text(value, "tag"), _text(value, "value"))


def _of_groups(*groups: Group) -> Callable[[Given], Result]:
    """Returns a stage that runs the whole procedure over a bundle and shows these groups or all."""

    def run(given: Given) -> Result:
        report = verify(load_bundle(json.dumps(given.get("bundle"))), _trust(given))
        shown = tuple(check for check in report.checks if not groups or check.group in groups)
        result: Result = {"checks": _statuses(shown)}
        return result if groups else result | {"verdict": report.verdict.value}

    return run


STAGES: Final[Mapping[str, Callable[[Given], Result]]] = {
    "quote": _quote,
    "hardware": _hardware,
    "log": _log,
    "identity": _of_groups(Group.IDENTITY),
    "os": _of_groups(Group.OS),
    "code": _code,
    "evidence": _of_groups(Group.EVIDENCE),
    "tls": _of_groups(Group.TLS),
    "freshness": _of_groups(Group.FRESHNESS),
    "governance": _of_groups(Group.GOVERNANCE),
    "config": _of_groups(Group.CONFIG),
    "accounts": _of_groups(Group.ACCOUNTS),
    "caa": _caa,
    "procedure": _of_groups(),
}


def _statuses(checks: tuple[Check, ...]) -> Json:
    return {check.id: check.status.value for check in checks}


def _trust(given: Given) -> Trust:
    trust, root = parse_trust(_text(given, "trust")), given.get("root")
    if root is None:
        return trust
    try:
        return replace(trust, development_root=DevelopmentRoot(hex_bytes(_text(given, "root"))))
    except ValueError:
        raise VerifierError(VerifierErrorCode.NOT_HEX, "input: root is not hex") from None


def _text(given: Given, key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise _bad(f"{key} is no text")
    return value


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.NOT_JSON, f"input: {what}")


@click.group()
def plumbing() -> None:
    """Run one stage, JSON in and out, to compare another implementation with this one."""


def _command(stage: str) -> click.Command:
    def run() -> None:
        body = sys.stdin.buffer.read(INPUT_LIMIT_BYTES + 1)
        try:
            given = parse_json_object(body, "standard input", INPUT_LIMIT_BYTES, NESTING)
        except VerifierError as error:
            click.echo(error.message, err=True)
            sys.exit(Exit.MALFORMED)
        click.echo(json.dumps(run_stage(stage, given), sort_keys=True, indent=1))

    what = "the whole procedure" if stage == "procedure" else f"the stage {stage}"
    return click.Command(f"verify-{stage}", callback=run, help=f"Run {what} over a JSON object on standard input.")


for _stage in STAGES:
    plumbing.add_command(_command(_stage))
