"""SPEC_COVERAGE.md: which vectors exercise which check, and which checks answer which number of attestation.md 2.1."""

from collections.abc import Sequence
from typing import Final

from svc_verifier.check import CATALOGUE
from tests.support.vectors.vector import Vector, slug

NUMBERS: Final[dict[int, tuple[str, str]]] = {
    1: ("hardware.quote", ""),
    2: ("hardware.signatures", ""),
    3: ("hardware.tcb-status", ""),
    4: ("hardware.collateral", ""),
    5: ("hardware.td-attributes", ""),
    6: ("hardware.signers", ""),
    7: ("hardware.platform", "PPIDs are pinned by the user; no register of platforms is asked"),
    8: ("hardware.collateral", "the time of verification must lie in every validity"),
    9: ("", "every check that is not green says why (tests/verifier/test_mutations.py)"),
    10: ("log.replay", ""),
    11: ("log.form", ""),
    12: ("log.form", "version 2 preimages"),
    13: ("log.boot-order", ""),
    14: ("log.application-events", ""),
    15: ("identity.app-compose", ""),
    16: ("identity.compose-measured", ""),
    17: ("identity.mr-config-id", ""),
    18: ("identity.app-id", ""),
    19: ("identity.info", ""),
    20: ("identity.key-provider", ""),
    21: ("os.measurements", ""),
    22: ("os.measurements", "the known table: tests/verifier/test_os_image.py; `os.acpi-tables` beside it"),
    23: ("os.allowed", ""),
    24: ("os.production", ""),
    25: ("code.images", "and `code.form`"),
    26: ("code.host-input", "and `code.scripts`, `code.privileges`"),
    27: ("code.settings", ""),
    28: ("", "not checked: signatures of images and reproducible builds are for the user, who has the digests"),
    29: ("tls.certificate", ""),
    30: ("tls.connection", ""),
    31: ("evidence.checksums", ""),
    32: ("evidence.quote", ""),
    33: ("evidence.same-td", ""),
    34: ("freshness.statement", ""),
    35: ("tls.web-pki", ""),
    36: ("tls.caa", "`evidence.account` states the account; climbing the tree: verifier/gathering/caa.py"),
    37: ("", "not checked: no log of certificates is asked"),
    38: ("", "attested_session pins the key (tests/verifier/test_session.py)"),
    39: ("governance.compose-allowed", "and `governance.contract`"),
    40: ("governance.endpoints", "and `governance.chain`"),
    41: ("governance.owner", "and `governance.upgradeability`, `governance.policy`"),
    42: ("governance.allowed-set", ""),
    43: ("governance.allowed-set", "and `governance.pending` for what is yet to come"),
    44: ("", "the verdict of every procedure vector"),
    45: ("", "every procedure vector is a bundle that is replayed at its recorded time"),
}
"""Number to check and remark."""

SHOWN: Final = 6


def coverage(numbered: Sequence[tuple[int, Vector]]) -> str:
    """The page."""
    lines = [
        "# What the vectors cover",
        "",
        "Written by `python -m tests.support.vectors`; a test keeps it complete. A vector is listed with a check that does",
        "not pass in it, or that it is about; in all other vectors of its stage the check passes.",
        "",
        "| check | claim | vectors |",
        "|---|---|---|",
    ]
    for name, row in CATALOGUE.items():
        found = [f"{vector.stage}/{number:03d}" for number, vector in numbered if name in vector.checks]
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        lines.append(f"| `{name}` | {row.claim} | {', '.join(found[:SHOWN])}{more} |")
    lines += ["", "## The numbers of attestation.md, section 2.1", "", "| number | check | remark |", "|---|---|---|"]
    lines += [f"| {number} | {f'`{name}`' if name else ''} | {remark} |" for number, (name, remark) in NUMBERS.items()]
    lines += ["", "## Every vector", ""]
    lines += [f"* `{vector.stage}/{number:03d}-{slug(vector.name)}`: {vector.name}" for number, vector in numbered]
    return "\n".join(lines) + "\n"
