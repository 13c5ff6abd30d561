"""Fetches everything the checks need from one host, its endpoints and Intel, each thing once."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from svc_verifier.addresses import HostAddress
from svc_verifier.errors import VerifierError
from svc_verifier.formats.attested_config import parse_attested_config
from svc_verifier.formats.event_log import BootIdentity, boot_identity, parse_event_log
from svc_verifier.formats.quote import QuoteAnswer, parse_quote_answer
from svc_verifier.gathering.chain import RpcEndpoint, Subject, ask_endpoints
from svc_verifier.gathering.collateral import CollateralSource, fetch_collateral
from svc_verifier.gathering.host import QUOTE, HeldConnector, Host, fetch_evidence, plain_session
from svc_verifier.gathering.limits import GatheringLimits
from svc_verifier.material import Answer, CaaAnswer, EndpointAnswers, Material, MaybeAnswer, Missing
from svc_verifier.os_image.vm_config import parse_vm_config
from svc_verifier.trust import Freshness, Trust

NONCE_BYTES: Final = 32
ENDING_S: Final = 0.25
"""Endpoints that answered are kept although another is late: each is waited for a little less than all of them."""

Found = TypeVar("Found")


def silent(step: str) -> None:
    """Progress that nobody sees."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Dependencies of a look beside the host. `nonce` draws 32 fresh bytes; `clock` is unix seconds.

    `proxy_url` is a proxy for the host and for https endpoints of the chain; the environment names none. `progress` is called with
    what is waited for, and with an empty text at the end.
    """

    collateral: CollateralSource
    nonce: Callable[[], bytes]
    clock: Callable[[], float]
    limits: GatheringLimits
    proxy_url: str | None = None
    progress: Callable[[str], None] = silent


async def gather(address: HostAddress, trust: Trust, sources: Sources, held: HeldConnector | None = None) -> Material:
    """Fetch everything within `look_timeout_s`, from the host over `held` alone where it is given.

    What cannot be had is `Missing` in its place; nothing is raised for it.
    """
    until_s = asyncio.get_running_loop().time() + sources.limits.look_timeout_s
    nonce = sources.nonce() if trust.freshness is Freshness.NONCE else None
    try:
        sources.progress(f"asking {address.name} for its evidence")
        async with Host(address, sources.limits, until_s, held, sources.proxy_url) as host:
            attestation, nonce = await _attestation(host, nonce)
            info = await host.get("/info")
            evidences = await fetch_evidence(host, sources.limits)
            connections = host.connections
        shown = _answer(attestation, "/attestation")
        evidence = _answer(evidences.get(QUOTE, Missing("")), QUOTE) if not isinstance(evidences, Missing) else None
        quotes = [answer.quote for answer in (shown, evidence) if answer is not None]
        sources.progress("asking the chain's endpoints, the collateral's source and DNS")
        late = Missing(f"not in {sources.limits.look_timeout_s:g} s (--timeout)")
        collateral, endpoints, caa = await asyncio.gather(
            _in_time(until_s, fetch_collateral(quotes, sources.collateral), late),
            _in_time(until_s, _endpoints(shown, trust, sources, until_s), tuple(late for _ in trust.rpc_urls)),
            _in_time(until_s, _caa(address, trust, sources), late),
        )
    finally:
        sources.progress("")
    return Material(
        host=address.name,
        now_s=int(sources.clock()),
        nonce=nonce,
        connections=connections,
        attestation=attestation,
        info=info,
        evidences=evidences,
        collateral=collateral,
        endpoints=endpoints,
        caa=caa,
    )


async def _in_time(until_s: float, work: Coroutine[None, None, Found], otherwise: Found) -> Found:
    """Return what a source gives until then; `otherwise` where it is late, or a library fails over what it sent."""
    try:
        async with asyncio.timeout_at(until_s):
            return await work
    except Exception:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
        return otherwise


async def _attestation(host: Host, nonce: bytes | None) -> tuple[MaybeAnswer, bytes | None]:
    """With a nonce; a node too old for one is asked without, which the report then says."""
    if nonce is not None:
        answer = await host.get(f"/attestation?nonce={nonce.hex()}")
        if not isinstance(answer, Answer) or answer.status not in {400, 404}:
            return answer, nonce
    return await host.get("/attestation"), None


def _answer(answer: MaybeAnswer, what: str) -> QuoteAnswer | None:
    try:
        return parse_quote_answer(answer.body, what) if isinstance(answer, Answer) else None
    except VerifierError:
        return None


async def _endpoints(
    shown: QuoteAnswer | None, trust: Trust, sources: Sources, until_s: float
) -> tuple[EndpointAnswers | Missing, ...]:
    """The chain is asked about what the log claims was measured; whether it was is for the checks to say."""
    claimed = _claimed(shown)
    if claimed is None:
        return tuple(Missing("the node showed no compose hash to ask about") for _ in trust.rpc_urls)
    contract = _account_contract(shown, trust)
    subject = Subject(trust.app_id, trust.kms_contract, claimed.compose_hash, _os_image_hash(shown), contract)
    left_s = max(0.0, until_s - asyncio.get_running_loop().time() - ENDING_S)
    limits = replace(sources.limits, rpc_total_timeout_s=min(sources.limits.rpc_total_timeout_s, left_s))
    async with plain_session() as session:
        endpoints = [RpcEndpoint(session, url, limits, sources.proxy_url) for url in trust.rpc_urls]
        now_s = int(sources.clock()) if trust.development_root is None else None
        return await ask_endpoints(endpoints, subject, limits, now_s)


def _account_contract(shown: QuoteAnswer | None, trust: Trust) -> bytes | None:
    """The pinned one; the one that the node names where none is pinned, for `init` to propose."""
    if trust.accounts is not None:
        return trust.accounts.contract
    try:
        return parse_attested_config(shown.statement).contract if shown is not None and shown.statement else None
    except VerifierError:
        return None


def _claimed(shown: QuoteAnswer | None) -> BootIdentity | None:
    try:
        return boot_identity(parse_event_log(shown.event_log)) if shown is not None else None
    except VerifierError:
        return None


def _os_image_hash(shown: QuoteAnswer | None) -> bytes | None:
    try:
        return parse_vm_config(shown.vm_config).os_image_hash if shown is not None else None
    except VerifierError:
        return None


async def _caa(address: HostAddress, trust: Trust, sources: Sources) -> CaaAnswer | Missing:
    if trust.development_root is not None:
        return Missing("DEV: not looked up")
    from svc_verifier.gathering.host import look_up_caa  # noqa: PLC0415 - a tenth of a start under a development root

    return await look_up_caa(address.name, sources.limits)
