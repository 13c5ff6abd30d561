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
from svc_verifier.material import CaaRecords, HttpResponse, Material, MaybeResponse, Missing, ProviderAnswers
from svc_verifier.trust import Freshness, Trust
from svc_verifier.worker import Claims, Worker

FOLDER = "/evidences/"
CHECKSUMS = "sha256sum.txt"
QUOTE = "quote.json"
NONCE_BYTES: Final = 32
ENDING_S: Final = 0.25
"""Seconds that each source gets less than all, so that replies before a late one are kept."""

Found = TypeVar("Found")
NO_CLAIMS: Final = Claims((), None, None, None)


def silent(step: str) -> None:
    """Progress that is not shown."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Dependencies of a verification. `nonce` draws 32 fresh bytes; `clock` is unix seconds.

    `proxy_url` is a proxy that carries tunnels (CONNECT) for the host, for https providers, and for
    the provisioning service, even by http; no proxy of the environment is used. `progress` is
    called with the present step, and with an empty text at the end.
    """

    collateral: CollateralSource
    nonce: Callable[[], bytes]
    clock: Callable[[], float]
    limits: GatheringLimits
    proxy_url: str | None = None
    progress: Callable[[str], None] = silent

    def __post_init__(self) -> None:
        # Here, so that a proxy is used for all however it was set.
        if self.proxy_url is not None:
            object.__setattr__(self, "collateral", through(self.collateral, self.proxy_url))


async def gather(
    address: HostAddress,
    trust: Trust,
    sources: Sources,
    held: HeldConnector | None = None,
    worker: Worker | None = None,
) -> Material:
    """Fetch everything within `look_timeout_s`, from the host over `held` alone if it is given.

    Failures are `Missing` in their places and never raised. `worker` reads what decides the next
    requests; one is started if none is given.
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
            # First, since all other responses must share the attestation's connection.
            attestation, nonce = await _attestation(host, nonce)
            info = await host.get("/info")
            evidences = await fetch_evidence(host, sources.limits)
            connections = host.connections
        late = Missing(f"not in {sources.limits.look_timeout_s:g} s (--timeout)")
        evidence = evidences if isinstance(evidences, Missing) else evidences.get(QUOTE, Missing(""))
        # Before anything is judged. A quote's names only decide the requests to Intel.
        claims = await _in_time(until_s, worker.claims(attestation, evidence), NO_CLAIMS)
        sources.progress("asking the chain's endpoints, the collateral's source and DNS")
        judging = Judging(worker, trust, until_s)
        fetched, providers, caa = await asyncio.gather(
            # Concurrently, with the time that is left, so that a silent source costs its own check.
            _in_time(until_s, gather_collateral(claims.quotes, sources.collateral, judging), Fetched(late)),
            _in_time(until_s, _providers(claims, trust, sources, until_s), tuple(late for _ in trust.rpc_urls)),
            _in_time(until_s, _caa(address, trust, sources), late),
        )
    finally:
        sources.progress("")
    return Material(
        host=address.name,
        # Read at the end, since evidence may have expired meanwhile.
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


def _listed(checksums: HttpResponse) -> list[str]:
    try:
        return [name for name in parse_checksums(checksums.body) if name not in {CHECKSUMS, QUOTE}]
    except VerifierError:
        return []


async def fetch_evidence(host: Host, limits: GatheringLimits) -> Mapping[str, MaybeResponse] | Missing:
    """Returns the files by name, with `Missing` for each failure."""
    checksums = await host.get(FOLDER + CHECKSUMS)
    if isinstance(checksums, Missing):
        return checksums
    files: dict[str, MaybeResponse] = {CHECKSUMS: checksums, QUOTE: await host.get(FOLDER + QUOTE)}
    # Files beyond the limit leave `evidence.checksums` undecided. A list bounds the requests.
    for name in _listed(checksums)[: limits.evidence_files]:
        files[name] = await host.get(FOLDER + name)
    return files


async def _in_time(until_s: float, work: Coroutine[None, None, Found], otherwise: Found) -> Found:
    """Returns a source's result; `otherwise` when it is late or a library fails."""
    try:
        async with asyncio.timeout_at(until_s):
            return await work
    except Exception:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
        return otherwise


async def _attestation(host: Host, nonce: bytes | None) -> tuple[MaybeResponse, bytes | None]:
    """Returns /attestation and the nonce, which a node that is too old does not take."""
    if nonce is not None:
        answer = await host.get(f"/attestation?nonce={nonce.hex()}")
        # 400 or 404 mean a node without nonces; 429 and 503 mean a busy one.
        if not isinstance(answer, HttpResponse) or answer.status not in {400, 404}:
            return answer, nonce
    return await host.get("/attestation"), None


async def _providers(
    claims: Claims, trust: Trust, sources: Sources, until_s: float
) -> tuple[ProviderAnswers | Missing, ...]:
    """Asks the chain about what the log claims was measured. The checks judge the claim."""
    if claims.compose_hash is None:
        return tuple(Missing("the node showed no compose hash to ask about") for _ in trust.rpc_urls)
    # The pinned one, else the one that the node names, for `init` to propose.
    contract = trust.accounts.contract if trust.accounts is not None else claims.contract
    subject = Subject(trust.app_id, trust.kms_contract, claims.compose_hash, claims.os_image_hash, contract)
    # A bit less than the time left, so that quick providers' replies survive a slow one.
    left_s = max(0.0, until_s - asyncio.get_running_loop().time() - ENDING_S)
    limits = replace(sources.limits, rpc_total_timeout_s=min(sources.limits.rpc_total_timeout_s, left_s))
    async with plain_session() as session:
        providers = [RpcProvider(session, url, limits, sources.proxy_url) for url in trust.rpc_urls]
        now_s = int(sources.clock()) if trust.development_root is None else None
        return await ask_providers(providers, subject, limits, now_s)


async def _caa(address: HostAddress, trust: Trust, sources: Sources) -> CaaRecords | Missing:
    if trust.development_root is not None:
        return Missing("DEV: not looked up")
    from svc_verifier.gathering.caa import look_up_caa  # noqa: PLC0415 - a tenth of a start under a development root

    # Python takes a fifth of a second for a response of 64 kB, which an attacker's zone can have. A
    # thread leaves the loop free.
    return await _in_thread(lambda: look_up_caa(address.name, sources.limits))


async def _in_thread(work: Callable[[], Coroutine[None, None, Found]]) -> Found:
    """Returns the result of `work` in a loop of its own, which ends when this is cancelled."""
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
    """Returns 32 unpredictable bytes."""
    return secrets.token_bytes(NONCE_BYTES)


def sources(
    collateral_url: str = INTEL_PCS,
    cache: Path | None = None,
    limits: GatheringLimits = DEFAULT_LIMITS,
    clock: Clock = time.time,
) -> Sources:
    """Returns sources with collateral of Intel or of a cache at `collateral_url`.

    The folder `cache`, if any, keeps it apart for each service, whose faults thus stay its own.
    """
    source: CollateralSource = ProvisioningService(limits, collateral_url)
    if cache is not None:
        folder = cache / hashlib.sha256(collateral_url.encode()).hexdigest()[:16]
        source = CachedCollateral(source, folder, limits, clock)
    return Sources(source, fresh_nonce, clock, limits)


def development_sources(root: Path, limits: GatheringLimits = DEFAULT_LIMITS, clock: Clock = time.time) -> Sources:
    """Returns DEV sources, with the simulator's collateral beside its root."""
    return Sources(CollateralFile(root.parent / "collateral.json"), fresh_nonce, clock, limits)
