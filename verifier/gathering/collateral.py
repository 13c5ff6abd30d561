"""Fetches Intel's collateral for the quotes that were shown, and keeps it by platform family until it expires."""

import asyncio
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

import dcap_qvl

from verifier.errors import VerifierError
from verifier.formats.quote import parse_quote_hex
from verifier.formats.strict_json import parse_json_object
from verifier.gathering.limits import GatheringLimits
from verifier.hardware.collateral import LIMIT_BYTES, read_collateral
from verifier.hardware.dcap import Platform, platform_of
from verifier.material import Missing

INTEL_PCS = "https://api.trustedservices.intel.com"
_OWN_CHAIN = "pck_certificate_chain"
Collateral = Mapping[tuple[str, str], str] | Missing


class CollateralSource(Protocol):
    """Where collateral comes from."""

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """Collateral as dcap-qvl's JSON. Raises LookupError saying why there is none."""
        ...


class ProvisioningService:
    """Intel's service, or a cache of it (PCCS) at a URL of the user's: what it says is signed, whoever serves it."""

    def __init__(self, limits: GatheringLimits, url: str = INTEL_PCS) -> None:
        self._limits = limits
        self._url = url

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """See `CollateralSource`."""
        try:
            async with asyncio.timeout(self._limits.collateral_timeout_s):
                collateral = await dcap_qvl.get_collateral(self._url, quote)
            return str(collateral.to_json())
        except TimeoutError:
            raise LookupError(
                f"the provisioning service did not answer in {self._limits.collateral_timeout_s:g} s"
            ) from None
        except (ValueError, RuntimeError, OSError) as error:
            message = f"the provisioning service gave none for FMSPC {platform.fmspc} ({type(error).__name__})"
            raise LookupError(message) from None


class CollateralFile:
    """One file for every platform: what the simulator keeps beside its root."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        """See `CollateralSource`."""
        try:
            return await asyncio.to_thread(self._path.read_text)
        except (OSError, UnicodeDecodeError) as error:
            raise LookupError(f"{self._path} cannot be read ({type(error).__name__})") from None


class CachedCollateral:
    """Keeps what a source gives in a folder, one file for a platform family, until the earliest part of it expires."""

    def __init__(self, source: CollateralSource, folder: Path, now_s: int) -> None:
        self._source = source
        self._folder = folder
        self._now_s = now_s

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        """See `CollateralSource`."""
        path = self._folder / f"{platform.fmspc}-{platform.ca}.json"
        kept = await asyncio.to_thread(self._read, path)
        if kept is not None:
            return kept
        text = without_own_chain(await self._source.fetch(quote, platform))
        await asyncio.to_thread(self._write, path, text)
        return text

    def _read(self, path: Path) -> str | None:
        try:
            text = path.read_text()
            facts = read_collateral(text)
        except (OSError, ValueError, VerifierError):
            return None
        return text if all(part.from_s <= self._now_s < part.until_s for part in facts.validities) else None

    def _write(self, path: Path, text: str) -> None:
        """A cache that cannot be written costs time and nothing else."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}.part")
            part.write_text(text)
            part.replace(path)
        except OSError:
            return


async def fetch_collateral(quotes: Iterable[str], source: CollateralSource) -> Collateral:
    """Collateral for each platform that the quotes (hex) come from; quotes that cannot be read need none."""
    found: dict[tuple[str, str], str] = {}
    reason = "no quote could be read"
    for text in quotes:
        try:
            parse_quote_hex(text)
            raw = bytes.fromhex(text.removeprefix("0x"))
            platform = platform_of(raw)
            key = (platform.fmspc, platform.ca)
            if key not in found:
                found[key] = without_own_chain(await source.fetch(raw, platform))
        except VerifierError:
            continue
        except LookupError as error:
            reason = str(error)
    return found or Missing(reason)


def without_own_chain(collateral: str) -> str:
    """Without the chain of one quote, which would override that of every other (attestation.md section 6 a)."""
    try:
        read = parse_json_object(collateral, "collateral", LIMIT_BYTES, 8)
    except VerifierError as error:
        raise LookupError(error.message) from None
    read.pop(_OWN_CHAIN, None)
    return json.dumps(read)
