"""`svc-verify import`: judges files of evidence that somebody brought, and keeps them as a bundle."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from svc_verifier.asked import Asked, trust_for
from svc_verifier.gathering.collateral import CollateralSource
from svc_verifier.importing.evidence import material_of, quotes_of, read_evidence
from svc_verifier.material import Material, Missing
from svc_verifier.trust import Trust
from svc_verifier.trust_file import load_trust

UNNAMED_HOST = "imported"
"""The host of an import that names none; evidence belongs to a TD and not to a name."""


def imported(
    paths: Sequence[Path], asked: Asked, at_s: int | None, collateral: CollateralSource | None
) -> tuple[Material, Trust]:
    """Returns what the files hold and what it is measured against.

    Raises ContradictionError, and VerifierError for files that cannot be read.
    """
    host = load_trust(asked.trust_file).host if asked.trust_file is not None else UNNAMED_HOST
    trust = trust_for(host, asked, live=False, unnamed=True)
    material = material_of(read_evidence(paths), host, int(time.time()) if at_s is None else at_s)
    if collateral is None or not isinstance(material.collateral, Missing):
        return material, trust
    import asyncio  # noqa: PLC0415 - only where collateral is fetched

    from svc_verifier.gathering.collateral import fetch_collateral  # noqa: PLC0415 - likewise

    folder = None if isinstance(material.evidences, Missing) else material.evidences
    fetched = asyncio.run(fetch_collateral(quotes_of(material.attestation, folder), collateral))
    return replace(material, collateral=fetched), trust
