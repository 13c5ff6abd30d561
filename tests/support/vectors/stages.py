"""The vectors of each stage. What is expected is written down by hand, here or in the table of mutations."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

from svc_verifier.bundle import dump_bundle
from svc_verifier.trust import Trust
from svc_verifier.trust_file import trust_text
from tests.support.attested.case import Case
from tests.support.attested.cases import CASES
from tests.support.attested.cases.accounts import ACCOUNT_CASES
from tests.support.attested.cases.at_fault import AT_FAULT_CASES
from tests.support.attested.cases.code import CODE_CASES
from tests.support.attested.cases.connection import CONNECTION_CASES
from tests.support.attested.cases.evidence import EVIDENCE_CASES
from tests.support.attested.cases.governance import GOVERNANCE_CASES
from tests.support.attested.cases.hardware import EXTENSION, HARDWARE_CASES
from tests.support.attested.cases.identity import IDENTITY_CASES
from tests.support.attested.cases.log import LOG_CASES
from tests.support.attested.cases.os_image import OS_CASES
from tests.support.attested.look import HOST, Look, development_trust
from tests.support.attested.td import APP_ID, Td
from tests.support.vectors.vector import Vector, patch_of

ACCOUNT: Final = "https://acme-v02.api.letsencrypt.org/acme/acct/123"
ISSUE: Final = f"letsencrypt.org; validationmethods=dns-01; accounturi={ACCOUNT}"
INTEL_TIME: Final = 1_750_332_747
BUNDLE: Final = "bundle.json"
HARDWARE: Final = "hardware.json"
ONE_OF: Final = 3
"""Of the long tables about every third row becomes a vector, by a digest of its name: rows beside it change nothing."""

ALSO: Final = frozenset({"mr_config_id: version 1 of other code", "configuration: another domain"})
"""Names of further rows that become vectors. Without them a stage would have no vector of one of its checks."""


def vectors() -> tuple[Vector, ...]:
    """All of them, in the order of the stages."""
    return (
        *_quotes(),
        *_hardware(),
        *_logs(),
        *_of_bundles("identity", IDENTITY_CASES),
        *_of_bundles("os", OS_CASES),
        *_code(),
        *_of_bundles("evidence", EVIDENCE_CASES),
        *_of_bundles("tls", tuple(case for case in CONNECTION_CASES if _touches(case, "tls."))),
        *_of_bundles("freshness", tuple(case for case in CONNECTION_CASES if _touches(case, "freshness."))),
        *_of_bundles("governance", GOVERNANCE_CASES),
        *_of_bundles("config", tuple(case for case in ACCOUNT_CASES if _touches(case, "config."))),
        *_of_bundles("accounts", tuple(case for case in ACCOUNT_CASES if _touches(case, "accounts."))),
        *_caa(),
        *_procedures(),
    )


@cache
def bases() -> dict[str, dict[str, Any]]:
    """The inputs that others are patches of: the good node's."""
    whole = bundled(Look(), development_trust())
    quoted = _hardware_input(Look(), development_trust())
    return {BUNDLE: whole, HARDWARE: quoted}


def bundled(look: Look, trust: Trust) -> dict[str, Any]:
    """The input of the stages that take a bundle."""
    return {"bundle": json.loads(dump_bundle(look.material())), **_trusted(trust)}


def looked(case: Case) -> Look:
    """What is seen in a case."""
    look = Look(td=case.td, evidence_td=case.evidence_td)
    if case.tamper is not None:
        case.tamper(look)
    return look


def _trusted(trust: Trust) -> dict[str, Any]:
    root = trust.development_root
    return {"trust": trust_text(trust), "root": root.certificate_der.hex() if root else None}


def _touches(case: Case, group: str) -> bool:
    return any(name.startswith(group) for name in case.failed | case.unknown) or not case.failed | case.unknown


def _outcome(case: Case, group: str = "") -> dict[str, Any]:
    """The checks that do not pass; all others of the stage pass or are skipped."""
    return {
        "failed": sorted(name for name in case.failed if name.startswith(group)),
        "unknown": sorted(name for name in case.unknown if name.startswith(group)),
    }


def _is_published(case: Case) -> bool:
    return case.name in ALSO or sha256(case.name.encode()).digest()[0] % ONE_OF == 0


def _of_bundles(stage: str, cases: tuple[Case, ...]) -> Iterator[Vector]:
    for case in filter(_is_published, cases):
        given = bundled(looked(case), development_trust(**case.trust))
        yield Vector(
            stage=stage,
            name=case.name,
            base=BUNDLE,
            given=patch_of(bases()[BUNDLE], given),
            expected=_outcome(case, f"{stage}."),
            checks=tuple(name for name in case.failed | case.unknown if name.startswith(f"{stage}.")),
        )


def _quotes() -> Iterator[Vector]:
    good = bytes.fromhex(Td().quote(bytes(64))["quote"])
    fields = {"mr_td": good[184:232].hex(), "report_data": "00" * 64, "td_attributes": "0000001000000000"}
    bad = {
        "cut off": (good[:-1].hex(), "truncated"),
        "empty": ("", "not_hex"),
        "no hex": ("zz", "not_hex"),
        "blanks within hex": (good.hex(" "), "not_hex"),
        "version 3": ((b"\3\0" + good[2:]).hex(), "not_tdx"),
        "version 6": ((b"\6\0" + good[2:]).hex(), "unsupported_version"),
        "of SGX": ((good[:4] + bytes(4) + good[8:]).hex(), "not_tdx"),
        "another signature algorithm": ((good[:2] + b"\3\0" + good[4:]).hex(), "unsupported_signature"),
        "body of an unknown type": ((b"\5\0" + good[2:48] + b"\7\0\x48\2\0\0" + good[48:]).hex(), "unsupported_body"),
        "body of another size than its type has": (
            (b"\5\0" + good[2:48] + b"\4\0\x48\2\0\0" + good[48:]).hex(),
            "inconsistent_sizes",
        ),
        "nested lengths that do not add up": ((good[:766] + b"\1\0\0\0" + good[770:]).hex(), "inconsistent_sizes"),
        "too large": ("00" * 65_537, "too_large"),
    }

    def vector(name: str, quote: Any, expected: dict[str, Any], *, fixtures: bool = False) -> Vector:
        checks = ("hardware.quote",)
        return Vector(
            stage="quote", name=name, given={"quote": quote}, expected=expected, checks=checks, fixtures=fixtures
        )

    yield vector("version 4", good.hex(), {"version": 4, "body_type": 2, "trailing_bytes": 0, **fields})
    yield vector("version 5", Td().as_version_5(good).hex(), {"version": 5, "body_type": 3, **fields})
    extended = Td().as_version_5(good, extension=EXTENSION)
    yield vector("version 5, extended", extended.hex(), {"version": 5, "body_type": 4, **fields})
    yield vector("0x before its hex", "0x" + good.hex(), {"version": 4, **fields})
    yield vector("zeros behind it", (good + bytes(9)).hex(), {"trailing_bytes": 9, **fields})
    for name, (quote, code) in bad.items():
        if len(quote) < 20_000:
            yield vector(name, quote, {"error": code})
    yield vector(
        "real, version 4",
        {"fixture": "dcap-qvl/tdx_quote", "as": "quote"},
        {"version": 4, "body_type": 2, "mr_td": REAL_MRTD},
        fixtures=True,
    )
    yield vector(
        "real, version 5",
        {"fixture": "go-tdx-guest/quote_v5_sample.dat", "as": "quote"},
        {"version": 5, "body_type": 3},
        fixtures=True,
    )
    yield vector(
        "real, of SGX",
        {"fixture": "dcap-qvl/sgx_quote", "as": "quote"},
        {"error": "not_tdx"},
        fixtures=True,
    )


REAL_MRTD: Final = "91eb2b44d141d4ece09f0c75c2c53d247a3c68edd7fafe8a3520c942a604a407de03ae6dc5f87f27428b2538873118b7"


def _hardware_input(look: Look, trust: Trust) -> dict[str, Any]:
    quote, collateral = look.attestation["quote"], json.dumps(look.collateral)
    return {"quote": quote, "collateral": collateral, "now_s": look.now_s, **_trusted(trust)}


def _hardware() -> Iterator[Vector]:
    for case in filter(_is_published, (*HARDWARE_CASES, *AT_FAULT_CASES)):
        if case.name.startswith(("attestation", "collateral: out")):
            continue
        given = _hardware_input(looked(case), development_trust(**case.trust))
        yield Vector(
            stage="hardware",
            name=case.name,
            base=HARDWARE,
            given=patch_of(bases()[HARDWARE], given),
            expected=_outcome(case, "hardware."),
            checks=tuple(name for name in case.failed | case.unknown if name.startswith("hardware.")),
        )
    given = _hardware_input(Look(), development_trust())
    given["quote"] = f"0x{given['quote']}"
    yield Vector(
        stage="hardware",
        name="0x before the quote's hex",
        base=HARDWARE,
        given=patch_of(bases()[HARDWARE], given),
        expected={"failed": [], "unknown": []},
    )
    yield from _real_hardware()


def _real_hardware() -> Iterator[Vector]:
    strict = Trust(host=HOST, app_id=APP_ID, chain_id=1)
    rolled = replace(strict, tcb=replace(strict.tcb, minimum_evaluation_number=18))
    dated = ["hardware.collateral", "hardware.signatures", "hardware.tcb-status"]
    rows: tuple[tuple[str, str, str, int, Trust, list[str], list[str]], ...] = (
        ("real, up to date under evaluation 17", "dcap-qvl/tdx_quote", "dcap-qvl/tdx_quote_collateral.json", INTEL_TIME, strict, [], []),
        ("real, under collateral rolled back", "dcap-qvl/tdx_quote", "dcap-qvl/tdx_quote_collateral.json", INTEL_TIME, rolled,
         [], ["hardware.collateral"]),
        ("real, up to date under evaluation 18", "near-mpc/test-utils-quote.json", "shade/collateral.json", 1_769_417_006, strict, [], []),
        ("real, without a TCB level", "dcap-qvl/tdx_quote_outdated", "dcap-qvl/tdx_quote_outdated_collateral.json", 1_771_415_931,
         strict, ["hardware.tcb-status"], []),
        ("real, of a certificate that is younger than its collateral", "near-mpc/test-utils-quote.json",
         "dcap-qvl/tdx_quote_collateral.json", INTEL_TIME, strict, [], dated),
    )  # fmt: skip
    for name, quote, collateral, now_s, trust, failed, unknown in rows:
        given = {
            "quote": {"fixture": quote, "as": "quote"},
            "collateral": {"fixture": collateral, "as": "text"},
            "now_s": now_s,
            **_trusted(trust),
        }
        expected = {"failed": failed, "unknown": unknown}
        checks = (*failed, *unknown)
        yield Vector(stage="hardware", name=name, given=given, expected=expected, checks=checks, fixtures=True)


def _logs() -> Iterator[Vector]:
    for case in filter(_is_published, LOG_CASES):
        look = looked(case)
        if "hardware.signatures" in case.failed or len(look.attestation["event_log"]) > 50_000:
            continue
        given = {"quote": look.attestation["quote"], "event_log": look.attestation["event_log"]}
        yield Vector(
            stage="log",
            name=case.name,
            given=given,
            expected=_outcome(case, "log."),
            checks=tuple(name for name in case.failed | case.unknown if name.startswith("log.")),
        )
    for name, fixture, unknown in (
        ("real, digests left out", "dstack/tdx-lite-getquote.json", []),
        ("real, the application wrote events", "dstack/quote-report.json", ["log.application-events"]),
        ("real, with a rootfs hash", "dstack-examples/report.json", []),
    ):
        given = {part: {"fixture": fixture, "as": part} for part in ("quote", "event_log")}
        yield Vector(
            stage="log",
            name=name,
            given=given,
            expected={"failed": [], "unknown": unknown},
            checks=("log.replay", *unknown),
            fixtures=True,
        )


def _code() -> Iterator[Vector]:
    for case in CODE_CASES:
        trust = trust_text(development_trust(**case.trust))
        yield Vector(
            stage="code",
            name=case.name,
            given={"app_compose": case.td.options.app_compose, "trust": trust},
            expected=_outcome(case, "code."),
            checks=tuple(name for name in case.failed | case.unknown if name.startswith("code.")),
        )


def _caa() -> Iterator[Vector]:
    trust = trust_text(Trust(host=HOST, app_id=APP_ID, chain_id=1))
    rows: tuple[tuple[str, str, list[tuple[str, str]]], ...] = (
        ("the account alone", "", [("issue", ISSUE)]),
        ("the account, and nobody for wildcards", "", [("issue", ISSUE), ("issuewild", ";")]),
        ("no record", "unknown", []),
        ("no issue record", "unknown", [("issuewild", ISSUE)]),
        ("another authority with the account's name", "unknown", [("issue", ISSUE.replace("letsencrypt.org;", "ca.example;"))]),
        ("a longer account", "failed", [("issue", ISSUE + "4")]),
        ("a shorter account", "failed", [("issue", ISSUE[:-1])]),
        ("a quoted account", "failed", [("issue", ISSUE.replace(ACCOUNT, f'"{ACCOUNT}"'))]),
        ("an account given twice", "failed", [("issue", ISSUE + ";accounturi=https://evil.example/1")]),
        ("a parameter in other letters", "failed", [("issue", ISSUE.replace("accounturi", "AccountURI"))]),
        ("a second issue record", "failed", [("issue", ISSUE), ("issue", "evil-ca.example")]),
        ("wildcards for anybody", "failed", [("issue", ISSUE), ("issuewild", "letsencrypt.org")]),
        ("any validation method", "failed", [("issue", f"letsencrypt.org; accounturi={ACCOUNT}")]),
    )  # fmt: skip
    for name, status, records in rows:
        given = {
            "name": HOST,
            "records": [{"flags": 0, "tag": tag, "value": value} for tag, value in records],
            "account_uri": ACCOUNT,
            "trust": trust,
        }
        expected = {each: ["tls.caa"] if each == status else [] for each in ("failed", "unknown")}
        yield Vector(stage="caa", name=name, given=given, expected=expected, checks=("tls.caa",))


PROCEDURES: Final = (
    "relay: the impostor's own certificate",
    "another node's quote and log, relayed",
    "contract named by the server",
    "evidence: fabricated",
    "simulator: swapped payload",
    "TD: debuggable",
    "TCB: OutOfDate",
    "approval: taken back",
    "statement: another nonce, replayed",
    "pending: an approval is scheduled",
    "accounts: a payer that is none of the pinned ones",
    "accounts: other code at the pinned address",
    "accounts: calls are delegated to another module than the getter names",
    "accounts: a delay of 0",
    "accounts: another owner",
    "accounts: a change is scheduled",
    "accounts: another admin payer",
    "accounts: one endpoint hides a payer",
    "configuration: another contract",
    "configuration: another chain",
    "attestation: busy",
    "attestation: not JSON",
)


def _procedures() -> Iterator[Vector]:
    good = Case(name="the good node", verdict=CASES[3].verdict.ACCEPTED)
    for case in (good, *(case for case in CASES if case.name in PROCEDURES)):
        given = bundled(looked(case), development_trust(**case.trust))
        yield Vector(
            stage="procedure",
            name=case.name,
            base=BUNDLE,
            given=patch_of(bases()[BUNDLE], given),
            expected=_outcome(case) | {"verdict": case.verdict.value},
            checks=tuple(case.failed | case.unknown),
        )
