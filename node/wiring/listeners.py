"""The listeners of one node for metrics, HTTP, and HTTPS with its certificate."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from aiohttp import web
from prometheus_client import CollectorRegistry

from attest.certificates.acme_issuer import AcmeIssuer
from attest.certificates.challenges import Challenge, DnsHookSolver, HttpSolver, Solver, TlsAlpnSolver, TlsFront
from attest.certificates.files import CertificateFiles, FileWatch
from attest.certificates.port import Evidence
from attest.certificates.renewal import (
    FIRST_WAIT_S,
    RETRY_MIN_S,
    SELF_SIGNED_LIFE_S,
    CertificateStore,
    Issuer,
    Renewal,
    RenewalClock,
    SelfSigned,
)
from attest.certificates.serving import ServedCertificate
from node.errors import StartupRefusedError
from node.http.listener import PlainListener, TlsListener
from node.http.plain_port import create_metrics_application, create_plain_application
from node.http.protocol import NodeRunner
from node.http.rate import ClientAddresses, Proxies
from node.http.server import create_runner
from node.keyring.port import Keyring
from node.runtime.tls_trust import own_trust
from node.settings import Settings


def announcing_proxies(settings: Settings) -> Proxies:
    """Returns the proxies that send a PROXY header. Raises StartupRefusedError if none is named."""
    if not settings.proxy_protocol:
        return Proxies()
    if not settings.trusted_proxies:
        raise StartupRefusedError("trusted_proxies", "must name the proxies where `proxy_protocol` is on.")
    return Proxies(settings.trusted_proxies)


def client_addresses(settings: Settings) -> ClientAddresses:
    """Returns the rule that finds a request's client address."""
    # A PROXY protocol proxy passes bytes through, so that a client could write the forwarding
    # header itself. Ignore the header then.
    networks = () if settings.proxy_protocol else settings.trusted_proxies
    return ClientAddresses(networks, settings.forwarding_header)


STORE: Final = "tls"
"""Directory of the certificate in the data directory."""
DEFAULT_HTTPS_PORT: Final = 443


def insecure_certificate(settings: Settings) -> Sequence[str]:
    """Returns the announcement of a node with a self-signed certificate."""
    if settings.certificate_mode != "self-signed":
        return ()
    return ("certificate_mode = self-signed: no authority signed the certificate of this node",)


class Https:
    """The certificate of `settings.domain` and the HTTPS listener, for a set `certificate_mode`.

    Raises StartupRefusedError naming the missing setting.
    """

    def __init__(self, settings: Settings, evidence: Evidence, keyring: Keyring, instance: str) -> None:
        _require(settings)
        self._settings = settings
        self._keyring = keyring
        self._instance = instance
        self._log = structlog.get_logger("node.wiring.listeners").bind()
        self._tls_alpn = TlsAlpnSolver()
        self._http = HttpSolver(keyring.acme_account_key())
        self.served = ServedCertificate(evidence)
        """Certificate of new connections."""

    @property
    def public_url(self) -> str:
        """URL under which clients reach the node, without a path."""
        domain, port = self._settings.domain, self._settings.https_public_port
        host = f"[{domain}]" if ":" in domain else domain
        return f"https://{host}" + ("" if port == DEFAULT_HTTPS_PORT else f":{port}")

    def proof_of(self, token: str) -> str | None:
        """Returns the HTTP port's response to the certificate authority; None without http-01."""
        if self._settings.certificate_mode != "acme" or Challenge.HTTP not in self._settings.acme_challenges:
            return None
        return self._http.answer(token)

    @contextlib.asynccontextmanager
    async def running(self, runner: NodeRunner) -> AsyncIterator[str]:
        """Serves the application of `runner`, already set up, and renews the certificate.

        Yields the port's own URL. Refuses connections until there is a certificate with evidence.
        Raises StartupRefusedError if the address is unavailable.
        """
        settings = self._settings
        front, proxies = TlsFront(self.served, self._tls_alpn), announcing_proxies(settings)
        listener = TlsListener(runner.protocol_for, front, settings.https_max_handshakes, proxies, self._log)
        # Start before the certificate exists, since this port serves tls-alpn-01 (RFC 8737).
        try:
            await listener.start(settings.https_host, settings.https_port)
        except OSError as error:
            where = f"{settings.https_host}:{settings.https_port}"
            why = (error.strerror or str(error)).lower()
            raise StartupRefusedError("https_host, https_port", f"{where} cannot be had: {why}.") from None
        renewing = asyncio.create_task(self._renew())
        try:
            # A start succeeds without a certificate, as the authority may be unavailable. wait_for
            # could hide a cancellation in Python 3.11 (CPython issue 86296).
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FIRST_WAIT_S):
                    await self.served.wait_for_first()
            yield f"https://{settings.https_host}:{listener.port}"
        finally:
            # End the renewal first, since it uses the parts that are closed next.
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            await listener.close()

    async def _renew(self) -> None:
        """Renews the certificate. A failure keeps the served one."""
        while True:
            try:
                await self._renew_until_it_fails()
            except Exception:  # noqa: BLE001 - a bug must not end the renewal
                self._log.exception("certificate_keeper_failed")
            # TaskSet.keep restarts after a second, which would exhaust the authority's rate limit.
            await asyncio.sleep(RETRY_MIN_S)

    async def _renew_until_it_fails(self) -> None:
        # In `files` mode a sidecar renews; the node watches the files and seals nothing.
        settings, clock = self._settings, RenewalClock(unix=time.time)
        if settings.certificate_mode == "files":
            files = CertificateFiles(Path(settings.certificate_chain_file), Path(settings.certificate_key_file))
            await FileWatch(files, settings.domain, self.served, clock, self._log).run()
        else:
            issuer = self._issuer()
            sealer = self._keyring.tls_sealer(self._instance)
            store = CertificateStore(settings.data_dir / STORE, sealer, settings.domain, issuer.source)
            await Renewal(issuer, store, self.served, clock, self._log).run()

    def _issuer(self) -> Issuer:
        settings = self._settings
        if settings.certificate_mode == "self-signed":
            return SelfSigned(settings.domain, SELF_SIGNED_LIFE_S, time.time)
        # The host can forge the node's environment, so the hook does not get it.
        environment = {"PATH": os.defpath, "ACME_DNS_CREDENTIAL": settings.acme_dns_credential.get_secret_value()}
        kinds: dict[Challenge, Solver] = {
            Challenge.TLS_ALPN: self._tls_alpn,
            Challenge.HTTP: self._http,
            Challenge.DNS: DnsHookSolver(settings.acme_dns_hook, environment, settings.acme_dns_propagation_s),
        }
        trust = partial(own_trust, Path(settings.acme_ca_file) if settings.acme_ca_file else None)
        chosen = {Challenge(each): kinds[Challenge(each)] for each in settings.acme_challenges}
        return AcmeIssuer(settings, settings.domain, self._keyring.acme_account_key(), trust, chosen)


def _require(settings: Settings) -> None:
    """Checks that the settings of the mode are complete. Raises StartupRefusedError."""
    # Check at startup, or a missing file would show only when a certificate is due.
    needed = ["domain"]
    if settings.certificate_mode == "files":
        needed += ["certificate_chain_file", "certificate_key_file"]
    if settings.certificate_mode == "acme" and Challenge.DNS in settings.acme_challenges:
        needed += ["acme_dns_hook"]
    for name in needed:
        if not getattr(settings, name):
            mode = settings.certificate_mode
            raise StartupRefusedError(name, f"must be set where certificate_mode is `{mode}`.")
    if settings.evidence_folder and settings.certificate_mode != "files":
        why = "is a sidecar's, who holds the certificate: `certificate_mode` must be `files`, or empty."
        raise StartupRefusedError("evidence_folder", why)
    if settings.acme_ca_file:
        try:
            own_trust(Path(settings.acme_ca_file))
        except OSError:
            reason = f"{settings.acme_ca_file} is no PEM file of certificates."
            raise StartupRefusedError("acme_ca_file", reason) from None


@dataclass(frozen=True, slots=True)
class RunningNode:
    """URLs of a running node; `api_url` is that of HTTPS if nothing else serves the API."""

    api_url: str
    metrics_url: str
    https_url: str | None = None
    """URL of the HTTPS listener, if there is one. Its certificate may still be pending."""


async def listening(
    settings: Settings,
    application: web.Application,
    https: Https | None,
    registry: CollectorRegistry,
    stack: contextlib.AsyncExitStack,
    *,
    api_without_tls: bool,
) -> RunningNode:
    """Serves metrics and API until the stack is closed."""
    api_without_tls = api_without_tls or https is None
    metrics = create_runner(create_metrics_application(application, registry))
    metrics_url = await _listen_on(
        metrics, settings.metrics_host, settings.metrics_port, "metrics_host, metrics_port", stack
    )
    metrics_url += "/metrics"
    plain = runner = create_runner(application)
    # `plain` shares the connections of `runner`, so that one limit covers both ports.
    if https is not None and not api_without_tls:
        await _set_up(runner, stack)
        plain = create_runner(create_plain_application(application, https.public_url, https.proof_of), runner)
    http_url = await _listen_for_clients(settings, plain, stack)
    if https is None:
        return RunningNode(http_url, metrics_url)
    https_url = await stack.enter_async_context(https.running(runner))
    return RunningNode(http_url if api_without_tls else https_url, metrics_url, https_url)


async def _set_up(runner: web.AppRunner, stack: contextlib.AsyncExitStack) -> None:
    await runner.setup()
    stack.push_async_callback(runner.cleanup)


async def _listen_for_clients(settings: Settings, runner: NodeRunner, stack: contextlib.AsyncExitStack) -> str:
    """Serves on the HTTP port, with the PROXY protocol if it is set. Returns the URL."""
    host, port, names = settings.http_host, settings.http_port, "http_host, http_port"
    proxies = announcing_proxies(settings)
    if not proxies:
        return await _listen_on(runner, host, port, names, stack)
    await _set_up(runner, stack)
    log = structlog.get_logger("node.http").bind()
    listener = PlainListener(runner.protocol_for, settings.https_max_handshakes, proxies, log)
    with _address(host, port, names):
        await listener.start(host, port)
    stack.push_async_callback(listener.close)
    return f"http://{host}:{listener.port}"


async def _listen_on(
    runner: web.AppRunner, host: str, port: int, setting: str, stack: contextlib.AsyncExitStack
) -> str:
    """Serves on an address until the stack closes. Returns the URL. Raises StartupRefusedError."""
    await _set_up(runner, stack)
    with _address(host, port, setting):
        await web.TCPSite(runner, host, port).start()
    return f"http://{host}:{runner.addresses[0][1]}"


@contextlib.contextmanager
def _address(host: str, port: int, setting: str) -> Iterator[None]:
    """Maps the OSError of an unavailable address to StartupRefusedError."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
        raise StartupRefusedError(setting, f"{host}:{port} cannot be had: {why}.") from None
