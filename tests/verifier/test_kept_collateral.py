"""Collateral that is kept: verified before and after, asked for again rarely, and beyond a day only where nobody answers."""

import json
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest

from svc_verifier.bundle import dump_bundle, load_bundle
from svc_verifier.check import Verdict
from svc_verifier.gathering.collateral import ASKED_AGAIN_S, CachedCollateral, Fetched, Judging, gather_collateral
from svc_verifier.gathering.gather import sources
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.gathering.provisioning import UnansweredError
from svc_verifier.material import Missing, Platform
from svc_verifier.procedure import verify
from svc_verifier.rendering.text import summary
from svc_verifier.trust import TcbPolicy, Trust
from svc_verifier.worker import Worker
from tests.support.attested.cases.hardware import (
    Tamper,
    aged,
    all_aged,
    at,
    collateral,
    document,
    flipped,
    number,
    revocation_list,
)
from tests.support.attested.look import DAY_S, PLATFORM, Look, development_trust
from tests.support.attested.td import NOW_S, OTHER_SEED, Td
from tests.support.clock import FakeClock
from tests.support.provisioning import Service

LIMITS: Final = GatheringLimits()
QUOTE: Final = bytes.fromhex(Look().attestation["quote"])
FILE: Final = f"{PLATFORM[0]}-{PLATFORM[1]}.json"
NO_ANSWER: Final = UnansweredError("the provisioning service pccs.example is not reached: it cannot be connected to")


def given(*tampers: Tamper) -> str:
    """Collateral as a source gives it, changed."""
    look = Look()
    for tamper in tampers:
        tamper(look)
    return json.dumps(look.collateral)


GOOD: Final = given()
BAD: Final = given(collateral(tcb_info_signature="11" * 64))


Answer = str | LookupError | TimeoutError


@dataclass
class Source:
    """Gives its answers one after the other, and the last one for ever."""

    answers: list[Answer]
    asked: int = 0

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Cache:
    """A cache under test, at a time that the test moves."""

    folder: Path
    worker: Worker
    source: Source = field(default_factory=lambda: Source([GOOD]))
    clock: FakeClock = field(default_factory=lambda: FakeClock(float(NOW_S)))
    trust: Trust = field(default_factory=development_trust)

    async def look(self, *answers: Answer, quote: bytes = QUOTE) -> Fetched:
        """One verification's fetch, by a program of its own, with a source that gives these answers."""
        self.source = Source(list(answers))
        kept = CachedCollateral(self.source, self.folder, LIMITS, self.clock)
        return await gather_collateral([quote.hex()], kept, Judging(self.worker, self.trust))

    def keep(self, text: str, age_s: float = 0.0) -> None:
        """A file of before, unverified."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / FILE).write_text(text)
        os.utime(self.folder / FILE, (self.clock() - age_s,) * 2)

    @property
    def kept(self) -> str | None:
        """The file, as its writer wrote it."""
        path = self.folder / FILE
        return json.dumps(json.loads(path.read_text())) if path.exists() else None


@pytest.fixture
async def cache(tmp_path: Path) -> AsyncIterator[Cache]:
    async with Worker() as worker:
        yield Cache(tmp_path / "kept", worker)


def is_of(fetched: Fetched, text: str) -> bool:
    return fetched.collateral == {PLATFORM: json.dumps(json.loads(text))}


async def test_one_bad_answer_is_not_kept_and_a_good_one_takes_its_place_at_once(cache: Cache) -> None:
    assert is_of(await cache.look(BAD, GOOD), GOOD)
    assert (cache.source.asked, cache.kept) == (2, GOOD)


BADS: Final[dict[str, str]] = {
    "a flipped signature": BAD,
    "another FMSPC": given(document("tcb_info", lambda read: read.update(fmspc="00906ED50000"))),
    "another platform's maker": json.dumps(Td(seed=OTHER_SEED).collateral),
    "a PCK CRL of another CA": given(collateral(pck_crl=Look().collateral["root_ca_crl"])),
    "a signer who is revoked": given(revocation_list("root_ca_crl", "root", "tcb_signing")),
    "no TCB info": given(collateral(tcb_info=None)),
    "nothing that is JSON": "oops",
    "of another time": given(at(0), all_aged(0), document("tcb_info", lambda read: read.update(nextUpdate=read["issueDate"]))),
}  # fmt: skip


@pytest.mark.parametrize("name", BADS)
async def test_nothing_bad_is_kept_and_the_next_look_asks_anew(cache: Cache, name: str) -> None:
    if name == "of another time":
        cache.clock.advance(DAY_S)
    await cache.look(BADS[name])
    assert cache.source.asked == 2, "once again in one verification"
    assert cache.kept is None
    await cache.look(BADS[name])
    assert cache.source.asked == 1, "not again within five minutes"
    assert is_of(await cache.look(GOOD), GOOD)


@pytest.mark.parametrize("name", BADS)
async def test_what_is_bad_in_the_folder_is_replaced_when_it_is_read(cache: Cache, name: str) -> None:
    """Files of versions that verified nothing are there, and files may be damaged."""
    if name == "of another time":
        cache.clock.advance(DAY_S)
    cache.keep(BADS[name])
    assert is_of(await cache.look(GOOD), GOOD)
    assert (cache.source.asked, cache.kept) == (1, GOOD)


async def test_a_source_is_asked_again_once_in_five_minutes_a_family(cache: Cache) -> None:
    for wait_s, asked in ((0.0, 2), (1.0, 1), (ASKED_AGAIN_S - 2.0, 1), (1.0, 2), (1.0, 1)):
        cache.clock.advance(wait_s)
        await cache.look(BAD)
        assert cache.source.asked == asked


@pytest.mark.exhaustive
async def test_where_the_folder_cannot_be_written_a_program_still_asks_again_rarely(
    cache: Cache, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    source = Source([BAD])
    kept = CachedCollateral(source, tmp_path / "file" / "inside", LIMITS, cache.clock)
    for asked in (2, 3):
        await gather_collateral([QUOTE.hex()], kept, Judging(cache.worker, cache.trust))
        assert source.asked == asked


async def test_for_a_forged_quote_nobody_is_asked_again(cache: Cache) -> None:
    """Neither for a kept set, nor for a new one: a stranger would decide how often."""
    other = bytes.fromhex(Td(seed=OTHER_SEED).quote(bytes(64))["quote"])
    for forged in (flipped(QUOTE), other):
        await cache.look(BAD, quote=forged)
        assert (cache.source.asked, cache.kept) == (1, None)
    await cache.look(GOOD)
    for forged in (flipped(QUOTE), other):
        await cache.look(GOOD, quote=forged)
        assert (cache.source.asked, cache.kept) == (0, GOOD)
    cache.keep(BAD)
    await cache.look(GOOD, quote=flipped(QUOTE))
    assert (cache.source.asked, cache.kept) == (0, BAD)
    assert is_of(await cache.look(GOOD), GOOD)


@pytest.mark.exhaustive
async def test_what_the_policy_refuses_is_asked_for_again_once(cache: Cache) -> None:
    await cache.look(given(number(17)))
    cache.trust = development_trust(tcb=TcbPolicy(minimum_evaluation_number=18))
    assert is_of(await cache.look(given(number(17))), given(number(17)))
    assert cache.source.asked == 1
    await cache.look(given(number(18)))
    assert cache.source.asked == 0, "not again within five minutes"
    cache.clock.advance(ASKED_AGAIN_S)
    assert is_of(await cache.look(given(number(18))), given(number(18)))
    assert cache.kept == given(number(18))


async def test_a_set_is_used_for_a_day_without_a_question(cache: Cache) -> None:
    await cache.look(GOOD)
    cache.clock.advance(LIMITS.collateral_cache_s - 1)
    assert is_of(await cache.look(NO_ANSWER), GOOD)
    assert cache.source.asked == 0
    cache.clock.advance(1)
    newer = given(number(21))
    assert is_of(await cache.look(newer), newer)
    assert cache.kept == newer


async def test_beyond_a_day_a_kept_set_serves_where_nobody_answers_and_the_report_says_so(cache: Cache) -> None:
    await cache.look(GOOD)
    cache.clock.advance(2 * DAY_S)
    fetched = await cache.look(NO_ANSWER)
    assert is_of(fetched, GOOD)
    assert fetched.unreached == {PLATFORM: str(NO_ANSWER)}
    look = Look()
    material = replace(look.material(), unreached=fetched.unreached)
    for seen in (material, replace(load_bundle(dump_bundle(material)), replayed=False)):
        report = verify(seen, cache.trust)
        assert report.verdict is Verdict.ACCEPTED
        (check,) = (check for check in report.checks if check.id == "hardware.collateral")
        issued = json.loads(look.collateral["tcb_info"])["issueDate"]
        assert check.evidence["kept"] == f"kept from before, issued {issued}: {NO_ANSWER}"
        assert f"issued {issued}" in " ".join(summary(report, width=200).split())
    assert "unreached" not in dump_bundle(look.material())


def other_policy(policy: TcbPolicy) -> Callable[[Cache], None]:
    return lambda cache: setattr(cache, "trust", development_trust(tcb=policy))


TOO_OLD: Final[dict[str, tuple[float, Callable[[Cache], None]]]] = {
    "Intel's dates": (40 * DAY_S, other_policy(TcbPolicy(collateral_max_age_s=400 * DAY_S))),
    "the policy's age": (3 * DAY_S, other_policy(TcbPolicy(collateral_max_age_s=2 * DAY_S))),
    "the policy's number": (3 * DAY_S, other_policy(TcbPolicy(minimum_evaluation_number=90))),
}


@pytest.mark.parametrize("bound", TOO_OLD)
async def test_beyond_its_bounds_a_kept_set_serves_nobody(cache: Cache, bound: str) -> None:
    await cache.look(GOOD)
    wait_s, change = TOO_OLD[bound]
    cache.clock.advance(wait_s)
    change(cache)
    assert await cache.look(NO_ANSWER) == Fetched(Missing(str(NO_ANSWER)))
    assert cache.kept == GOOD, "what is at fault is the policy or the clock"


@pytest.mark.parametrize("answer", [LookupError("a web page"), BAD])
async def test_beyond_a_day_a_kept_set_serves_not_where_the_answer_is_bad(cache: Cache, answer: Answer) -> None:
    await cache.look(GOOD)
    cache.clock.advance(2 * DAY_S)
    fetched = await cache.look(answer, answer, NO_ANSWER)
    assert not is_of(fetched, GOOD)
    assert not fetched.unreached


async def test_no_set_below_the_highest_number_seen_serves_or_is_kept(cache: Cache) -> None:
    old, new = given(number(18)), given(number(19))
    await cache.look(old)
    cache.clock.advance(LIMITS.collateral_cache_s)
    await cache.look(new)
    cache.clock.advance(LIMITS.collateral_cache_s)
    rolled_back = await cache.look(old)
    assert isinstance(rolled_back.collateral, Missing)
    assert "number 18" in rolled_back.collateral.why
    assert "19 was seen before" in rolled_back.collateral.why
    assert cache.kept == new
    cache.keep(old, age_s=2 * DAY_S)
    assert isinstance((await cache.look(NO_ANSWER)).collateral, Missing)
    cache.keep(old)
    assert is_of(await cache.look(new), new)


@pytest.mark.parametrize("lost", ["damaged", "ended"])
async def test_the_highest_number_outlives_the_set_that_had_it(cache: Cache, lost: str) -> None:
    await cache.look(given(number(19)))
    if lost == "damaged":
        cache.keep("oops")
    else:
        cache.clock.advance(40 * DAY_S)
    issued_s = int(cache.clock()) - NOW_S
    old = given(
        number(18),
        *(aged(name, issued_s, 0) for name in ("tcb_info", "qe_identity")),
        *(document(name, lambda read: read.update(nextUpdate="2027-01-30T00:00:00Z")) for name in ("tcb_info", "qe_identity")),
        revocation_list("pck_crl", "pck_ca", issued_s=NOW_S + issued_s),
        revocation_list("root_ca_crl", "root", issued_s=NOW_S + issued_s),
    )  # fmt: skip
    fetched = await cache.look(old)
    assert isinstance(fetched.collateral, Missing)
    assert "19 was seen before" in fetched.collateral.why


async def test_two_quotes_of_one_platform_ask_a_source_that_does_not_answer_once(cache: Cache) -> None:
    source = Source([NO_ANSWER])
    kept = CachedCollateral(source, cache.folder, LIMITS, cache.clock)
    await gather_collateral([QUOTE.hex(), QUOTE.hex()], kept, Judging(cache.worker, cache.trust))
    assert source.asked == 1


@pytest.mark.exhaustive
async def test_in_one_verification_a_source_is_asked_again_once_whatever_families_are_shown(cache: Cache) -> None:
    source = Source([BAD])
    kept = CachedCollateral(source, cache.folder, LIMITS, cache.clock)
    judging = Judging(cache.worker, cache.trust)
    (raw, platform), *_ = await cache.worker.platforms([QUOTE.hex()])
    for family, asked in ((platform.fmspc, 2), ("00906ED50000", 3)):
        await kept.fetch_judged(raw, replace(platform, fmspc=family), judging)
        assert source.asked == asked


@pytest.mark.exhaustive
async def test_what_one_service_gave_is_not_kept_for_another(cache: Cache) -> None:
    """What a hostile service holds back must not be met by a run that asks Intel."""
    async with Service().running() as hostile, Service().running() as honest:
        for service in (hostile, honest, hostile, honest):
            asked = sources(service.url, cache.folder, clock=cache.clock)
            fetched = await gather_collateral([QUOTE.hex()], asked.collateral, Judging(cache.worker, cache.trust))
            assert not isinstance(fetched.collateral, Missing)
        assert len(hostile.asked) == len(honest.asked) == 4, "one request for each document"
    (folder, _) = cache.folder.iterdir()
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.exhaustive
async def test_a_time_in_the_future_of_a_file_is_no_reason_to_use_it(cache: Cache) -> None:
    cache.keep(GOOD, age_s=-3_600)
    await cache.look(GOOD)
    assert cache.source.asked == 1


async def test_a_look_that_ends_leaves_time_to_use_what_was_kept(cache: Cache) -> None:
    """A source that hangs until the look's deadline has given no answer."""
    await cache.look(GOOD)
    cache.clock.advance(2 * DAY_S)
    fetched = await cache.look(TimeoutError())
    assert is_of(fetched, GOOD)
    assert "--timeout" in fetched.unreached[PLATFORM]
