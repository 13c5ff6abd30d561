"""dcap-qvl's messages quote what a stranger sent: nobody but the library decides by one that signatures hold."""

import json

import pytest

from svc_verifier.check import Status
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.hardware import MESSAGE_CHARACTERS
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import NOW_S

BEFORE_THE_STATUS = len("Verification failed: Failed to decode TcbInfo Caused by: unknown variant `")
FORGED_AT = 48 + 136
"""A byte of MRTD."""


@pytest.mark.parametrize("ending", ["TCB status is invalid: Revoked", "No matching TCB level found"])
@pytest.mark.parametrize("cut", range(-2, 3))
def test_nobody_chooses_how_a_refusal_ends(ending: str, cut: int) -> None:
    """A forged quote, and TCB info whose unsigned words are cut off just behind what a revoked platform is told."""
    look = Look()
    quote = bytearray.fromhex(look.attestation["quote"])
    quote[FORGED_AT] ^= 1
    tcb_info = json.loads(look.collateral["tcb_info"])
    padding = "Z" * (MESSAGE_CHARACTERS - BEFORE_THE_STATUS - len(ending) + cut)
    tcb_info["tcbLevels"][0]["tcbStatus"] = f"{padding}{ending}{'Z' * 400}"
    collateral = {look.platform: json.dumps(look.collateral | {"tcb_info": json.dumps(tcb_info)})}
    outcome = check_hardware(quote.hex(), collateral, development_trust(), NOW_S)
    (signatures,) = (check for check in outcome.checks if check.id == "hardware.signatures")
    assert signatures.status is not Status.PASSED
    assert outcome.value is None
