"""Collateral: fetched once for a platform, without one quote's own chain; a source that fails is told."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from svc_verifier.formats.quote import parse_quote_response
from svc_verifier.gathering.collateral import CachedCollateral, CollateralFile, fetch_collateral
from svc_verifier.gathering.gather import gather
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.material import HttpResponse, Missing, Platform
from svc_verifier.tdx.dcap import platform_of
from tests.support.verifying import VerifiableNode

LIMITS = GatheringLimits()


@dataclass
class Counting:
    """A source that counts what it is asked."""

    text: str
    asked: list[tuple[bytes, Platform]] = field(default_factory=list)

    async def fetch(self, quote: bytes, platform: Platform) -> str:
        self.asked.append((quote, platform))
        return self.text


@pytest.fixture
def quote(development_node: VerifiableNode) -> str:
    node = development_node
    material = asyncio.run(gather(node.address, node.trust(), node.sources()))
    assert isinstance(material.attestation, HttpResponse)
    return parse_quote_response(material.attestation.body, "").quote


@pytest.fixture
def collateral(development_node: VerifiableNode) -> str:
    return (development_node.root.parent / "collateral.json").read_text()


async def test_two_quotes_of_one_platform_need_one_fetch(quote: str, collateral: str) -> None:
    source = Counting(collateral)
    found = await fetch_collateral([quote, "garbage", "", quote], source)
    assert isinstance(found, dict)
    assert len(found) == len(source.asked) == 1


async def test_no_quote_that_can_be_read_needs_none(collateral: str) -> None:
    source = Counting(collateral)
    assert isinstance(await fetch_collateral(["", "zz", "00" * 700], source), Missing)
    assert not source.asked


async def test_the_chain_of_one_quote_is_dropped(quote: str, collateral: str) -> None:
    own = json.dumps(json.loads(collateral) | {"pck_certificate_chain": "of one quote"})
    found = await fetch_collateral([quote], Counting(own))
    assert isinstance(found, dict)
    assert all("pck_certificate_chain" not in text for text in found.values())


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 10_000])
async def test_a_source_that_tells_nonsense_is_missing(quote: str, text: str) -> None:
    assert isinstance(await fetch_collateral([quote], Counting(text)), Missing)


async def test_a_folder_that_cannot_be_written_costs_nothing_but_time(
    quote: str, collateral: str, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = CachedCollateral(Counting(collateral), blocked / "inside", LIMITS, lambda: 0.0)
    assert isinstance(await fetch_collateral([quote], cache), dict)


async def test_what_a_quote_names_is_no_path(quote: str, collateral: str, tmp_path: Path) -> None:
    cache = CachedCollateral(Counting(collateral), tmp_path / "cache", LIMITS, lambda: 0.0)
    platform = platform_of(bytes.fromhex(quote.removeprefix("0x")))
    for name in ("../../escaped", "a/b", ""):
        assert await cache.fetch(b"", replace(platform, ca=name)) == collateral
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [None, b"\xff", b" " * 1_100_000])
async def test_a_file_that_cannot_be_read_is_missing(quote: str, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "collateral.json"
    if content is not None:
        path.write_bytes(content)
    found = await fetch_collateral([quote], CollateralFile(path))
    assert isinstance(found, Missing)
    assert "collateral.json" in found.why
