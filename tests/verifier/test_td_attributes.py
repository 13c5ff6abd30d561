"""Every single bit of a TD report that makes its isolation worth nothing is seen, and no other."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from svc_verifier.formats.quote import TdExtension, TdReport, parse_quote
from svc_verifier.tdx.collateral import ModuleIdentity
from svc_verifier.tdx.td_attributes import td_problems
from tests.support.attested.look import Look

SEPT_VE_DISABLE = 1 << 28
GOOD = SEPT_VE_DISABLE
ALLOWED = {28, 30, 31, 63}
NAMED = {4: "HGS_PLUS_PROF", 6: "PMT_PROF", 16: "ICSSD", 27: "LASS", 40: "reserved", 62: "TPA"}
FEATURES = {0, 1, 2, 5, 6, 7, 9, 11, 12, 14, 17, 18}
NAMED_FEATURES = {8: "PT", 10: "PASID", 15: "LBR", 16: "HWP", 19: "APX", 63: "reserved"}


@pytest.fixture(scope="module")
def report() -> TdReport:
    """A report without a fault."""
    good = parse_quote(bytes.fromhex(Look().attestation["quote"])).report
    good = replace(good, td_attributes=GOOD.to_bytes(8, "little"))
    assert list(td_problems(good)) == []
    return good


def one_bit(bit: int) -> bytes:
    return (1 << bit).to_bytes(48, "little")


def attributes(value: int) -> Callable[[TdReport], TdReport]:
    return lambda report: replace(report, td_attributes=value.to_bytes(8, "little"))


def service_td(bit: int) -> Callable[[TdReport], TdReport]:
    return lambda report: replace(report, mr_service_td=one_bit(bit))


def feature(bit: int) -> Callable[[TdReport], TdReport]:
    return lambda report: replace(report, xfam=(1 << bit | 3).to_bytes(8, "little"))


def extended(name: str, bit: int) -> Callable[[TdReport], TdReport]:
    """With the members of the extended report, all of them empty but for that bit."""
    empty = TdExtension(bytes(32), bytes(48), bytes(48), bytes(12), bytes(48))
    return lambda report: replace(report, extension=replace(empty, **{name: one_bit(bit)}))


BITS = (0, 7, 8, 200, 376, 383)
FAULTS: dict[str, tuple[Callable[[TdReport], TdReport], str]] = {
    "bit 0": (attributes(GOOD | 1), "debug mode"),
    **{f"bit {bit}": (attributes(GOOD | 1 << bit), "under debug or profiling") for bit in range(1, 8)},
    "bit 28 clear": (attributes(0), "SEPT_VE_DISABLE is not set"),
    "bit 29": (attributes(GOOD | 1 << 29), "migratable"),
    **{
        f"bit {bit}": (attributes(GOOD | 1 << bit), f"bit {bit}, {NAMED.get(bit, 'reserved')}")
        for bit in range(8, 64)
        if bit not in ALLOWED | {29}
    },
    **{
        f"XFAM bit {bit}": (feature(bit), f"XFAM bit {bit}, {NAMED_FEATURES.get(bit, '')}")
        for bit in range(64)
        if bit not in FEATURES
    },
    **{f"MRSERVICETD bit {bit}": (service_td(bit), "a service TD is bound") for bit in BITS},
    **{f"INIT_SERVTD_HASH bit {bit}": (extended("init_service_td_hash", bit), "bound to it at launch") for bit in BITS},
    **{f"CUR_SERVTD_HASH bit {bit}": (extended("cur_service_td_hash", bit), "bound to it now") for bit in BITS},
}


KINDS = {name: name.partition("bit")[0] or "TDATTRIBUTES" for name in FAULTS}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.covers(KINDS[name])) for name in FAULTS])
def test_one_bit_is_one_problem(report: TdReport, name: str) -> None:
    change, said = FAULTS[name]
    (problem,) = td_problems(change(report))
    assert said in problem


def test_each_problem_is_told_beside_the_others(report: TdReport) -> None:
    worst = replace(
        report,
        td_attributes=(1 << 29 | 1).to_bytes(8, "little"),
        xfam=one_bit(8)[:8],
        mr_service_td=one_bit(0),
    )
    assert len(list(td_problems(worst))) == 5


def test_a_report_without_a_service_td_or_with_an_empty_one_has_no_problem(report: TdReport) -> None:
    assert list(td_problems(replace(report, mr_service_td=None))) == []
    assert list(td_problems(replace(report, mr_service_td=bytes(48)))) == []


@pytest.mark.parametrize("bit", sorted(ALLOWED))
def test_an_attribute_of_the_tds_own_is_no_problem(report: TdReport, bit: int) -> None:
    assert list(td_problems(attributes(GOOD | 1 << bit)(report))) == []


@pytest.mark.parametrize("bit", sorted(FEATURES))
def test_a_feature_that_real_tds_have_is_no_problem(report: TdReport, bit: int) -> None:
    assert list(td_problems(feature(bit)(report))) == []


def test_an_attribute_of_the_module_of_which_the_collateral_says_nothing_is_refused(report: TdReport) -> None:
    identity = ModuleIdentity(report.mr_signer_seam, bytes(8), b"\xfe" + b"\xff" * 7)
    assert identity.problem(replace(report, seam_attributes=bytes(8))) == ""
    assert "SEAMATTRIBUTES" in identity.problem(replace(report, seam_attributes=b"\x01" + bytes(7)))
