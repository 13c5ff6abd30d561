"""No provider chooses the block for the others: revoked code stays revoked, whatever one of them announces."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import pytest

from svc_verifier.chain.contracts import LAG_S
from svc_verifier.check import Check, Status
from svc_verifier.checks.governance import agreed_chain, check_governance
from svc_verifier.checks.identity import Identity
from svc_verifier.formats.addresses import is_rpc_url, rpc_host
from svc_verifier.gathering.chain import RpcProvider, Subject, ask_providers
from svc_verifier.gathering.host import GatheringLimits, plain_session
from svc_verifier.trust import Trust
from tests.support import lies
from tests.support.attested.td import APP_ID, NOW_S
from tests.support.rpc_proxy import RpcProxy
from tests.support.told_chain import BLOCK_S, CHAIN_ID, HEAD, HONEST, REVOKED, Told

COMPOSE_HASH: Final = bytes.fromhex("c0" * 32)


@asynccontextmanager
async def running(told: Sequence[Told]) -> AsyncIterator[list[str]]:
    async with AsyncExitStack() as stack:
        urls = []
        for each in told:
            proxy = await stack.enter_async_context(RpcProxy(None).running())
            proxy.behaviour = lies.per_call(each)
            urls.append(proxy.url)
        yield urls


async def judged(*told: Told) -> dict[str, Check]:
    """What the governance checks say of these providers, which are asked over HTTP."""
    async with running(told) as urls, plain_session() as session:
        limits = GatheringLimits()
        providers = [RpcProvider(session, url, limits) for url in urls]
        answers = await ask_providers(providers, Subject(APP_ID, None, COMPOSE_HASH, None), limits, NOW_S)
    trust = Trust(host="node.example", app_id=APP_ID, chain_id=CHAIN_ID, rpc_urls=tuple(urls))
    outcome = check_governance(agreed_chain(answers, trust, NOW_S), Identity(APP_ID, COMPOSE_HASH, None), trust)
    return {check.id: check for check in outcome.checks}


async def test_honest_endpoints_that_differ_by_some_blocks_tell_of_the_revocation() -> None:
    checks = await judged(HONEST, Told(head=HEAD - 5), Told(head=HEAD + 1))
    assert checks["governance.endpoints"].status is Status.PASSED
    assert checks["governance.compose-allowed"].status is Status.FAILED


PAST: Final = REVOKED - 10
LIARS: Final = {
    "an old head, honestly old": Told(head=PAST),
    "an old head, said to be new": Told(head=PAST, head_time_s=NOW_S),
    "an old head and times to match": Told(head=PAST, shift_s=(HEAD - PAST) * BLOCK_S),
    "an old head with other hashes": Told(head=PAST, head_time_s=NOW_S, other_hashes=True),
    "an absurdly high head": Told(head=10**15, head_time_s=NOW_S),
    "an absurdly high head, a little ahead": Told(head=10**15, head_time_s=NOW_S + 59),
    "an absurdly high head of the future": Told(head=10**15),
    "a head of the future": Told(head_time_s=NOW_S + 10**6),
    "a head and blocks of the future": Told(shift_s=10**6),
    "an approval that is none": Told(allowed=True),
    "an approval that is none, and a high head": Told(head=10**15, head_time_s=NOW_S, allowed=True),
    "an approval that is none, and old blocks": Told(head=10**15, head_time_s=NOW_S, allowed=True, shift_s=-5_000),
    "another chain": Told(chain_id=1),
    "genesis": Told(head=0),
    "a height without end": Told(head=(1 << 60) - 1, head_time_s=NOW_S),
}
HARMLESS: Final = {"an absurdly high head", "an absurdly high head, a little ahead", "a height without end"}
"""These tell the truth but for their height, which chooses nothing."""


@pytest.mark.parametrize("name", LIARS)
@pytest.mark.parametrize("liar_first", [True, False])
async def test_one_liar_of_two_gets_revoked_code_nowhere(name: str, *, liar_first: bool) -> None:
    told = (LIARS[name], HONEST) if liar_first else (HONEST, LIARS[name])
    checks = await judged(*told)
    truthful = name in HARMLESS
    expected = Status.FAILED if truthful else Status.UNKNOWN
    assert checks["governance.compose-allowed"].status is expected, checks["governance.endpoints"].why
    if not truthful:
        named = {checks["governance.endpoints"].status, checks["governance.chain"].status}
        assert Status.UNKNOWN in named, "it is no fault of the host"
        assert Status.FAILED not in named
        assert "127.0.0.1:" in checks["governance.endpoints"].why + checks["governance.chain"].why


@pytest.mark.parametrize("name", LIARS)
async def test_one_liar_of_three_makes_no_honest_endpoint_late(name: str) -> None:
    """Revoked code is never allowed, and only the lying provider is reported as late or early."""
    for place in range(3):
        told = [HONEST, HONEST, HONEST]
        told[place] = LIARS[name]
        checks = await judged(*told)
        assert checks["governance.compose-allowed"].status in {Status.FAILED, Status.UNKNOWN}
        if LIARS[name].head_time_s is None and LIARS[name].head in {PAST, 10**15, 0} and not LIARS[name].shift_s:
            assert checks["governance.compose-allowed"].status is Status.FAILED, "the other two agree"


RECENT: Final = HEAD - 20
"""Taken back 40 s ago, within the time by which a provider may be behind."""


@pytest.mark.parametrize("slow_first", [True, False])
@pytest.mark.parametrize("behind", [19, 30, 55])
async def test_an_endpoint_that_stays_seconds_behind_does_not_hide_a_revocation(
    behind: int, *, slow_first: bool
) -> None:
    slow, quick = Told(head=HEAD - behind, revoked=RECENT), Told(revoked=RECENT)
    checks = await judged(*((slow, quick) if slow_first else (quick, slow)))
    providers = checks["governance.endpoints"]
    assert providers.status is Status.UNKNOWN
    assert "compose hash is not approved at its newest block" in providers.why
    assert checks["governance.compose-allowed"].status is Status.UNKNOWN


async def test_a_revocation_is_hidden_only_where_every_endpoint_is_behind_it_and_for_two_minutes_at_most() -> None:
    """docs/verifying.md says so."""
    behind = [Told(head=HEAD - blocks, revoked=RECENT) for blocks in (30, 40)]
    checks = await judged(*behind)
    assert checks["governance.compose-allowed"].status is Status.PASSED
    late = [Told(head=HEAD - blocks, revoked=RECENT) for blocks in (30, 30 + LAG_S // BLOCK_S + 1)]
    assert (await judged(*late))["governance.endpoints"].status is Status.UNKNOWN


async def test_a_development_chain_has_a_clock_of_its_own() -> None:
    async with running((HONEST, HONEST)) as urls, plain_session() as session:
        providers = [RpcProvider(session, url, GatheringLimits()) for url in urls]
        answers = await ask_providers(providers, Subject(APP_ID, None, COMPOSE_HASH, None), GatheringLimits(), None)
    assert {type(answer).__name__ for answer in answers} == {"ProviderAnswers"}


SAME_HOST: Final = (
    ("https://rpc.example", "https://RPC.Example/"),
    ("https://rpc.example", "https://rpc.example:443/key"),
    ("http://rpc.example:80", "http://rpc.example/"),
    ("https://rpc.example/one", "https://rpc.example/two?key=x#y"),
    ("https://rpc.example", "https://user:secret@rpc.example"),
    ("https://rpc.example", "https://rpc.example."),
    ("https://bücher.example", "https://xn--bcher-kva.example"),
    ("https://BÜCHER.example", "https://bücher.example"),
    ("http://[::1]:8545", "http://[0:0:0:0:0:0:0:1]:8545"),
)


@pytest.mark.parametrize(("one", "other"), SAME_HOST)
async def test_one_endpoint_written_in_two_ways_is_one(one: str, other: str) -> None:
    assert is_rpc_url(one)
    assert rpc_host(one) == rpc_host(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://rpc.example", "https://rpc.example:8443"),
        ("https://rpc.example", "https://rpc2.example"),
        ("https://[::1]", "https://[::2]"),
    ],
)
def test_two_hosts_are_two(one: str, other: str) -> None:
    assert rpc_host(one) != rpc_host(other)


@pytest.mark.parametrize(
    "text", ["https://a..b", "https://", "ftp://a", "https://" + "a" * 70, "https://[::1", "https://a:0"]
)
def test_what_is_no_url_of_a_host_is_refused(text: str) -> None:
    assert not is_rpc_url(text)
    assert rpc_host(text) == ""


async def test_the_same_endpoint_twice_is_one_and_decides_nothing() -> None:
    async with running((HONEST,)) as (url,), plain_session() as session:
        limits = GatheringLimits()
        both = [RpcProvider(session, each, limits) for each in (url, url.replace("//", "//user:key@") + "/path")]
        answers = await ask_providers(both, Subject(APP_ID, None, COMPOSE_HASH, None), limits, NOW_S)
    trust = Trust(host="node.example", app_id=APP_ID, chain_id=CHAIN_ID, rpc_urls=(url, f"{url}/path"))
    check = agreed_chain(answers, trust, NOW_S).checks[1]
    assert (check.id, check.status) == ("governance.endpoints", Status.UNKNOWN)
