"""The mutations, by the stage that must notice them."""

from typing import Final

from tests.world.attested.case import Case
from tests.world.attested.cases.accounts import ACCOUNT_CASES
from tests.world.attested.cases.code import CODE_CASES
from tests.world.attested.cases.connection import CONNECTION_CASES
from tests.world.attested.cases.evidence import EVIDENCE_CASES
from tests.world.attested.cases.governance import GOVERNANCE_CASES
from tests.world.attested.cases.hardware import HARDWARE_CASES
from tests.world.attested.cases.identity import IDENTITY_CASES
from tests.world.attested.cases.log import LOG_CASES
from tests.world.attested.cases.os_image import OS_CASES

CASES: Final[tuple[Case, ...]] = (
    *HARDWARE_CASES,
    *LOG_CASES,
    *IDENTITY_CASES,
    *OS_CASES,
    *CODE_CASES,
    *EVIDENCE_CASES,
    *CONNECTION_CASES,
    *GOVERNANCE_CASES,
    *ACCOUNT_CASES,
)
