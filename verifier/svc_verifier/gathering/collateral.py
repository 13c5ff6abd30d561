"""Fetches Intel's collateral for given quotes, and keeps verified sets by platform family."""

import asyncio
import contextlib
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, Self

from svc_verifier.errors import VerifierError
from svc_verifier.formats.addresses import INTEL_PCS
from svc_verifier.formats.strict_json import read_bytes, why_unreadable
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.gathering.provisioning import UnansweredError, fetch_documents
from svc_verifier.material import COLLATERAL_BYTES, Missing, Platform
from svc_verifier.trust import Trust
from svc_verifier.worker import JudgedCollateral, Worker

Clock = Callable[[], float]
"""Clock in unix seconds."""
_FILE_NAME: Final = re.compile(r"[0-9A-F]{12}-[a-z]{1,20}")
"""Name of a kept file. A quote may name anything; only this becomes a file name."""

_NUMBER: Final = re.compile(r"[0-9]{1,6}")
NUMBER_BYTES: Final = 16
ASKED_AGAIN_S: Final = 300.0
"""Seconds between repeated requests to a service for one platform family."""

ENDING_S: Final = 0.5
"""Seconds that a service gets less than a verification, so that kept sets can be judged."""

INTEL_TRUST: Final = Trust(host="", app_id=bytes(20), chain_id=1)
"""Trust without a user's, with Intel's root and the usual policy."""

Collateral = Mapping[tuple[str, str], str] | Missing


class CollateralSource(Protocol):
    """Port of a source of collateral."""

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """Returns collateral as dcap-qvl's JSON. Raises LookupError with the reason."""
        ...


class ProvisioningService:
    """Intel's service, or a cache of it (PCCS), whose documents Intel signed.

    `proxy_url` is a proxy that carries tunnels (CONNECT). No proxy of the environment is used.
    """

    def __init__(self, limits: GatheringLimits, url: str = INTEL_PCS, proxy_url: str | None = None) -> None:
        self._limits = limits
        self._url = url
        self._proxy_url = proxy_url

    def through(self, proxy_url: str) -> Self:
        """Returns the same service, asked through a proxy."""
        return type(self)(self._limits, self._url, proxy_url)

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        """See `CollateralSource`."""
        documents = await fetch_documents(self._url, platform, self._limits, self._proxy_url)
        try:
            # In a process of its own, since the caller's may be in use.
            async with Worker() as worker:
                return await worker.assembled_collateral(documents.bodies, documents.chains)
        except VerifierError as error:
            raise LookupError(f"the provisioning service's answer cannot be read: {error.message}") from None


class CollateralFile:
    """Source of collateral in one file for every platform, which the simulator writes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        """See `CollateralSource`."""
        try:
            return (await asyncio.to_thread(read_bytes, self._path, COLLATERAL_BYTES)).decode()
        except (OSError, ValueError) as error:
            raise LookupError(f"{self._path} {why_unreadable(error)}") from None


@dataclass(frozen=True, slots=True)
class Judging:
    """Means of judging collateral before it is kept or used, until `until_s` of the loop's time.

    `asked_again` are the families about which a source was asked again, one at most.
    """

    worker: Worker
    trust: Trust = INTEL_TRUST
    until_s: float = math.inf
    asked_again: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Given:
    """Collateral, and why its source was not reached; empty if it was, or was not needed."""

    text: str
    unreached: str = ""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A kept file, judged, and whether it is too young to be fetched again."""

    judged: JudgedCollateral
    is_young: bool


class CachedCollateral:
    """Keeps verified collateral of a source in a folder, one file for a platform family.

    It is verified at each use. It serves for a day, and longer only while the source fails.
    """

    def __init__(self, source: CollateralSource, folder: Path, limits: GatheringLimits, clock: Clock) -> None:
        self._source = source
        self._folder = folder
        self._limits = limits
        self._clock = clock
        self._asked_again: dict[str, float] = {}

    def through(self, proxy_url: str) -> Self:
        """Returns the same folder for a source that is asked through a proxy."""
        return type(self)(through(self._source, proxy_url), self._folder, self._limits, self._clock)

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """See `CollateralSource`."""
        async with Worker() as worker:
            return (await self.fetch_judged(quote, platform, Judging(worker))).text

    async def fetch_judged(self, quote: bytes, platform: Platform, judging: Judging) -> Given:
        """Returns valid kept collateral, else that of the source. Raises LookupError."""
        # The certificate is not verified yet, so its values may be any text, a path included.
        if not _FILE_NAME.fullmatch(f"{platform.fmspc}-{platform.ca}"):
            return Given(await self._source.fetch(quote, platform))
        kept = await self._kept(quote, platform, judging)
        is_again = kept is not None and kept.is_young
        if kept is not None and kept.is_young:
            # Another set helps only if this one is at fault. Forged quotes must cause no requests.
            blamed = kept.judged.fault and not kept.judged.is_quote_refused
            if not blamed or not await self._may_ask_again(platform, judging):
                return Given(kept.judged.text)
        try:
            new = await self._asked(quote, platform, judging)
        except UnansweredError as error:
            if kept is None or kept.judged.fault:
                raise
            return Given(kept.judged.text, str(error))
        if new.fault and not new.is_quote_refused and not is_again and await self._may_ask_again(platform, judging):
            # One bad response may be an accident. If there is no second, the first one counts.
            with contextlib.suppress(LookupError):
                new = await self._asked(quote, platform, judging)
        if not new.fault:
            highest = await self._highest(platform, kept)
            if new.evaluation_number < highest:
                raise LookupError(
                    f"the source of collateral gave TCB evaluation number {new.evaluation_number} for FMSPC {platform.fmspc}, "
                    f"though {highest} was seen before: it is old ({self._folder})"
                )
            await asyncio.to_thread(self._write, platform, new)
        # The checks report what is wrong with it.
        return Given(new.text)

    async def _kept(self, quote: bytes, platform: Platform, judging: Judging) -> _Kept | None:
        read = await asyncio.to_thread(self._read, self._path(platform))
        if read is None:
            return None
        text, age_s = read
        try:
            judged = await self._judged(quote, platform, text, judging)
        except VerifierError:
            return None
        if not judged.fault and judged.evaluation_number < await self._highest(platform, None):
            return None
        return _Kept(judged, is_young=0 <= age_s < self._limits.collateral_cache_s)

    async def _asked(self, quote: bytes, platform: Platform, judging: Judging) -> JudgedCollateral:
        """Returns the source's present collateral, judged. Raises LookupError."""
        left_s = judging.until_s - asyncio.get_running_loop().time() - ENDING_S
        try:
            async with asyncio.timeout(None if math.isinf(left_s) else left_s):
                text = await self._source.fetch(quote, platform)
        except TimeoutError:
            raise UnansweredError(
                "the source of collateral did not answer in the time of the look (--timeout)"
            ) from None
        try:
            return await self._judged(quote, platform, text, judging)
        except VerifierError as error:
            return JudgedCollateral(text, error.message, 0, is_quote_refused=False)

    async def _judged(self, quote: bytes, platform: Platform, text: str, judging: Judging) -> JudgedCollateral:
        return await judging.worker.judged_collateral(quote, platform, text, judging.trust, int(self._clock()))

    async def _may_ask_again(self, platform: Platform, judging: Judging) -> bool:
        """Whether a source may be asked once more in this verification. Marks it as asked."""
        if judging.asked_again or not await asyncio.to_thread(self._mark_asked_again, platform.fmspc):
            return False
        judging.asked_again.append(platform.fmspc)
        return True

    def _mark_asked_again(self, family: str) -> bool:
        now_s, mark = self._clock(), self._folder / f"{family}.asked"
        times = [self._asked_again.get(family, -math.inf)]
        with contextlib.suppress(OSError):
            times.append(mark.stat().st_mtime)
        if any(0 <= now_s - time_s < ASKED_AGAIN_S for time_s in times):
            return False
        self._asked_again[family] = now_s
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark.touch()
            os.utime(mark, (now_s, now_s))
        return True

    async def _highest(self, platform: Platform, kept: _Kept | None) -> int:
        """Returns the highest evaluation number that was seen for the family."""
        number = 0 if kept is None or kept.judged.fault else kept.judged.evaluation_number
        return max(number, await asyncio.to_thread(self._noted, platform.fmspc))

    def _noted(self, family: str) -> int:
        try:
            text = read_bytes(self._folder / f"{family}.evaluation", NUMBER_BYTES).decode().strip()
        except (OSError, ValueError):
            return 0
        return int(text) if _NUMBER.fullmatch(text) else 0

    def _path(self, platform: Platform) -> Path:
        return self._folder / f"{platform.fmspc}-{platform.ca}.json"

    def _read(self, path: Path) -> tuple[str, float] | None:
        """Returns a file's text and age in seconds; None if it is unreadable."""
        try:
            age_s = self._clock() - path.stat().st_mtime
            return read_bytes(path, COLLATERAL_BYTES).decode(), age_s
        except (OSError, ValueError):
            return None

    def _write(self, platform: Platform, new: JudgedCollateral) -> None:
        """Writes the set. A cache that cannot be written only costs time."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # First and separately, since a damaged or expired set must not take its number with it.
            if new.evaluation_number > self._noted(platform.fmspc):
                self._replace(self._folder / f"{platform.fmspc}.evaluation", str(new.evaluation_number))
            self._replace(self._path(platform), new.text)
        except OSError:
            return

    def _replace(self, path: Path, text: str) -> None:
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_text(text)
        # The age of a file is by this clock, which a test or a program may set.
        now_s = self._clock()
        os.utime(part, (now_s, now_s))
        # rename(2) is atomic, so another process reads the old file or the new one, never a half.
        part.replace(path)


def through(source: CollateralSource, proxy_url: str) -> CollateralSource:
    """Returns the source, asked through a proxy if it uses a network."""
    return source.through(proxy_url) if isinstance(source, ProvisioningService | CachedCollateral) else source


@dataclass(frozen=True, slots=True)
class Fetched:
    """Collateral for each platform, and why a kept set's source was not reached."""

    collateral: Collateral
    unreached: Mapping[tuple[str, str], str] = field(default_factory=dict)


async def fetch_collateral(quotes: Iterable[str], source: CollateralSource, worker: Worker | None = None) -> Collateral:
    """Returns collateral for each platform of the quotes (hex). Unreadable quotes need none.

    `worker` reads quotes and collateral. One is started if none is given.
    """
    if worker is None:
        async with Worker() as own:
            return await fetch_collateral(quotes, source, own)
    return (await gather_collateral(quotes, source, Judging(worker))).collateral


async def fetch_trusted(quotes: Iterable[str], source: CollateralSource, trust: Trust) -> Fetched:
    """See `gather_collateral`; starts a process of its own."""
    async with Worker() as worker:
        return await gather_collateral(quotes, source, Judging(worker, trust))


async def gather_collateral(quotes: Iterable[str], source: CollateralSource, judging: Judging) -> Fetched:
    """See `fetch_collateral`; a source that keeps sets judges them by `judging`."""
    found: dict[tuple[str, str], str] = {}
    unreached: dict[tuple[str, str], str] = {}
    reason = "no quote could be read"
    try:
        platforms = await judging.worker.platforms(tuple(quotes))
    except VerifierError as error:
        return Fetched(Missing(error.message))
    # Both quotes of a host usually come from one platform, which is asked for once.
    each: dict[tuple[str, str], tuple[bytes, Platform]] = {}
    for raw, platform in platforms:
        each.setdefault((platform.fmspc, platform.ca), (raw, platform))
    for key, (raw, platform) in each.items():
        try:
            given = await _given(source, raw, platform, judging)
            # dcap-qvl attaches one quote's own chain, which would break the next quote.
            found[key] = await judging.worker.usable_collateral(given.text)
        except (VerifierError, LookupError) as error:
            reason = str(error)
            continue
        if given.unreached:
            unreached[key] = given.unreached
    return Fetched(found or Missing(reason), unreached)


async def _given(source: CollateralSource, quote: bytes, platform: Platform, judging: Judging) -> Given:
    if isinstance(source, CachedCollateral):
        return await source.fetch_judged(quote, platform, judging)
    return Given(await source.fetch(quote, platform))
