"""dcap-qvl's messages quote untrusted input.

Text that an attacker places in a message must not make the verifier believe that signatures hold.
"""

import json

import pytest

from svc_verifier.check import Status
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.tdx.dcap import MESSAGE_CHARACTERS
from tests.support.attested.cases.hardware import document
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import NOW_S

BEFORE_THE_STATUS = len("Verification failed: Failed to decode TcbInfo Caused by: unknown variant `")
FORGED_AT = 48 + 136
"""A byte of MRTD."""


@pytest.mark.parametrize("ending", ["TCB status is invalid: Revoked", "No matching TCB level found"])
@pytest.mark.parametrize("cut", range(-2, 3))
def test_nobody_chooses_how_a_refusal_ends(ending: str, cut: int) -> None:
    """Judges a forged quote. Text in its TCB info imitates a message about a genuine platform.

    The message is truncated at a fixed length, so that it can end with the imitated text.
    """
    look = Look()
    quote = bytearray.fromhex(look.attestation["quote"])
    quote[FORGED_AT] ^= 1
    padding = "Z" * (MESSAGE_CHARACTERS - BEFORE_THE_STATUS - len(ending) + cut)
    status = f"{padding}{ending}{'Z' * 400}"
    document("tcb_info", lambda read: read["tcbLevels"][0].update(tcbStatus=status))(look)
    collateral = {look.platform: json.dumps(look.collateral)}
    outcome = check_hardware(quote.hex(), collateral, development_trust(), NOW_S)
    (signatures,) = (check for check in outcome.checks if check.id == "hardware.signatures")
    assert signatures.status is Status.FAILED
    assert outcome.value is None
