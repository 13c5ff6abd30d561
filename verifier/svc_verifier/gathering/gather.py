"""Fetches everything the checks need from one host, its providers and Intel, each thing once."""

import asyncio
import contextlib
import hashlib
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from svc_verifier.errors import VerifierError
from svc_verifier.formats.addresses import INTEL_PCS, HostAddress
from svc_verifier.formats.certificate import parse_checksums
from svc_verifier.gathering.chain import RpcProvider, Subject, ask_providers
from svc_verifier.gathering.collateral import (
    CachedCollateral,
    Clock,
    CollateralFile,
    CollateralSource,
    Fetched,
    Judging,
    ProvisioningService,
    gather_collateral,
    through,
)
from svc_verifier.gathering.host import GatheringLimits, HeldConnector, Host, plain_session
from svc_verifier.material import Answer, CaaAnswer, Material, MaybeAnswer, Missing, ProviderAnswers
from svc_verifier.trust import Freshness, Trust
from svc_verifier.worker import Claims, Worker

FOLDER = "/evidences/"
CHECKSUMS = "sha256sum.txt"
QUOTE = "quote.json"
NONCE_BYTES: Final = 32
ENDING_S: Final = 0.25
"""Providers that answered are kept although another is late: each is waited for a little less than all of them."""

Found = TypeVar("Found")
NO_CLAIMS: Final = Claims((), None, None, None)


def silent(step: str) -> None:
    """Progress that nobody sees."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Dependencies of a look beside the host. `nonce` draws 32 fresh bytes; `clock` is unix seconds.

    `proxy_url` is a proxy that carries tunnels (CONNECT), for the host, for https providers of the chain, and for the provisioning
    service, be it of http; the environment names none. `progress` is called with what is waited for, and with an empty text at
    the end.
    """

    collateral: CollateralSource
    nonce: Callable[[], bytes]
    clock: Callable[[], float]
    limits: GatheringLimits
    proxy_url: str | None = None
    progress: Callable[[str], None] = silent

    def __post_init__(self) -> None:
        # Here, so that a proxy counts however it was named: nothing goes past it.
        if self.proxy_url is not None:
            object.__setattr__(self, "collateral", through(self.collateral, self.proxy_url))


async def gather(
    address: HostAddress,
    trust: Trust,
    sources: Sources,
    held: HeldConnector | None = None,
    worker: Worker | None = None,
) -> Material:
    """Fetch everything within `look_timeout_s`, from the host over `held` alone where it is given.

    What cannot be had is `Missing` in its place; nothing is raised for it. `worker` reads what decides whom to ask; one is
    started where none is given.
    """
    if worker is None:
        async with Worker() as own:
            return await gather(address, trust, sources, held, own)
    until_s = asyncio.get_running_loop().time() + sources.limits.look_timeout_s
    # First, so that it loads its modules while the host is asked.
    await worker.start()
    nonce = sources.nonce() if trust.freshness is Freshness.NONCE else None
    try:
        sources.progress(f"asking {address.name} for its evidence")
        async with Host(address, sources.limits, until_s, held, sources.proxy_url) as host:
            # The attestation first: the connection that carries it is the one the other answers must share.
            attestation, nonce = await _attestation(host, nonce)
            info = await host.get("/info")
            evidences = await fetch_evidence(host, sources.limits)
            connections = host.connections
        late = Missing(f"not in {sources.limits.look_timeout_s:g} s (--timeout)")
        evidence = evidences if isinstance(evidences, Missing) else evidences.get(QUOTE, Missing(""))
        # Before anything is judged: what a quote names decides only what to ask Intel for.
        claims = await _in_time(until_s, worker.claims(attestation, evidence), NO_CLAIMS)
        sources.progress("asking the chain's endpoints, the collateral's source and DNS")
        judging = Judging(worker, trust, until_s)
        fetched, providers, caa = await asyncio.gather(
            # Side by side, each with what is left of the time: a silent source costs its own check and no other.
            _in_time(until_s, gather_collateral(claims.quotes, sources.collateral, judging), Fetched(late)),
            _in_time(until_s, _providers(claims, trust, sources, until_s), tuple(late for _ in trust.rpc_urls)),
            _in_time(until_s, _caa(address, trust, sources), late),
        )
    finally:
        sources.progress("")
    return Material(
        host=address.name,
        # Read at the end: evidence that expired during the look has expired.
        now_s=int(sources.clock()),
        nonce=nonce,
        connections=connections,
        attestation=attestation,
        info=info,
        evidences=evidences,
        collateral=fetched.collateral,
        providers=providers,
        caa=caa,
        unreached=fetched.unreached,
    )


def _listed(checksums: Answer) -> list[str]:
    try:
        return [name for name in parse_checksums(checksums.body) if name not in {CHECKSUMS, QUOTE}]
    except VerifierError:
        return []


async def fetch_evidence(host: Host, limits: GatheringLimits) -> Mapping[str, MaybeAnswer] | Missing:
    """The files by name; a file that cannot be had is `Missing` in its place."""
    checksums = await host.get(FOLDER + CHECKSUMS)
    if isinstance(checksums, Missing):
        return checksums
    files: dict[str, MaybeAnswer] = {CHECKSUMS: checksums, QUOTE: await host.get(FOLDER + QUOTE)}
    # What is beyond the limit leaves `evidence.checksums` undecided: a list cannot be used to make many requests.
    for name in _listed(checksums)[: limits.evidence_files]:
        files[name] = await host.get(FOLDER + name)
    return files


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
        # Only a refusal of the parameter means a node without nonces; 429 and 503 mean one that is busy.
        if not isinstance(answer, Answer) or answer.status not in {400, 404}:
            return answer, nonce
    return await host.get("/attestation"), None


async def _providers(
    claims: Claims, trust: Trust, sources: Sources, until_s: float
) -> tuple[ProviderAnswers | Missing, ...]:
    """The chain is asked about what the log claims was measured; whether it was is for the checks to say."""
    if claims.compose_hash is None:
        return tuple(Missing("the node showed no compose hash to ask about") for _ in trust.rpc_urls)
    # The pinned one; the one that the node names where none is pinned, for `init` to propose.
    contract = trust.accounts.contract if trust.accounts is not None else claims.contract
    subject = Subject(trust.app_id, trust.kms_contract, claims.compose_hash, claims.os_image_hash, contract)
    # A little less than the look has left: answers of quick providers are then kept when a slow one runs out.
    left_s = max(0.0, until_s - asyncio.get_running_loop().time() - ENDING_S)
    limits = replace(sources.limits, rpc_total_timeout_s=min(sources.limits.rpc_total_timeout_s, left_s))
    async with plain_session() as session:
        providers = [RpcProvider(session, url, limits, sources.proxy_url) for url in trust.rpc_urls]
        now_s = int(sources.clock()) if trust.development_root is None else None
        return await ask_providers(providers, subject, limits, now_s)


async def _caa(address: HostAddress, trust: Trust, sources: Sources) -> CaaAnswer | Missing:
    if trust.development_root is not None:
        return Missing("DEV: not looked up")
    from svc_verifier.gathering.caa import look_up_caa  # noqa: PLC0415 - a tenth of a start under a development root

    # Python reads an answer of 64 kB, which a stranger's zone can have, in a fifth of a second: in a thread others run
    # meanwhile.
    return await _in_thread(lambda: look_up_caa(address.name, sources.limits))


async def _in_thread(work: Callable[[], Coroutine[None, None, Found]]) -> Found:
    """The result of `work` in a loop of its own, which ends when this is cancelled."""
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Found]]] = []

    async def noted() -> Found:
        task = asyncio.ensure_future(work())
        running.append((asyncio.get_running_loop(), task))
        return await task

    try:
        return await asyncio.to_thread(lambda: asyncio.run(noted()))
    except asyncio.CancelledError:
        for loop, task in running:
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(task.cancel)
        raise


DEFAULT_LIMITS = GatheringLimits()


def fresh_nonce() -> bytes:
    """32 bytes nobody could have guessed."""
    return secrets.token_bytes(NONCE_BYTES)


def sources(
    collateral_url: str = INTEL_PCS,
    cache: Path | None = None,
    limits: GatheringLimits = DEFAULT_LIMITS,
    clock: Clock = time.time,
) -> Sources:
    """Collateral from Intel or a cache of it at `collateral_url`, kept in the folder `cache` where one is named.

    Each service has a folder of its own in there: what one of them garbled or held back stays its own fault.
    """
    source: CollateralSource = ProvisioningService(limits, collateral_url)
    if cache is not None:
        folder = cache / hashlib.sha256(collateral_url.encode()).hexdigest()[:16]
        source = CachedCollateral(source, folder, limits, clock)
    return Sources(source, fresh_nonce, clock, limits)


def development_sources(root: Path, limits: GatheringLimits = DEFAULT_LIMITS, clock: Clock = time.time) -> Sources:
    """DEV: the simulator's collateral lies beside its root."""
    return Sources(CollateralFile(root.parent / "collateral.json"), fresh_nonce, clock, limits)
