"""The mutations, by the stage that must notice them."""

from typing import Final

from tests.support.attested.case import Case
from tests.support.attested.cases.accounts import ACCOUNT_CASES
from tests.support.attested.cases.at_fault import AT_FAULT_CASES
from tests.support.attested.cases.code import CODE_CASES
from tests.support.attested.cases.connection import CONNECTION_CASES
from tests.support.attested.cases.evidence import EVIDENCE_CASES
from tests.support.attested.cases.governance import GOVERNANCE_CASES
from tests.support.attested.cases.hardware import HARDWARE_CASES
from tests.support.attested.cases.identity import IDENTITY_CASES
from tests.support.attested.cases.log import LOG_CASES
from tests.support.attested.cases.os_image import OS_CASES

CASES: Final[tuple[Case, ...]] = (
    *HARDWARE_CASES,
    *AT_FAULT_CASES,
    *LOG_CASES,
    *IDENTITY_CASES,
    *OS_CASES,
    *CODE_CASES,
    *EVIDENCE_CASES,
    *CONNECTION_CASES,
    *GOVERNANCE_CASES,
    *ACCOUNT_CASES,
)
