"""The node loads a sidecar's certificate files only when certificate and key form a pair."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from attest.certificates.credentials import Credentials
from attest.certificates.files import FILE_MAX_BYTES, CertificateFiles, FileWatch
from attest.certificates.renewal import RenewalClock, SelfSigned
from attest.certificates.serving import ServedCertificate
from tests.support.clock import FakeClock, Waits
from tests.support.pebble import DOMAIN
from tests.support.tls import NoLog, RecordedEvidence


class Watched:
    """Two files, and the node that watches them."""

    def __init__(self, directory: Path, clock: FakeClock) -> None:
        self.files = CertificateFiles(directory / "fullchain.pem", directory / "privkey.pem")
        self.evidence = RecordedEvidence()
        self.served = ServedCertificate(self.evidence)
        self.waits, self.log = Waits(clock), NoLog()
        time = RenewalClock(unix=clock, sleep=self.waits.sleep)
        watch = FileWatch(self.files, DOMAIN, self.served, time, self.log)
        self.task = asyncio.create_task(watch.run())

    def write(self, chain: Credentials, key: Credentials) -> None:
        self.files.chain.write_bytes(chain.certificate.chain_pem)
        self.files.key.write_bytes(key.key.pem())

    async def look(self) -> None:
        """Let the watch look once more, whole."""
        await self.waits.pass_by()
        await self.waits.waiting()

    @property
    def leaves(self) -> list[bytes]:
        return [each.leaf_der for each in self.served.current]


@pytest.fixture
async def watched(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Watched]:
    watched = Watched(tmp_path, clock)
    await watched.waits.waiting()
    yield watched
    watched.task.cancel()
    await asyncio.gather(watched.task, return_exceptions=True)


async def test_files_that_come_later_are_served_then(watched: Watched, credentials: Credentials) -> None:
    assert watched.leaves == []
    watched.write(credentials, credentials)
    await watched.look()
    assert watched.leaves == [credentials.certificate.leaf_der]
    assert [json.loads(account) for account in watched.evidence.accounts] == [{"uri": "files"}]


async def test_half_of_a_change_is_not_taken_over_the_whole_is(
    watched: Watched, credentials: Credentials, issuer: SelfSigned
) -> None:
    watched.write(credentials, credentials)
    await watched.look()
    following = await issuer.issue()
    watched.write(following, credentials)
    await watched.look()
    assert watched.leaves == [credentials.certificate.leaf_der]
    assert watched.served.problem is not None
    watched.write(following, following)
    await watched.look()
    assert watched.leaves == [following.certificate.leaf_der]
    assert watched.served.problem is None


async def test_files_that_vanish_or_are_nonsense_leave_what_is_served_and_are_said_once(
    watched: Watched, credentials: Credentials
) -> None:
    watched.write(credentials, credentials)
    await watched.look()
    for content in (b"", b"nonsense", b"x" * (FILE_MAX_BYTES + 1), None):
        if content is None:
            watched.files.key.unlink()
        else:
            watched.files.key.write_bytes(content)
        before = len(watched.log.events)
        await watched.look()
        await watched.look()
        assert watched.leaves == [credentials.certificate.leaf_der]
        assert len(watched.log.events) - before <= 1
    assert "PRIVATE" not in str(watched.log.events)


async def test_a_certificate_of_another_name_is_refused(watched: Watched, clock: FakeClock) -> None:
    other = await SelfSigned("other.example.test", 86_400.0, clock).issue()
    watched.write(other, other)
    await watched.look()
    assert watched.leaves == []
    assert f"not for {DOMAIN}" in str(watched.log.events)


async def test_evidence_of_a_certificate_that_is_gone_is_not_waited_for(
    watched: Watched, credentials: Credentials, issuer: SelfSigned
) -> None:
    watched.evidence.ready.clear()
    watched.write(credentials, credentials)
    await watched.waits.pass_by()
    await watched.evidence.asked.wait()
    following = await issuer.issue()
    watched.write(following, following)
    await watched.waits.pass_by()
    await watched.waits.waiting()
    assert watched.leaves == []
    watched.evidence.ready.set()
    await watched.look()
    assert watched.leaves == [following.certificate.leaf_der]
    assert watched.evidence.published == [following.certificate.leaf_der]
