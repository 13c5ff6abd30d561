"""TLS of one node put together: where its certificate comes from, who shows it, and the port it is shown on."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from attest.certificates.acme_issuer import AcmeAuthority, AcmeIssuer
from attest.certificates.challenges import Challenge, DnsHookSolver, HttpSolver, Solver, TlsAlpnSolver
from attest.certificates.files import CertificateFiles, FileWatch
from attest.certificates.front import TlsFront
from attest.certificates.limits import AcmeLimits, CertificateLimits
from attest.certificates.port import Evidence
from attest.certificates.renewal import Issuer, Renewal, Time
from attest.certificates.self_signed import SelfSigned
from attest.certificates.serving import ServedCertificate
from attest.certificates.store import CertificateStore
from node.errors import StartupRefusedError
from node.http.listener import TlsListener
from node.http.protocol import NodeRunner
from node.keyring.port import Keyring
from node.runtime.tls_trust import own_trust
from node.settings import Settings
from node.wiring.proxies import announcing_proxies
from node.wiring.sections import section

STORE: Final = "tls"
"""Directory of the certificate in the data directory."""
DEFAULT_HTTPS_PORT: Final = 443


def insecure_certificate(settings: Settings) -> Sequence[str]:
    """What a node must say of its certificate."""
    if settings.certificate_mode != "self-signed":
        return ()
    return ("certificate_mode = self-signed: nobody vouches for the certificate of this node",)


class Https:
    """The certificate of `settings.domain` and the port that shows it; only where `certificate_mode` is set.

    Raises StartupRefusedError naming the setting that is missing.
    """

    def __init__(
        self,
        settings: Settings,
        evidence: Evidence,
        keyring: Keyring,
        instance: str,
    ) -> None:
        _require(settings)
        self._settings = settings
        self._keyring = keyring
        self._instance = instance
        self._log = structlog.get_logger("node.wiring.https").bind()
        self._tls_alpn = TlsAlpnSolver()
        self._http = HttpSolver(keyring.acme_account_key())
        self.served = ServedCertificate(evidence)
        """Who knows which certificate new connections get."""

    @property
    def public_url(self) -> str:
        """Where clients reach the node, without a path."""
        domain, port = self._settings.domain, self._settings.https_public_port
        host = f"[{domain}]" if ":" in domain else domain
        return f"https://{host}" + ("" if port == DEFAULT_HTTPS_PORT else f":{port}")

    def proof_of(self, token: str) -> str | None:
        """What the HTTP port answers the certificate authority; None where it is never asked."""
        if self._settings.certificate_mode != "acme" or Challenge.HTTP not in self._settings.acme_challenges:
            return None
        return self._http.answer(token)

    @contextlib.asynccontextmanager
    async def running(self, runner: NodeRunner) -> AsyncIterator[str]:
        """Listen for the application of `runner`, which is set up, and keep the certificate, until the context ends.

        Yields the port's own URL. Connections are refused until there is a certificate with its evidence. Raises
        StartupRefusedError when the address cannot be had.
        """
        settings = self._settings
        front, proxies = TlsFront(self.served, self._tls_alpn), announcing_proxies(settings)
        listener = TlsListener(runner.protocol_for, front, settings.https_max_handshakes, proxies, self._log)
        try:
            await listener.start(settings.https_host, settings.https_port)
        except OSError as error:
            where = f"{settings.https_host}:{settings.https_port}"
            raise StartupRefusedError("https_host, https_port", f"{where} cannot be had: {_why(error)}.") from None
        keeping = asyncio.create_task(self._keep())
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.served.first(), section(settings, CertificateLimits).first_wait_s)
            yield f"https://{settings.https_host}:{listener.port}"
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await listener.close()

    async def _keep(self) -> None:
        """For ever: what is served stays, whatever fails."""
        pause_s = section(self._settings, CertificateLimits).retry_min_s
        while True:
            try:
                await self._keep_once()
            except Exception:  # noqa: BLE001 - a bug here must not end the renewal for ever
                self._log.exception("certificate_keeper_failed")
            await asyncio.sleep(pause_s)

    async def _keep_once(self) -> None:
        """Until something fails that nobody foresaw."""
        settings, clock = self._settings, Time(clock=time.time)
        limits = section(settings, CertificateLimits)
        if settings.certificate_mode == "files":
            files = CertificateFiles(Path(settings.certificate_chain_file), Path(settings.certificate_key_file))
            await FileWatch(files, settings.domain, self.served, limits, clock, self._log).run()
        else:
            issuer = self._issuer(limits)
            sealer = self._keyring.tls_sealer(self._instance)
            store = CertificateStore(settings.data_dir / STORE, sealer, settings.domain, issuer.source)
            await Renewal(issuer, store, self.served, limits, clock, self._log).run()

    def _issuer(self, limits: CertificateLimits) -> Issuer:
        settings = self._settings
        if settings.certificate_mode == "self-signed":
            return SelfSigned(settings.domain, limits.self_signed_life_s, time.time)
        acme = section(settings, AcmeLimits)
        kinds: dict[Challenge, Solver] = {
            Challenge.TLS_ALPN: self._tls_alpn,
            Challenge.HTTP: self._http,
            Challenge.DNS: DnsHookSolver(settings.acme_dns_hook, _hook_environment(settings), acme),
        }
        authority = AcmeAuthority(
            directory_url=settings.acme_directory_url,
            account_key=self._keyring.acme_account_key(),
            contact=settings.acme_contact,
            trust=partial(own_trust, Path(settings.acme_ca_file) if settings.acme_ca_file else None),
        )
        chosen = {Challenge(each): kinds[Challenge(each)] for each in settings.acme_challenges}
        return AcmeIssuer(authority, settings.domain, chosen, acme)


def _require(settings: Settings) -> None:
    """Pass when nothing is missing for the mode. Raises StartupRefusedError."""
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


def _hook_environment(settings: Settings) -> dict[str, str]:
    """The credential the operator gave for it; nothing else of the environment, which the host can forge."""
    return {"PATH": os.defpath, "ACME_DNS_CREDENTIAL": settings.acme_dns_credential.get_secret_value()}


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
