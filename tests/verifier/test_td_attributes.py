"""Every single bit of a TD report that makes its isolation worth nothing is seen, and no other."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from svc_verifier.formats.quote import TdReport, parse_quote
from svc_verifier.hardware import td_problems
from tests.support.attested.look import Look

SEPT_VE_DISABLE = 1 << 28
GOOD = SEPT_VE_DISABLE


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


def signer_seam(bit: int) -> Callable[[TdReport], TdReport]:
    return lambda report: replace(report, mr_signer_seam=one_bit(bit))


def service_td(bit: int) -> Callable[[TdReport], TdReport]:
    return lambda report: replace(report, mr_service_td=one_bit(bit))


BITS = (0, 7, 8, 200, 376, 383)
FAULTS: dict[str, tuple[Callable[[TdReport], TdReport], str]] = {
    "bit 0": (attributes(GOOD | 1), "debug mode"),
    **{f"bit {bit}": (attributes(GOOD | 1 << bit), "under debug or profiling") for bit in range(1, 8)},
    "bit 28 clear": (attributes(0), "SEPT_VE_DISABLE is not set"),
    "bit 29": (attributes(GOOD | 1 << 29), "migratable"),
    **{f"MRSIGNERSEAM bit {bit}": (signer_seam(bit), "not signed by Intel") for bit in BITS},
    **{f"MRSERVICETD bit {bit}": (service_td(bit), "a service TD is bound") for bit in BITS},
}


@pytest.mark.parametrize("name", FAULTS)
def test_one_bit_is_one_problem(report: TdReport, name: str) -> None:
    change, said = FAULTS[name]
    (problem,) = td_problems(change(report))
    assert said in problem


def test_each_problem_is_told_beside_the_others(report: TdReport) -> None:
    worst = replace(
        report,
        td_attributes=(1 << 29 | 1).to_bytes(8, "little"),
        mr_signer_seam=one_bit(0),
        mr_service_td=one_bit(0),
    )
    assert len(list(td_problems(worst))) == 5


def test_a_report_without_a_service_td_or_with_an_empty_one_has_no_problem(report: TdReport) -> None:
    assert list(td_problems(replace(report, mr_service_td=None))) == []
    assert list(td_problems(replace(report, mr_service_td=bytes(48)))) == []
