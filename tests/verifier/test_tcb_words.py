"""Words for a TCB that does not do: what is short, which advisories it is open to, and a remedy that exists."""

import json
from typing import Any, Final

import pytest

from svc_verifier.check import Check, Status
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.procedure import verify
from svc_verifier.rendering.text import summary
from svc_verifier.tdx.tcb_levels import nearest_level, shortfalls
from svc_verifier.trust import TcbPolicy, TcbStatus, Trust
from tests.support.attested.cases.hardware import document, tcb_level, updated
from tests.support.attested.imports import in_one_line
from tests.support.attested.look import Look, development_trust
from tests.support.fixtures import each_quote, needs_fixtures, quote_bytes, read_json

NO_LEVEL: Final = "NoLevel"


def judged(look: Look, **trust: Any) -> tuple[Check, str]:
    """The check of the TCB status, and the default output in one line."""
    report = verify(look.material(), development_trust(**trust))
    (check,) = (check for check in report.checks if check.id == "hardware.tcb-status")
    return check, in_one_line(summary(report, width=100))


def test_a_tcb_below_every_level_says_what_is_short_and_cannot_be_accepted() -> None:
    look = Look()
    tcb_level(pcesvn=60_000)(look)
    check, text = judged(look, tcb=TcbPolicy(accepted=frozenset(TcbStatus)))
    assert check.status is Status.FAILED
    assert check.evidence["status"] == NO_LEVEL
    assert "below every level that Intel lists for FMSPC DE0DE0000000" in check.why
    assert "PCESVN is 11, 60000 is asked for" in check.why
    assert "cannot be accepted" in check.fix
    assert "dcap-qvl" not in check.why
    assert check.why in text


def out_of_date(look: Look, newer: dict[str, Any], advisories: list[str]) -> None:
    """A newer level is up to date, and the platform's is not."""

    def change(read: dict[str, Any]) -> None:
        (level,) = read["tcbLevels"]
        read["tcbLevels"] = [
            level | {"tcb": level["tcb"] | newer, "tcbStatus": "UpToDate"},
            level | {"tcbStatus": "OutOfDate", "advisoryIDs": advisories},
        ]

    document("tcb_info", change)(look)


def components(own: bytes, name: str, number: int) -> list[dict[str, Any]]:
    """The components that a platform has, but for one that is asked for in a higher version."""
    asked: list[dict[str, Any]] = [{"svn": svn} for svn in own]
    asked[number] = {"svn": own[number] + 1, "category": "OS/VMM", "type": name}
    return asked


CPU_SVN: Final = bytes([2, 2, 2, 2, 3, 1, 0, 5]) + bytes(8)
TEE_TCB_SVN: Final = bytes.fromhex("0b010400000000000000000000000000")
SHORT: Final = (
    ({"pcesvn": 12}, "PCESVN is 11, 12 is asked for"),
    ({"sgxtcbcomponents": components(CPU_SVN, "SEAMLDR ACM", 7)}, "SEAMLDR ACM (OS/VMM) is 5, 6 is asked for"),
    ({"sgxtcbcomponents": [{"svn": 3}, *components(CPU_SVN, "", 7)[1:]]}, "SGX TCB component 1 is 2, 3 is asked for"),
    (
        {"tdxtcbcomponents": components(TEE_TCB_SVN, "Late Microcode", 2)},
        "Late Microcode (OS/VMM) is 4, 5 is asked for",
    ),
)


@pytest.mark.parametrize(("newer", "says"), SHORT)
def test_an_old_tcb_names_what_is_short_and_its_advisories(newer: dict[str, Any], says: str) -> None:
    advisories = [f"INTEL-SA-0{number:04}" for number in range(1_000, 1_025)]
    look = Look()
    out_of_date(look, newer, advisories)
    check, text = judged(look)
    assert check.why.startswith("the platform's TCB status is OutOfDate: ")
    assert says in check.why
    assert "--accept-tcb" in check.fix
    assert all(advisory in text for advisory in advisories)
    accepted, shown = judged(look, tcb=TcbPolicy(accepted=frozenset({TcbStatus.OUT_OF_DATE})))
    assert accepted.status is Status.PASSED
    assert advisories[-1] in shown, "who accepted the status sees to what the platform is open"


def test_an_old_module_names_its_version() -> None:
    look = Look()
    updated(b"\x0a\1\4")(look)
    check, _ = judged(look)
    assert "what runs the TD now" in check.why
    assert "TDX module of version 1 is 10, 11 is asked for" in check.why


def test_a_status_without_a_version_that_is_short_stands_alone() -> None:
    look = Look()
    document("tcb_info", lambda read: read["tcbLevels"][0].update(tcbStatus="ConfigurationNeeded"))(look)
    assert judged(look)[0].why == "the platform's TCB status is ConfigurationNeeded"


def test_a_revoked_tcb_cannot_be_accepted() -> None:
    look = Look()
    document("tcb_info", lambda read: read["tcbLevels"][0].update(tcbStatus="Revoked"))(look)
    check, _ = judged(look, tcb=TcbPolicy(accepted=frozenset(TcbStatus)))
    assert check.evidence["status"] == "Revoked"
    assert "took this level back" in check.why
    assert "cannot be accepted" in check.fix


ODD: Final = (
    "{}",
    '{"tcbLevels": 1}',
    '{"tcbLevels": [1, {"tcb": 2}, {}]}',
    '{"tcbLevels": [{"tcb": {"pcesvn": "x", "sgxtcbcomponents": [1], "tdxtcbcomponents": {}}}]}',
    '{"tdxModuleIdentities": [1, {"id": 2}, {"id": "TDX_01", "tcbLevels": [{"tcbStatus": "UpToDate", "tcb": []}]}]}',
    "[",
)


@pytest.mark.parametrize("tcb_info", ODD)
def test_tcb_info_of_an_odd_form_leaves_no_words_and_raises_nothing(tcb_info: str) -> None:
    chain = bytes.fromhex(Look().attestation["quote"])
    chain = chain[chain.index(b"-----BEGIN") : chain.rindex(b"-----END CERTIFICATE-----") + 26]
    assert shortfalls(tcb_info, chain, TEE_TCB_SVN) == ()
    level = nearest_level(tcb_info, chain, TEE_TCB_SVN)
    assert level is None or level.short == ()
    assert shortfalls(tcb_info, b"no chain", TEE_TCB_SVN) == ()


@needs_fixtures
@each_quote("TDX")
def test_a_real_tcb_without_a_level_has_words(row: dict[str, Any]) -> None:
    """Of every real quote that dcap-qvl finds no level for, the words name a version that is too low."""
    for said in row["dcap_qvl_0_7_0"]:
        if said.get("error") != "Verification failed: No matching TCB level found":
            continue
        quote = quote_bytes(row["fixture"])
        read = read_json(said["collateral"])
        read.pop("pck_certificate_chain", None)
        collateral = {(row["fmspc"], name): json.dumps(read) for name in ("platform", "processor")}
        trust = Trust(host="node.example", app_id=bytes(20), chain_id=1)
        checks = {check.id: check for check in check_hardware(quote.hex(), collateral, trust, said["now"]).checks}
        assert "is asked for" in checks["hardware.tcb-status"].why
