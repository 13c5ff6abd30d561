"""An evidence set is complete or absent.

The node makes it, with retries without limit and one-step replacement, or reads a sidecar's set.
"""

import asyncio
import hashlib
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from attest.certificates.port import Certificate
from attest.errors import AttestError, AttestErrorCode
from attest.evidence import EvidenceMaker, EvidenceStore, evidence_set, listing, sums_of
from attest.evidence_folder import EvidenceFolder
from attest.quote_queue import QuoteQueue
from attest.responses import report_data_of
from attest.settings import GuestAgentSettings
from tests.support.clock import FakeClock
from tests.support.quotes import QuotePlatform, quote_answer

ACCOUNT = b'{"uri":"self-signed"}\n'


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attest.evidence.RETRY_MAX_S", 8.0)
    monkeypatch.setattr("attest.evidence.PREVIOUS_SETS", 2)
    monkeypatch.setattr("attest.evidence_folder.FILE_MAX_BYTES", 10_000)
    monkeypatch.setattr("attest.evidence_folder.FILES_MAX", 6)


def certificate(domain: str = "localhost", content: bytes = b"one") -> Certificate:
    chain = b"-----BEGIN CERTIFICATE-----\n" + content + b"\n-----END CERTIFICATE-----\n"
    return Certificate(domain, chain, content, hashlib.sha256(content).digest(), 0, 2_000_000_000)


class Pauses:
    """Sleeps at once and remembers for how long it should have."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.at: dict[int, object] = {}

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        change = self.at.get(len(self.slept))
        if callable(change):
            change()
        await asyncio.sleep(0)


class Bench:
    """A maker with everything a test turns."""

    def __init__(self) -> None:
        self.platform = QuotePlatform()
        self.store = EvidenceStore()
        self.pauses = Pauses()
        queue = QuoteQueue(self.platform, GuestAgentSettings(), time.monotonic)
        self.maker = EvidenceMaker(queue, self.store, FakeClock(), self.pauses)


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def test_a_set_is_what_sha256sum_and_a_reader_of_quotes_accept(bench: Bench, tmp_path: Path) -> None:
    ready = await bench.maker.prepare([certificate("*.node.example"), certificate("node.example", b"two")], ACCOUNT)
    files = ready.ready.files
    assert sorted(files) == [
        "acme-account.json",
        "cert-*.node.example.pem",
        "cert-node.example.pem",
        "quote.json",
        "sha256sum.txt",
    ]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    check = ["sha256sum", "--strict", "-c", "sha256sum.txt"]
    await asyncio.to_thread(subprocess.run, check, cwd=tmp_path, check=True, capture_output=True)
    listed = [line.split("  ")[1] for line in files["sha256sum.txt"].decode().splitlines()]
    assert listed == ["acme-account.json", "cert-*.node.example.pem", "cert-node.example.pem"]
    quote = json.loads(files["quote.json"])
    wanted = hashlib.sha256(files["sha256sum.txt"]).digest() + bytes(32)
    assert bytes.fromhex(quote["report_data"]) == wanted == report_data_of(bytes.fromhex(quote["quote"]))
    assert json.loads(quote["event_log"])[0]["imr"] == 3
    assert bench.store.current is None, "prepared is not yet published"


async def test_publishing_changes_sets_at_once_and_keeps_those_before(bench: Bench) -> None:
    made = []
    for content in (b"one", b"two", b"three", b"four"):
        ready = await bench.maker.prepare([certificate(content=content)], ACCOUNT)
        ready.publish()
        assert bench.store.current == ready.ready
        made.append(ready.ready)
    assert bench.store.previous == (made[2], made[1])
    assert bench.store.named(made[1].name) == made[1]
    assert bench.store.named(made[0].name) is None
    assert len({each.etag for each in made}) == 4
    for each in made:
        assert each.name == hashlib.sha256(each.files["sha256sum.txt"]).hexdigest()


async def test_an_agent_that_is_out_is_asked_for_ever_ever_more_slowly(bench: Bench) -> None:
    first = await bench.maker.prepare([certificate()], ACCOUNT)
    first.publish()
    bench.platform.fail(AttestErrorCode.UNREACHABLE)

    def recover() -> None:
        assert bench.store.problem is not None
        assert bench.store.current == first.ready, "the set before stays until the new one is whole"
        bench.platform.failure = None

    bench.pauses.at[6] = recover
    second = await bench.maker.prepare([certificate(content=b"two")], ACCOUNT)
    assert bench.pauses.slept == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    second.publish()
    assert bench.store.problem is None


@pytest.mark.parametrize(
    "domains",
    [[], ["a.example", "a.example"], ["a.example", "A.example"], ["../x"], ["a/b"], ["**.example"], [""], ['a"b']],
)
async def test_what_can_be_no_set_is_refused_at_once(bench: Bench, domains: list[str]) -> None:
    with pytest.raises(AttestError) as refused:
        await bench.maker.prepare([certificate(domain) for domain in domains], ACCOUNT)
    assert refused.value.code is AttestErrorCode.BAD_REQUEST
    assert bench.platform.asked == []


async def test_the_listing_has_relative_links_that_the_guide_finds(bench: Bench) -> None:
    old = await bench.maker.prepare([certificate("*.node.example", b"old")], ACCOUNT)
    ready = await bench.maker.prepare([certificate("*.node.example")], ACCOUNT)
    page = listing(ready.ready, (old.ready,))
    grep = ["grep", "-o", r'href="cert-[^"]*\.pem"']
    found = await asyncio.to_thread(subprocess.run, grep, input=page, stdout=subprocess.PIPE, check=True)
    assert found.stdout == b'href="cert-*.node.example.pem"\n'
    assert f'href="{old.ready.name}/"'.encode() in page
    assert b'="/' not in page


def write_set(folder: Path, chain: bytes, *, made: int = 1) -> None:
    """What a sidecar leaves behind, in the order in which it does."""
    files = {"acme-account.json": b'{"uri":"https://acme.example/1"}', "cert-node.example.pem": chain}
    sums = sums_of(files)
    quote = quote_answer(hashlib.sha256(sums).digest() + bytes(32)) | {"made": str(made)}
    whole = {**files, "sha256sum.txt": sums, "quote.json": json.dumps(quote).encode()}
    for name, content in whole.items():
        (folder / name).write_bytes(content)


CHAIN = certificate("node.example").chain_pem


class Sidecar:
    """A folder that is read, and what a test turns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = EvidenceStore()
        self.pauses = Pauses()
        self.folder = EvidenceFolder(path, self.store, FakeClock(), self.pauses)


@pytest.fixture
def sidecar(tmp_path: Path) -> Sidecar:
    folder = tmp_path / "evidences"
    folder.mkdir()
    return Sidecar(folder)


async def test_a_sidecars_set_is_served_as_it_is_and_nothing_beside_it(sidecar: Sidecar) -> None:
    write_set(sidecar.path, CHAIN)
    (sidecar.path / "privkey.pem").write_text("secret")
    (sidecar.path / ".env").write_text("secret")
    ready = await sidecar.folder.prepare([certificate("node.example")], b"ignored")
    assert sorted(ready.ready.files) == ["acme-account.json", "cert-node.example.pem", "quote.json", "sha256sum.txt"]
    for name, content in ready.ready.files.items():
        assert content == (sidecar.path / name).read_bytes()


def _other_certificate(folder: Path) -> None:
    write_set(folder, certificate(content=b"other").chain_pem)


def _half_written(folder: Path) -> None:
    (folder / "cert-node.example.pem").write_bytes(CHAIN + b" ")


def _without(name: str) -> object:
    return lambda folder: (folder / name).unlink()


def _link_out(folder: Path) -> None:
    (folder / "cert-node.example.pem").rename(folder.parent / "outside.pem")
    (folder / "cert-node.example.pem").symlink_to(folder.parent / "outside.pem")


def _pipe(folder: Path) -> None:
    (folder / "quote.json").unlink()
    os.mkfifo(folder / "quote.json")


def _huge(folder: Path) -> None:
    (folder / "quote.json").write_bytes(b" " * 10_001)


def _many(folder: Path) -> None:
    for number in range(5):
        (folder / f"cert-{number}.example.pem").write_bytes(CHAIN)


def _unlisted(folder: Path) -> None:
    (folder / "cert-unlisted.example.pem").write_bytes(CHAIN)


def _old_quote(folder: Path) -> None:
    (folder / "quote.json").write_text(json.dumps(quote_answer()))


def _no_quote(folder: Path) -> None:
    (folder / "quote.json").write_text('{"quote": "00"}')


BROKEN = [
    _other_certificate, _half_written, _without("quote.json"), _without("acme-account.json"), _without("sha256sum.txt"),
    _without("cert-node.example.pem"), _link_out, _pipe, _huge, _many, _unlisted, _old_quote, _no_quote,
]  # fmt: skip


@pytest.mark.parametrize("breaking", BROKEN)
async def test_a_sidecars_set_that_is_not_whole_is_waited_for(sidecar: Sidecar, breaking: object) -> None:
    write_set(sidecar.path, CHAIN)
    assert callable(breaking)
    breaking(sidecar.path)

    def repair() -> None:
        for path in sidecar.path.iterdir():
            path.unlink()
        write_set(sidecar.path, CHAIN)

    sidecar.pauses.at[3] = repair
    ready = await asyncio.wait_for(sidecar.folder.prepare([certificate("node.example")], b""), 20)
    assert sidecar.pauses.slept == [1.0, 2.0, 4.0]
    assert ready.ready.files["cert-node.example.pem"] == CHAIN


async def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    sidecar = Sidecar(tmp_path / "later")

    def come() -> None:
        sidecar.path.mkdir()
        write_set(sidecar.path, CHAIN)

    sidecar.pauses.at[2] = come
    ready = await sidecar.folder.prepare([certificate("node.example")], b"")
    assert ready.ready.files["cert-node.example.pem"] == CHAIN


async def test_a_fresh_quote_of_the_same_certificates_is_followed_and_other_certificates_are_not(
    sidecar: Sidecar,
) -> None:
    write_set(sidecar.path, CHAIN)
    (await sidecar.folder.prepare([certificate("node.example")], b"")).publish()
    first = sidecar.store.current
    assert first is not None
    write_set(sidecar.path, CHAIN, made=2)
    seen: list[bool] = []
    done = asyncio.Event()

    def other() -> None:
        current = sidecar.store.current
        assert current is not None
        seen.append(current.etag != first.etag and current.name == first.name)
        write_set(sidecar.path, certificate(content=b"other").chain_pem)

    def look() -> None:
        current = sidecar.store.current
        assert current is not None
        seen.append(current.name == first.name)
        done.set()

    sidecar.pauses.at.update({2: other, 3: look})
    following = asyncio.create_task(sidecar.folder.follow())
    await asyncio.wait_for(done.wait(), 10)
    following.cancel()
    assert seen == [True, True]


async def test_a_sidecar_that_ends_tls_too_has_every_whole_set_of_its_shown(tmp_path: Path) -> None:
    sidecar = Sidecar(tmp_path)
    sidecar.folder = EvidenceFolder(tmp_path, sidecar.store, FakeClock(), sidecar.pauses, alone=True)
    seen: list[str | None] = []
    waited: list[bool] = []
    done = asyncio.Event()

    def note() -> None:
        current = sidecar.store.current
        seen.append(None if current is None else current.files["cert-node.example.pem"].decode())

    def come() -> None:
        note()
        waited.append(sidecar.store.awaited)
        write_set(tmp_path, CHAIN)

    def renew() -> None:
        note()
        write_set(tmp_path, certificate(content=b"other").chain_pem)

    def tear() -> None:
        note()
        (tmp_path / "sha256sum.txt").write_bytes(b"")

    def look() -> None:
        note()
        done.set()

    sidecar.pauses.at.update({1: come, 2: renew, 3: tear, 4: look})
    following = asyncio.create_task(sidecar.folder.follow())
    await asyncio.wait_for(done.wait(), 10)
    following.cancel()
    other = certificate(content=b"other").chain_pem.decode()
    assert waited == [True]
    assert seen == [None, CHAIN.decode(), other, other]
    assert [each.files["cert-node.example.pem"] for each in sidecar.store.previous] == [CHAIN]
    assert sidecar.store.problem == "no new evidence set: malformed_answer"


def test_the_etag_is_that_of_every_byte() -> None:
    files = {"a.pem": b"1", "sha256sum.txt": b"x"}
    first = evidence_set(files, 0.0)
    assert evidence_set({**files, "a.pem": b"2"}, 0.0).etag != first.etag
    assert evidence_set({"b.pem": b"1", "sha256sum.txt": b"x"}, 0.0).etag != first.etag
    assert evidence_set(dict(reversed(files.items())), 9.0).etag == first.etag
