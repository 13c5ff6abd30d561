"""Collateral: fetched once for a platform, kept for a day, without one quote's own chain; a source that fails is told."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from svc_verifier.formats.quote import parse_quote_answer
from svc_verifier.gathering.collateral import (
    INTEL_PCS,
    CachedCollateral,
    CollateralFile,
    ProvisioningService,
    fetch_collateral,
)
from svc_verifier.gathering.gather import gather, sources
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.hardware import platform_of, read_collateral
from svc_verifier.material import Answer, Missing, Platform
from svc_verifier.worker import Worker
from tests.support.tls import LOOPBACK
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
    assert isinstance(material.attestation, Answer)
    return parse_quote_answer(material.attestation.body, "").quote


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


async def test_what_was_fetched_is_kept_for_a_day_and_no_longer(quote: str, collateral: str, tmp_path: Path) -> None:
    source, now_s = Counting(collateral), float(read_collateral(collateral).validities[0].from_s + 60)
    cache = CachedCollateral(source, tmp_path / "cache", LIMITS, lambda: now_s)
    first = await fetch_collateral([quote], cache)
    (file,) = (tmp_path / "cache").iterdir()
    assert file.stat().st_mode & 0o077 == 0 or file.parent.stat().st_mode & 0o077 == 0
    os.utime(file, (now_s, now_s))
    assert await fetch_collateral([quote], cache) == first
    assert len(source.asked) == 1
    os.utime(file, (now_s - LIMITS.collateral_cache_s, now_s - LIMITS.collateral_cache_s))
    await fetch_collateral([quote], cache)
    assert len(source.asked) == 2
    file.write_text("{")
    os.utime(file, (now_s, now_s))
    assert await fetch_collateral([quote], cache) == first
    assert len(source.asked) == 3


async def test_what_one_service_gave_is_not_kept_for_another(
    quote: str, collateral: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a hostile service garbled must not be met by a run that asks Intel."""
    asked = []

    async def answer(_worker: Worker, url: str, _: bytes) -> str:
        asked.append(url)
        return collateral

    monkeypatch.setattr("svc_verifier.gathering.collateral._fetched", answer)
    for url in ("https://hostile.example", INTEL_PCS, "https://hostile.example", INTEL_PCS):
        assert not isinstance(await fetch_collateral([quote], sources(url, tmp_path).collateral), Missing)
    assert asked == ["https://hostile.example", INTEL_PCS]


async def test_what_has_expired_is_fetched_anew(quote: str, collateral: str, tmp_path: Path) -> None:
    source, end_s = Counting(collateral), min(part.until_s for part in read_collateral(collateral).validities)
    cache = CachedCollateral(source, tmp_path, LIMITS, lambda: float(end_s))
    await fetch_collateral([quote], cache)
    for file in tmp_path.iterdir():
        os.utime(file, (end_s, end_s))
    await fetch_collateral([quote], cache)
    assert len(source.asked) == 2


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


@contextlib.asynccontextmanager
async def service(answer: bytes | None) -> AsyncIterator[tuple[str, list[bytes]]]:
    """The URL of a service that answers every connection with these bytes, or never; and what it was asked."""
    asked: list[bytes] = []
    tasks: set[asyncio.Task[None]] = set()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked.append(await reader.readuntil(b"\r\n"))
            if answer is None:
                await reader.read()
            writer.write(answer or b"")
            await writer.drain()
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_server(
        lambda reader, writer: tasks.add(asyncio.ensure_future(meet(reader, writer))), LOOPBACK, 0
    )
    try:
        yield f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(
    "answer",
    [
        b"\x00\x01 what?\r\n\r\n",
        b"HTTP/1.1 500 no\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\nConnection: close\r\n\r\n{",
        None,
    ],
)
async def test_a_provisioning_service_that_fails_is_missing(quote: str, answer: bytes | None) -> None:
    limits = replace(LIMITS, collateral_timeout_s=2.0)
    async with service(answer) as (url, asked):
        found = await fetch_collateral([quote], ProvisioningService(limits, url))
    assert asked
    assert asked[0].startswith(b"GET ")
    assert isinstance(found, Missing)
    assert "provisioning service" in found.why


async def test_a_provisioning_service_that_is_not_there_is_missing(quote: str) -> None:
    assert isinstance(await fetch_collateral([quote], ProvisioningService(LIMITS, "http://127.0.0.1:1")), Missing)
