"""One look at one host: everything that the checks need, fetched once."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError
from svc_verifier.formats.boot import BootIdentity, boot_identity
from svc_verifier.formats.event_log import parse_event_log
from svc_verifier.formats.quote_answer import QuoteAnswer, parse_quote_answer
from svc_verifier.formats.strict_json import parse_json_object
from svc_verifier.gathering.chain import Subject, ask_endpoints
from svc_verifier.gathering.collateral import CollateralSource, fetch_collateral
from svc_verifier.gathering.evidence_files import QUOTE, fetch_evidence
from svc_verifier.gathering.host import Host, plain_session
from svc_verifier.gathering.limits import GatheringLimits
from svc_verifier.gathering.rpc import RpcEndpoint
from svc_verifier.host_address import HostAddress
from svc_verifier.material import Answer, CaaAnswer, EndpointAnswers, Material, MaybeAnswer, Missing
from svc_verifier.trust import Freshness, Trust

NONCE_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Sources:
    """What a look depends on beside the host. `nonce` draws 32 fresh bytes; `clock` is unix seconds."""

    collateral: CollateralSource
    nonce: Callable[[], bytes]
    clock: Callable[[], float]
    limits: GatheringLimits


async def gather(address: HostAddress, trust: Trust, sources: Sources) -> Material:
    """Fetch everything. What cannot be had is `Missing` in its place; nothing is raised for it."""
    nonce = sources.nonce() if trust.freshness is Freshness.NONCE else None
    async with Host(address, sources.limits) as host:
        attestation, nonce = await _attestation(host, nonce)
        info = await host.get("/info")
        evidences = await fetch_evidence(host, sources.limits)
        connections = host.connections
    shown = _answer(attestation, "/attestation")
    evidence = _answer(evidences.get(QUOTE, Missing("")), QUOTE) if not isinstance(evidences, Missing) else None
    quotes = [answer.quote for answer in (shown, evidence) if answer is not None]
    collateral, endpoints, caa = await asyncio.gather(
        fetch_collateral(quotes, sources.collateral),
        _endpoints(shown, trust, sources),
        _caa(address, trust, sources),
    )
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
    shown: QuoteAnswer | None, trust: Trust, sources: Sources
) -> tuple[EndpointAnswers | Missing, ...]:
    """The chain is asked about what the log claims was measured; whether it was is for the checks to say."""
    claimed = _claimed(shown)
    if claimed is None:
        return tuple(Missing("the node showed no compose hash to ask about") for _ in trust.rpc_urls)
    subject = Subject(trust.app_id, trust.kms_contract, claimed.compose_hash, _os_image_hash(shown))
    async with plain_session() as session:
        endpoints = [RpcEndpoint(session, url, sources.limits) for url in trust.rpc_urls]
        now_s = int(sources.clock()) if trust.development_root is None else None
        return await ask_endpoints(endpoints, subject, sources.limits, now_s)


def _claimed(shown: QuoteAnswer | None) -> BootIdentity | None:
    try:
        return boot_identity(parse_event_log(shown.event_log)) if shown is not None else None
    except VerifierError:
        return None


def _os_image_hash(shown: QuoteAnswer | None) -> bytes | None:
    try:
        stated = parse_json_object(shown.vm_config, "vm_config", 262_144, 16) if shown is not None else {}
        digits = stated.get("os_image_hash")
        return bytes.fromhex(digits) if isinstance(digits, str) else None
    except (VerifierError, ValueError):
        return None


async def _caa(address: HostAddress, trust: Trust, sources: Sources) -> CaaAnswer | Missing:
    if trust.development_root is not None:
        return Missing("DEV: not looked up")
    from svc_verifier.gathering.caa import look_up_caa  # noqa: PLC0415 - a tenth of a start under a development root

    return await look_up_caa(address.name, sources.limits)
