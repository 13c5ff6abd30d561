"""Tests the renewal of a certificate with an injected clock.

They cover the time of the next request, failed attempts, and the state after a restart.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from attest.certificates.credentials import Credentials
from attest.certificates.port import Certificate
from attest.certificates.renewal import (
    FILE,
    RETRY_AFTER_MAX_S,
    RETRY_MIN_S,
    CertificateStore,
    Renewal,
    RenewalClock,
    SelfSigned,
    renewal_due_s,
    retry_delay_s,
)
from attest.certificates.serving import ServedCertificate
from attest.errors import AttestError, AttestErrorCode
from node.attestation.component import AgentContact, AttestationMetrics
from tests.support.clock import FakeClock, Waits
from tests.support.keyring_vectors import INSTANCE, keyring
from tests.support.pebble import DOMAIN
from tests.support.tls import NoLog, RecordedEvidence

DAY_S = 86_400.0
LIFE_S = 90 * DAY_S


class Authority:
    """Issues, unless it is told to fail; counts how often it was asked."""

    source = "an authority"

    def __init__(self, clock: FakeClock) -> None:
        self._inner = SelfSigned(DOMAIN, LIFE_S, lambda: clock() - self.behind_s)
        self.behind_s = 0.0
        self.asked = 0
        self.failures: list[Exception] = []

    async def issue(self) -> Credentials:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return await self._inner.issue()


class Node:
    """One start of a node on a directory."""

    def __init__(self, directory: Path, clock: FakeClock, root: bytes | None = None) -> None:
        sealer = keyring().tls_sealer(INSTANCE if root is None else root.hex())
        self.clock = clock
        self.waits = Waits(clock)
        self.authority = Authority(clock)
        self.evidence = RecordedEvidence()
        self.served = ServedCertificate(self.evidence)
        self.store = CertificateStore(directory, sealer, DOMAIN, self.authority.source)
        self.log = NoLog()
        time = RenewalClock(unix=clock, sleep=self.waits.sleep, share=lambda: 0.0)
        self.renewal = Renewal(self.authority, self.store, self.served, time, self.log)
        self.task = asyncio.create_task(self.renewal.run())
        self.store_folder = directory
        self._registry = CollectorRegistry()
        AttestationMetrics(self._registry, self.served, AgentContact(clock), lambda: None)

    def metric(self, name: str) -> float:
        """What Prometheus is shown."""
        value = self._registry.get_sample_value(name)
        assert value is not None
        return value

    @property
    def leaf(self) -> bytes:
        (certificate,) = self.served.current
        return certificate.leaf_der

    async def until_due(self) -> None:
        """Let waits pass until the certificate is renewed or an attempt has failed."""
        asked = self.authority.asked
        while self.authority.asked == asked:
            await self.waits.pass_by()
            await asyncio.sleep(0)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


Start = Callable[[], Awaitable[Node]]


@pytest.fixture
async def start(tmp_path: Path, clock: FakeClock) -> object:
    started: list[Node] = []

    async def begin() -> Node:
        started.append(Node(tmp_path / "tls", clock))
        return started[-1]

    yield begin
    for node in started:
        await node.stop()


async def test_the_next_certificate_is_asked_for_at_two_thirds_of_its_life(start: Start, clock: FakeClock) -> None:
    node, began = await start(), clock.now
    await node.waits.waiting()
    first = node.leaf
    await node.until_due()
    await node.waits.waiting()
    assert node.leaf != first
    assert 59 * DAY_S < clock.now - began < 61 * DAY_S
    assert node.evidence.published == [first, node.leaf]


async def test_a_failed_renewal_leaves_the_certificate_and_is_tried_again_ever_more_slowly(
    start: Start, clock: FakeClock
) -> None:
    node = await start()
    node.authority.failures = []
    await node.waits.waiting()
    first = node.leaf
    node.authority.failures = [AttestError(AttestErrorCode.ACME, "refused") for _ in range(8)]
    await node.until_due()
    delays = [await node.waits.pass_by() for _ in range(7)]
    await node.waits.waiting()
    assert node.authority.failures == []
    assert delays == [120, 240, 480, 960, 1920, 3600, 3600]
    assert node.leaf == first
    assert node.served.problem == "no new certificate: acme"
    failed_at_s = clock.now
    assert node.metric("svc_certificate_renewal_failing") == 1.0
    await node.waits.pass_by()
    await node.waits.waiting()
    assert node.leaf != first
    assert node.metric("svc_certificate_renewal_failing") == 0.0
    assert node.metric("svc_certificate_last_failure_timestamp_seconds") == failed_at_s
    assert node.served.problem is None


async def test_metrics_tell_of_the_certificate_in_use_without_reading_it_again(start: Start, clock: FakeClock) -> None:
    node = await start()
    assert math.isnan(node.metric("svc_certificate_not_after_timestamp_seconds")), "there is none yet"
    await node.waits.waiting()
    (certificate,) = node.served.current
    (node.store_folder / FILE).unlink()
    assert node.metric("svc_certificate_not_after_timestamp_seconds") == certificate.not_after_s
    assert node.metric("svc_certificate_not_before_timestamp_seconds") == certificate.not_before_s
    assert node.metric("svc_certificate_renewal_failing") == 0.0
    assert math.isnan(node.metric("svc_certificate_last_failure_timestamp_seconds")), "none has failed"


async def test_a_clock_that_is_ahead_asks_for_no_certificate_after_the_other(start: Start, clock: FakeClock) -> None:
    node = await start()
    node.authority.behind_s = 61 * DAY_S
    delays = [await node.waits.pass_by() for _ in range(7)]
    assert delays == [120, 240, 480, 960, 1920, 3600, 3600]
    await node.waits.waiting()
    assert node.authority.asked == 8
    assert node.served.problem == "no new certificate: certificate"
    assert node.served.context is not None
    node.authority.behind_s = 0.0
    await node.waits.pass_by()
    await node.waits.waiting()
    assert node.served.problem is None


async def test_an_authority_that_asks_for_patience_gets_it(start: Start) -> None:
    node = await start()
    node.authority.failures = [AttestError(AttestErrorCode.ACME, "rateLimited", retry_after_s=7200)]
    assert await node.waits.waiting() == 7200


async def test_a_certificate_without_evidence_is_neither_served_nor_asked_for_again(start: Start) -> None:
    node = await start()
    node.evidence.failures = [AttestError(AttestErrorCode.UNREACHABLE, "no agent")]
    await node.waits.pass_by()
    await node.waits.waiting()
    assert node.authority.asked == 1
    assert node.evidence.published == [node.leaf]


async def test_while_evidence_is_being_made_the_old_certificate_serves(start: Start) -> None:
    node = await start()
    await node.waits.waiting()
    first, context = node.leaf, node.served.context
    node.evidence.ready.clear()
    node.evidence.asked.clear()
    await node.until_due()
    await node.evidence.asked.wait()
    assert (node.leaf, node.served.context) == (first, context)
    node.evidence.ready.set()
    await node.waits.waiting()
    assert node.leaf != first
    assert node.served.context is not context


async def test_a_restart_serves_what_is_stored_and_asks_nobody(start: Start) -> None:
    node = await start()
    await node.waits.waiting()
    await node.stop()
    again = await start()
    await again.waits.waiting()
    assert again.authority.asked == 0
    assert again.leaf == node.leaf
    assert again.evidence.accounts == node.evidence.accounts


async def test_a_crash_before_the_evidence_asks_for_no_second_certificate(start: Start) -> None:
    node = await start()
    node.evidence.ready.clear()
    await node.evidence.asked.wait()
    await node.stop()
    assert node.served.current == ()
    again = await start()
    await again.waits.waiting()
    assert again.authority.asked == 0


async def test_an_expired_certificate_is_not_taken_over(start: Start, clock: FakeClock) -> None:
    node = await start()
    await node.waits.waiting()
    await node.stop()
    clock.advance(LIFE_S + 1)
    again = await start()
    await again.waits.waiting()
    assert again.authority.asked == 1


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda _: b"",
    lambda content: content[: len(content) // 2],
    lambda content: content.replace(b'"sealed_key": "A', b'"sealed_key": "B'),
    lambda content: content.replace(DOMAIN.encode(), b"other.example.test"),
    lambda content: content.replace(b"an authority", b"another"),
    lambda content: b"\xff" + content,
    lambda _: b"[]",
]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_store_that_cannot_be_used_is_said_and_replaced(
    start: Start, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    node = await start()
    await node.waits.waiting()
    await node.stop()
    path = tmp_path / "tls" / FILE
    damaged = damage(path.read_bytes())
    assert damaged != path.read_bytes()
    path.write_bytes(damaged)
    again = await start()
    await again.waits.waiting()
    assert again.authority.asked == 1
    assert again.log.events[0][0] == "certificate_not_taken_over"
    assert again.store.load() is not None


async def test_another_enclave_root_cannot_open_the_stored_key(start: Start, tmp_path: Path, clock: FakeClock) -> None:
    node = await start()
    await node.waits.waiting()
    stranger = Node(tmp_path / "tls", clock, root=b"another")
    await stranger.waits.waiting()
    assert stranger.authority.asked == 1
    await stranger.stop()


async def test_a_disk_that_takes_nothing_keeps_no_certificate_from_being_served(start: Start, tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("a file where the directory should be")
    node = await start()
    await node.waits.waiting()
    assert node.leaf
    assert [event for event, _ in node.log.events] == [
        "certificate_not_taken_over",
        "certificate_not_kept",
        "certificate_served",
    ]


async def test_the_key_is_nowhere_in_the_directory_or_the_log(start: Start, tmp_path: Path) -> None:
    node = await start()
    await node.waits.waiting()
    stored = node.store.load()
    assert stored is not None
    pem = b"".join(stored.key.pem().splitlines()[1:-1])
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).replace(b"\\n", b"")
    assert b"PRIVATE KEY" not in written
    assert pem[:40] not in written
    assert "PRIVATE" not in str(node.log.events)
    assert (tmp_path / "tls" / FILE).stat().st_mode & 0o077 == 0


def _certificate(not_before_s: int, not_after_s: int) -> Certificate:
    return Certificate(DOMAIN, b"", b"", b"", not_before_s, not_after_s)


@given(begin=st.integers(0, 2**33), life_s=st.integers(60, 2**30), share=st.floats(0, 1))
def test_renewal_is_due_within_its_life_and_never_after_two_thirds_of_it(begin: int, life_s: int, share: float) -> None:
    due = renewal_due_s(_certificate(begin, begin + life_s), share)
    assert begin + life_s * 0.61 <= due <= begin + life_s * 2 / 3 + 1


@given(failures=st.integers(1, 10_000), asked=st.none() | st.floats(0, 1e12), share=st.floats(0, 1))
def test_a_pause_is_bounded_and_never_shorter_than_the_one_before(
    failures: int, asked: float | None, share: float
) -> None:
    delay = retry_delay_s(failures, asked, share)
    assert RETRY_MIN_S <= delay <= RETRY_AFTER_MAX_S * 1.25
    assert retry_delay_s(failures + 1, asked, share) >= delay
