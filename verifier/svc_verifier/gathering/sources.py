"""Limits of a look, and where its parts come from."""

import hashlib
import secrets
import time
from pathlib import Path

from svc_verifier.gathering.collateral import (
    INTEL_PCS,
    CachedCollateral,
    Clock,
    CollateralFile,
    CollateralSource,
    ProvisioningService,
)
from svc_verifier.gathering.gather import NONCE_BYTES, Sources
from svc_verifier.gathering.limits import GatheringLimits

DEFAULT_LIMITS = GatheringLimits()


def fresh_nonce() -> bytes:
    """32 bytes nobody could have guessed."""
    return secrets.token_bytes(NONCE_BYTES)


def sources(
    collateral_url: str = INTEL_PCS,
    cache: Path | None = None,
    limits: GatheringLimits = DEFAULT_LIMITS,
    clock: Clock = time.time,
) -> Sources:
    """Collateral from Intel or a cache of it at `collateral_url`, kept in the folder `cache` where one is named.

    Each service has a folder of its own in there: what one of them garbled or held back stays its own fault.
    """
    source: CollateralSource = ProvisioningService(limits, collateral_url)
    if cache is not None:
        folder = cache / hashlib.sha256(collateral_url.encode()).hexdigest()[:16]
        source = CachedCollateral(source, folder, limits, clock)
    return Sources(source, fresh_nonce, clock, limits)


def development_sources(root: Path, limits: GatheringLimits = DEFAULT_LIMITS, clock: Clock = time.time) -> Sources:
    """DEV: the simulator's collateral lies beside its root."""
    return Sources(CollateralFile(root.parent / "collateral.json"), fresh_nonce, clock, limits)
