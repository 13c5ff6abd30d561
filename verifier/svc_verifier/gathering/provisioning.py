"""Asks a provisioning service, Intel's or a cache (PCCS), for documents of a platform family.

Every address is made from the service's URL and none is read from a quote or a response.
"""

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp
from yarl import URL

from svc_verifier.formats.addresses import INTEL_PCS, INTEL_ROOT_CRL, rpc_host
from svc_verifier.gathering.host import GatheringLimits, plain_session, read_bounded, shared_context
from svc_verifier.gathering.tunnel import TunnelConnector
from svc_verifier.material import Platform

DOCUMENT_BYTES: Final = 262_144
"""Largest response. Intel's TCB info has some 6,000 bytes, its longest CRL a few times as many."""

HEADER_CHARACTERS: Final = 40
"""Characters of a header that is quoted in a message."""

_API: Final = re.compile(r"/(?:sgx|tdx)/certification/v[34]/?$")
"""Path of the API, which some write behind the URL of a service."""

_FMSPC: Final = re.compile(r"[0-9A-F]{12}")
_CAS: Final = frozenset({"processor", "platform"})
"""Kinds of the authorities that issue certificates of platforms (PCS API 4)."""


class UnansweredError(LookupError):
    """A service did not respond: it was out of reach, late, overloaded or failed itself."""


@dataclass(frozen=True, slots=True)
class Documents:
    """Responses for one platform family, bodies by name, and the signers' chains of the headers."""

    bodies: Mapping[str, bytes]
    chains: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Request for a document, with its name, its URL and the headers that may hold its chain."""

    what: str
    url: URL
    headers: tuple[str, ...] = ()


def wanted_of(service_url: str, platform: Platform) -> Mapping[str, Wanted]:
    """Returns the requests for a platform family, by the members of dcap-qvl's JSON."""
    base = URL(service_url).with_query(None).with_fragment(None)
    base = base.with_path(_API.sub("", base.path.rstrip("/")) or "/")
    is_intel = rpc_host(service_url) == rpc_host(INTEL_PCS)
    tdx, sgx = (base / kind / "certification" / "v4" for kind in ("tdx", "sgx"))
    fmspc, ca = platform.fmspc, platform.ca
    return {
        "tcb_info": Wanted(
            f"the TCB info of FMSPC {fmspc}",
            (tdx / "tcb").with_query(fmspc=fmspc),
            ("TCB-Info-Issuer-Chain", "SGX-TCB-Info-Issuer-Chain"),
        ),
        "qe_identity": Wanted("the QE identity", tdx / "qe" / "identity", ("SGX-Enclave-Identity-Issuer-Chain",)),
        "pck_crl": Wanted(
            f"the PCK CRL of the {ca} CA",
            (sgx / "pckcrl").with_query(ca=ca, encoding="der"),
            ("SGX-PCK-CRL-Issuer-Chain",),
        ),
        "root_ca_crl": Wanted("the root CA CRL", URL(INTEL_ROOT_CRL) if is_intel else sgx / "rootcacrl"),
    }


async def fetch_documents(
    service_url: str, platform: Platform, limits: GatheringLimits, proxy_url: str | None
) -> Documents:
    """Fetch every document of a platform family. Raises LookupError that says what failed."""
    # They come from an unverified certificate and become part of an address.
    if not _FMSPC.fullmatch(platform.fmspc) or platform.ca not in _CAS:
        raise LookupError("the quote's certificate names no platform family that a provisioning service knows")
    bodies: dict[str, bytes] = {}
    chains: dict[str, str] = {}
    # In a thread, since the system's roots are hundreds of certificates.
    await asyncio.to_thread(shared_context)
    try:
        async with (
            asyncio.timeout(limits.collateral_timeout_s),
            plain_session(connector=TunnelConnector(proxy_url)) as session,
        ):
            for name, wanted in wanted_of(service_url, platform).items():
                bodies[name], chain = await _ask(session, wanted, proxy_url)
                if wanted.headers:
                    chains[name] = chain
    except TimeoutError:
        where = rpc_host(service_url)
        raise UnansweredError(
            f"the provisioning service {where} did not answer in {limits.collateral_timeout_s:g} s"
        ) from None
    return Documents(bodies, chains)


async def _ask(session: aiohttp.ClientSession, wanted: Wanted, proxy_url: str | None) -> tuple[bytes, str]:
    """Returns a body and the chain in its header. Raises LookupError and TimeoutError."""
    service = f"the provisioning service {rpc_host(str(wanted.url))}"
    # In its own tunnel an http request goes to the service and not to the proxy.
    proxy = proxy_url if wanted.url.scheme == "https" else None
    try:
        async with session.get(wanted.url, allow_redirects=False, proxy=proxy) as response:
            body = await read_bounded(response, DOCUMENT_BYTES) if response.status == 200 else b""
    except TimeoutError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
        kind, said = next((kind, said) for fitting, kind, said in _FAILURES if isinstance(error, fitting))
        raise kind(f"{service} {said} ({_detail(error)})") from None
    refusal = _by_status(response, wanted) or _by_content(response, body, wanted)
    if body is None or refusal:
        is_no_answer = response.status == 429 or response.status >= 500
        raise (UnansweredError if is_no_answer else LookupError)(f"{service} {refusal}")
    return body, _chain_of(response, wanted)


def _chain_of(response: aiohttp.ClientResponse, wanted: Wanted) -> str:
    return next((response.headers[name] for name in wanted.headers if name in response.headers), "")


def _by_status(response: aiohttp.ClientResponse, wanted: Wanted) -> str:
    """Returns why a response is no document, by its status; empty if it may be one."""
    match response.status:
        case 200:
            return ""
        case 404:
            return f"does not have {wanted.what} (HTTP 404)"
        case 429:
            after = response.headers.get("Retry-After", "")[:HEADER_CHARACTERS]
            return f"has too many requests (HTTP 429{f', Retry-After: {after!r}' if after else ''}): try again later"
        case status if status >= 500:
            return f"fails (HTTP {status})"
        case status if 300 <= status < 400:
            return f"redirects (HTTP {status}), which is not followed: name the service that it leads to"
        case status:
            return f"refuses {wanted.what} (HTTP {status})"


def _by_content(response: aiohttp.ClientResponse, body: bytes | None, wanted: Wanted) -> str:
    """Returns why a response is no document, by its content; empty if it may be one."""
    if body is None:
        return f"answers with more than {DOCUMENT_BYTES} bytes for {wanted.what}"
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        return f"answers compressed ({encoding[:HEADER_CHARACTERS]!r}), which it was asked not to"
    if response.content_type == "text/html" or body.lstrip().startswith(b"<"):
        return f"answers with a web page (HTML) for {wanted.what}: something else is in its place"
    if wanted.headers and not _chain_of(response, wanted):
        return f"answers without the header {wanted.headers[0]} for {wanted.what}"
    return ""


_FAILURES: Final[tuple[tuple[type[Exception], type[LookupError], str], ...]] = (
    # Refused TLS is a response, perhaps of another party.
    (aiohttp.ClientConnectorCertificateError, LookupError, "shows a certificate that is not accepted"),
    (aiohttp.ClientSSLError, LookupError, "speaks no TLS that is accepted"),
    (aiohttp.ClientHttpProxyError, UnansweredError, "is not reached: the proxy refuses a tunnel to it"),
    (aiohttp.ClientProxyConnectionError, UnansweredError, "is not reached: the proxy cannot be connected to"),
    (aiohttp.ClientConnectorDNSError, UnansweredError, "is not reached: its name is not known"),
    (aiohttp.ClientConnectorError, UnansweredError, "is not reached: it cannot be connected to"),
    (aiohttp.ServerDisconnectedError, UnansweredError, "ends the connection without an answer"),
    (OSError, UnansweredError, "ends the connection without an answer"),
    (Exception, LookupError, "gives no answer that can be read"),
)
"""What became of a request without a response, by the first kind of error that fits."""


def _detail(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return str(getattr(error.certificate_error, "verify_message", None) or type(error).__name__)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"HTTP {error.status}"
    number = error.errno if isinstance(error, OSError) else None
    return os.strerror(number) if number is not None and number > 0 else type(error).__name__
