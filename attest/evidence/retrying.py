"""Trying for ever, ever more slowly: evidence is wanted as long as the node runs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from attest.errors import AttestError, AttestErrorCode
from attest.evidence.limits import EvidenceLimits
from attest.evidence.shelf import EvidenceShelf

LOGGER: Final = logging.getLogger(__name__)
Made = TypeVar("Made")
Sleep = Callable[[float], Awaitable[None]]


async def until_made(
    make: Callable[[], Awaitable[Made]], shelf: EvidenceShelf, limits: EvidenceLimits, sleep: Sleep = asyncio.sleep
) -> Made:
    """What `make` makes in the end. Raises AttestError(BAD_REQUEST) alone: what can never be made."""
    pause_s = limits.retry_min_s
    shelf.awaited = True
    while True:
        try:
            made = await make()
        except AttestError as error:
            if error.code is AttestErrorCode.BAD_REQUEST:
                raise
            shelf.problem = f"no new evidence set: {error.code}"
            LOGGER.warning("no evidence set yet (%s) trying again in %g s", error.message, pause_s)
            await sleep(pause_s)
            pause_s = min(pause_s * 2, limits.retry_max_s)
        else:
            return made
