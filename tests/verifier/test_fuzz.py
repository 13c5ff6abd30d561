"""Whatever a stranger sends, a parser reads it or raises VerifierError, soon and in little memory.

`make fuzz` draws 100,000 inputs for each parser, `make test` 2,000 (`--fuzz-inputs`). An input is made from one number,
which hypothesis draws and shows when it fails.
"""

import contextlib
import resource
import time
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.fuzzing.parsers import ACCEPTS, PARSERS

pytestmark = pytest.mark.exhaustive

DEADLINE_S = 5.0
"""Of one input, in processor time. The slowest takes some milliseconds."""

MEMORY_KIB = 262_144
"""By which the process may grow over all inputs of one parser."""

SLOW = {
    "quote, all hardware checks",
    "collateral, by dcap-qvl",
    "collateral, all hardware checks",
    "whole look",
    "bundle",
    "imported file",
    "certificate in DER, retagged",
    "certificate chain, retagged",
    "CRL, retagged",
}
"""Whole verifications and whole bundles take milliseconds each: a tenth of the inputs."""


def peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("name", PARSERS)
def test_any_input_is_read_or_refused(name: str, fuzz_inputs: int) -> None:
    parser = PARSERS[name]
    inputs = fuzz_inputs // 10 if name in SLOW else fuzz_inputs
    slowest = 0.0
    parser.make(Random(0))
    before = peak_kib()

    @settings(
        max_examples=inputs,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, (1 << 64) - 1))
    def any_input(number: int) -> None:
        nonlocal slowest
        data = parser.make(Random(number))
        started = time.process_time()
        with contextlib.suppress(*ACCEPTS):
            parser.parse(data)
        slowest = max(slowest, time.process_time() - started)

    any_input()
    assert slowest < DEADLINE_S
    assert peak_kib() - before < MEMORY_KIB


def test_mutations_get_past_the_first_look() -> None:
    """A mutator whose inputs are all refused at once tests nothing: some are read to the end."""
    for name, parser in PARSERS.items():
        read = 0
        for number in range(300):
            try:
                parser.parse(parser.make(Random(number)))
            except ACCEPTS:
                continue
            read += 1
        assert read > 0, name
