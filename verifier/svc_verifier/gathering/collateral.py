"""Fetches Intel's collateral for the quotes that were shown, and keeps by platform family what was verified."""

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
"""Unix seconds."""
_FILE_NAME: Final = re.compile(r"[0-9A-F]{12}-[a-z]{1,20}")
"""What a quote names may be anything; only this becomes the name of a file."""

_NUMBER: Final = re.compile(r"[0-9]{1,6}")
NUMBER_BYTES: Final = 16
ASKED_AGAIN_S: Final = 300.0
"""Between two times at which a service is asked again for one platform family because of what it gave before."""

ENDING_S: Final = 0.5
"""What a service is given less than all of a look: what was kept can then still be judged."""

ANYBODY: Final = Trust(host="", app_id=bytes(20), chain_id=1)
"""Trust of who names none: Intel's root and the usual policy."""

Collateral = Mapping[tuple[str, str], str] | Missing


class CollateralSource(Protocol):
    """Port: a source of collateral."""

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """Collateral as dcap-qvl's JSON, at best without the chain of this one quote. Raises LookupError saying why there is none."""
        ...


class ProvisioningService:
    """Intel's service, or a cache of it (PCCS) at a URL of the user's: what it says is signed, whoever serves it.

    `proxy_url` is a proxy that carries tunnels (CONNECT); the environment names none.
    """

    def __init__(self, limits: GatheringLimits, url: str = INTEL_PCS, proxy_url: str | None = None) -> None:
        self._limits = limits
        self._url = url
        self._proxy_url = proxy_url

    def through(self, proxy_url: str) -> Self:
        """The same service, asked through a proxy."""
        return type(self)(self._limits, self._url, proxy_url)

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        """See `CollateralSource`."""
        documents = await fetch_documents(self._url, platform, self._limits, self._proxy_url)
        try:
            # In a process of its own: others may need theirs meanwhile.
            async with Worker() as worker:
                return await worker.assembled_collateral(documents.bodies, documents.chains)
        except VerifierError as error:
            raise LookupError(f"the provisioning service's answer cannot be read: {error.message}") from None


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


@dataclass(frozen=True, slots=True)
class Judging:
    """By what one verification judges collateral before it is kept or used. `until_s` is the running loop's time at which it ends.

    `asked_again` are the families about which a source was asked again: one at most.
    """

    worker: Worker
    trust: Trust = ANYBODY
    until_s: float = math.inf
    asked_again: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Given:
    """Collateral, and why its source was not reached, empty where it was or had not to be asked."""

    text: str
    unreached: str = ""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A file that was kept, as it was judged, and whether it is so young that nobody need be asked."""

    judged: JudgedCollateral
    is_young: bool


class CachedCollateral:
    """Keeps in a folder what a source gives, one file for a platform family, once it was verified.

    It is verified again each time it is read. It serves for a day; longer only where the source gives no answer.
    """

    def __init__(self, source: CollateralSource, folder: Path, limits: GatheringLimits, clock: Clock) -> None:
        self._source = source
        self._folder = folder
        self._limits = limits
        self._clock = clock
        self._asked_again: dict[str, float] = {}

    def through(self, proxy_url: str) -> Self:
        """The same folder for a source that is asked through a proxy."""
        return type(self)(through(self._source, proxy_url), self._folder, self._limits, self._clock)

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """See `CollateralSource`."""
        async with Worker() as worker:
            return (await self.fetch_judged(quote, platform, Judging(worker))).text

    async def fetch_judged(self, quote: bytes, platform: Platform, judging: Judging) -> Given:
        """Returns collateral that was kept and is in order, else that of the source. Raises LookupError."""
        # The certificate is not verified yet: its values may be any text, a path included.
        if not _FILE_NAME.fullmatch(f"{platform.fmspc}-{platform.ca}"):
            return Given(await self._source.fetch(quote, platform))
        kept = await self._kept(quote, platform, judging)
        is_again = kept is not None and kept.is_young
        if kept is not None and kept.is_young:
            # Another set can help only where this one is at fault, and a source is not asked for every forged quote.
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
            # One bad answer may be an accident; of what comes next the first still stands where there is nothing.
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
        # What is wrong with it is for the checks to say.
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
        """Collateral that the source gives now, judged. Raises LookupError."""
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
        """Whether nobody has asked again in this verification, or for the family lately; it counts as asked from now on."""
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
        """The highest evaluation number that was seen for the family."""
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
        """A file's text and age in seconds; None where it cannot be read."""
        try:
            age_s = self._clock() - path.stat().st_mtime
            return read_bytes(path, COLLATERAL_BYTES).decode(), age_s
        except (OSError, ValueError):
            return None

    def _write(self, platform: Platform, new: JudgedCollateral) -> None:
        """A cache that cannot be written costs time and nothing else."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Before the set, and beside it: a set that is damaged or has ended must not take its number with it.
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
        # rename(2) is atomic: another process reads the old file or the new one, never a half.
        part.replace(path)


def through(source: CollateralSource, proxy_url: str) -> CollateralSource:
    """The source, asked through a proxy where it is one that is asked over a network."""
    return source.through(proxy_url) if isinstance(source, ProvisioningService | CachedCollateral) else source


@dataclass(frozen=True, slots=True)
class Fetched:
    """Collateral for each platform, and why its source was not reached where it was kept from before."""

    collateral: Collateral
    unreached: Mapping[tuple[str, str], str] = field(default_factory=dict)


async def fetch_collateral(quotes: Iterable[str], source: CollateralSource, worker: Worker | None = None) -> Collateral:
    """Collateral for each platform that the quotes (hex) come from; quotes that cannot be read need none.

    `worker` reads quotes and collateral; one is started where none is given.
    """
    if worker is None:
        async with Worker() as own:
            return await fetch_collateral(quotes, source, own)
    return (await gather_collateral(quotes, source, Judging(worker))).collateral


async def fetch_trusted(quotes: Iterable[str], source: CollateralSource, trust: Trust) -> Fetched:
    """As `gather_collateral`, with a process of its own."""
    async with Worker() as worker:
        return await gather_collateral(quotes, source, Judging(worker, trust))


async def gather_collateral(quotes: Iterable[str], source: CollateralSource, judging: Judging) -> Fetched:
    """As `fetch_collateral`, judged by what is trusted where the source keeps it."""
    found: dict[tuple[str, str], str] = {}
    unreached: dict[tuple[str, str], str] = {}
    reason = "no quote could be read"
    try:
        platforms = await judging.worker.platforms(tuple(quotes))
    except VerifierError as error:
        return Fetched(Missing(error.message))
    # Both quotes of a host come from one platform as a rule: asked once, also where there is no answer.
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
