"""Fetches Intel's collateral for the quotes that were shown, and keeps it by platform family for a day at most."""

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Protocol

from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import read_bytes, why_unreadable
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.material import COLLATERAL_BYTES, Missing, Platform
from svc_verifier.worker import Worker

INTEL_PCS = "https://api.trustedservices.intel.com"
Clock = Callable[[], float]
"""Unix seconds."""
_FILE_NAME: Final = re.compile(r"[0-9A-F]{12}-[a-z]{1,20}")
"""What a quote names may be anything; only this becomes the name of a file."""

Collateral = Mapping[tuple[str, str], str] | Missing


class CollateralSource(Protocol):
    """Port: a source of collateral."""

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """Collateral as dcap-qvl's JSON, at best without the chain of this one quote. Raises LookupError saying why there is none."""
        ...


class ProvisioningService:
    """Intel's service, or a cache of it (PCCS) at a URL of the user's: what it says is signed, whoever serves it."""

    def __init__(self, limits: GatheringLimits, url: str = INTEL_PCS) -> None:
        self._limits = limits
        self._url = url

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """See `CollateralSource`."""
        try:
            # In a process of its own: what the service sends has no bound there, and others may need theirs meanwhile.
            async with Worker() as worker:
                await worker.start()
                async with asyncio.timeout(self._limits.collateral_timeout_s):
                    return await _fetched(worker, self._url, quote)
        except TimeoutError:
            raise LookupError(
                f"the provisioning service did not answer in {self._limits.collateral_timeout_s:g} s"
            ) from None
        except VerifierError:
            raise LookupError(f"the provisioning service gave none for FMSPC {platform.fmspc}") from None


class CollateralFile:
    """Source of collateral in one file for every platform, as the simulator keeps it beside its root."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        """See `CollateralSource`."""
        try:
            return (await asyncio.to_thread(read_bytes, self._path, COLLATERAL_BYTES)).decode()
        except (OSError, ValueError) as error:
            raise LookupError(f"{self._path} {why_unreadable(error)}") from None


class CachedCollateral:
    """Keeps what a source gives in a folder, one file for a platform family, for a day at most and never past its end."""

    def __init__(self, source: CollateralSource, folder: Path, limits: GatheringLimits, clock: Clock) -> None:
        self._source = source
        self._folder = folder
        self._limits = limits
        self._clock = clock

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """See `CollateralSource`."""
        # The certificate is not verified yet: its values may be any text, a path included.
        if not _FILE_NAME.fullmatch(f"{platform.fmspc}-{platform.ca}"):
            return await self._source.fetch(quote, platform)
        path = self._folder / f"{platform.fmspc}-{platform.ca}.json"
        kept = await asyncio.to_thread(self._read, path)
        if kept is not None:
            return kept
        text = await self._source.fetch(quote, platform)
        await asyncio.to_thread(self._write, path, text)
        return text

    def _read(self, path: Path) -> str | None:
        from svc_verifier.hardware import read_collateral  # noqa: PLC0415 - libraries that a first call loads elsewhere

        now_s = self._clock()
        try:
            kept_s = now_s - path.stat().st_mtime
            text = read_bytes(path, COLLATERAL_BYTES).decode()
            facts = read_collateral(text)
        except (OSError, ValueError, VerifierError):
            return None
        # Kept collateral that has expired is fetched again instead of failing a host for it.
        valid = all(part.from_s <= now_s < part.until_s for part in facts.validities)
        return text if valid and 0 <= kept_s < self._limits.collateral_cache_s else None

    def _write(self, path: Path, text: str) -> None:
        """A cache that cannot be written costs time and nothing else."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}.part")
            part.write_text(text)
            # rename(2) is atomic: another process reads the old file or the new one, never a half.
            part.replace(path)
        except OSError:
            return


async def fetch_collateral(quotes: Iterable[str], source: CollateralSource, worker: Worker | None = None) -> Collateral:
    """Collateral for each platform that the quotes (hex) come from; quotes that cannot be read need none.

    `worker` reads quotes and collateral; one is started where none is given.
    """
    if worker is None:
        async with Worker() as own:
            return await fetch_collateral(quotes, source, own)
    found: dict[tuple[str, str], str] = {}
    reason = "no quote could be read"
    try:
        platforms = await worker.platforms(tuple(quotes))
    except VerifierError as error:
        return Missing(error.message)
    for raw, platform in platforms:
        # Both quotes of a host come from one platform as a rule: asked once.
        key = (platform.fmspc, platform.ca)
        if key in found:
            continue
        try:
            # dcap-qvl attaches one quote's own chain, which would break the next quote.
            found[key] = await worker.usable_collateral(await source.fetch(raw, platform))
        except (VerifierError, LookupError) as error:
            reason = str(error)
    return found or Missing(reason)


async def _fetched(worker: Worker, url: str, quote: bytes) -> str:
    """As dcap-qvl's JSON. Raises VerifierError."""
    return await worker.fetch_collateral(url, quote)
