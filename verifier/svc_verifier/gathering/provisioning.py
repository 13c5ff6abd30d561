"""Asks a provisioning service, Intel's own or a cache of it (PCCS), for the documents of one platform family.

Every address is made from the service's URL: none is read from a quote or from an answer.
"""

import asyncio
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp
from yarl import URL

from svc_verifier.addresses import rpc_host
from svc_verifier.gathering.host import GatheringLimits, plain_session, read_bounded
from svc_verifier.gathering.tunnel import TunnelConnector
from svc_verifier.material import Platform

INTEL_PCS: Final = "https://api.trustedservices.intel.com"
INTEL_ROOT_CRL: Final = "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der"
"""Intel's service has no path for it, as caches have."""

DOCUMENT_BYTES: Final = 262_144
"""Of one answer: Intel's TCB info has some six thousand bytes, and its longest revocation list a few times as many."""

RETRY_AFTER_CHARACTERS: Final = 40
_API: Final = re.compile(r"/(?:sgx|tdx)/certification/v[34]/?$")
"""Path of the API, which some write behind the URL of a service."""

_FMSPC: Final = re.compile(r"[0-9A-F]{12}")
_CAS: Final = frozenset({"processor", "platform"})
"""Kinds of the authorities that issue certificates of platforms (PCS API 4)."""


class UnansweredError(LookupError):
    """A service gave no answer: it could not be connected to, was late, had too many requests or failed itself."""


@dataclass(frozen=True, slots=True)
class Documents:
    """Answers of a service for one platform family: bodies by name, and the chains of those who signed them as the headers hold them."""

    bodies: Mapping[str, bytes]
    chains: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One request: what it asks for in words, its URL, and the headers of which one holds the signer's chain."""

    what: str
    url: URL
    headers: tuple[str, ...] = ()


def _all_wanted(service_url: str, platform: Platform) -> Mapping[str, _Wanted]:
    """What is asked for, by the members of dcap-qvl's JSON."""
    base = URL(service_url).with_query(None).with_fragment(None)
    base = base.with_path(_API.sub("", base.path.rstrip("/")) or "/")
    is_intel = rpc_host(service_url) == rpc_host(INTEL_PCS)
    tdx, sgx = (base / kind / "certification" / "v4" for kind in ("tdx", "sgx"))
    fmspc, ca = platform.fmspc, platform.ca
    return {
        "tcb_info": _Wanted(
            f"the TCB info of FMSPC {fmspc}",
            (tdx / "tcb").with_query(fmspc=fmspc),
            ("TCB-Info-Issuer-Chain", "SGX-TCB-Info-Issuer-Chain"),
        ),
        "qe_identity": _Wanted("the QE identity", tdx / "qe" / "identity", ("SGX-Enclave-Identity-Issuer-Chain",)),
        "pck_crl": _Wanted(
            f"the PCK CRL of the {ca} CA",
            (sgx / "pckcrl").with_query(ca=ca, encoding="der"),
            ("SGX-PCK-CRL-Issuer-Chain",),
        ),
        "root_ca_crl": _Wanted("the root CA CRL", URL(INTEL_ROOT_CRL) if is_intel else sgx / "rootcacrl"),
    }


async def fetch_documents(
    service_url: str, platform: Platform, limits: GatheringLimits, proxy_url: str | None
) -> Documents:
    """Ask a service for every document of a platform family. Raises LookupError that says what it did instead."""
    # They come from a certificate that nobody has verified yet, and become part of an address.
    if not _FMSPC.fullmatch(platform.fmspc) or platform.ca not in _CAS:
        raise LookupError("the quote's certificate names no platform family that a provisioning service knows")
    bodies: dict[str, bytes] = {}
    chains: dict[str, str] = {}
    try:
        async with (
            asyncio.timeout(limits.collateral_timeout_s),
            plain_session(connector=TunnelConnector(proxy_url)) as session,
        ):
            for name, wanted in _all_wanted(service_url, platform).items():
                bodies[name], chain = await _ask(session, wanted, proxy_url)
                if wanted.headers:
                    chains[name] = chain
    except TimeoutError:
        where = rpc_host(service_url)
        raise UnansweredError(
            f"the provisioning service {where} did not answer in {limits.collateral_timeout_s:g} s"
        ) from None
    return Documents(bodies, chains)


async def _ask(session: aiohttp.ClientSession, wanted: _Wanted, proxy_url: str | None) -> tuple[bytes, str]:
    """The body of an answer, and the chain in its header. Raises LookupError."""
    service = f"the provisioning service {rpc_host(str(wanted.url))}"
    # Within a tunnel of its own an http request is one to the service, and not to the proxy.
    proxy = proxy_url if wanted.url.scheme == "https" else None
    try:
        async with session.get(wanted.url, allow_redirects=False, proxy=proxy) as response:
            refusal = _refusal(response, wanted)
            if refusal is not None:
                raise refusal
            body = await read_bounded(response, DOCUMENT_BYTES)
    except (LookupError, TimeoutError) as error:
        raise _said_of(service, error) from None
    except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
        raise _unreached(service, error) from None
    if body is None:
        raise LookupError(f"{service} answers with more than {DOCUMENT_BYTES} bytes for {wanted.what}")
    if body.lstrip().startswith(b"<"):
        raise LookupError(f"{service} answers with a web page for {wanted.what}: is something else in its place?")
    chain = next((response.headers[name] for name in wanted.headers if name in response.headers), "")
    if wanted.headers and not chain:
        raise LookupError(f"{service} answers without the header {wanted.headers[0]} for {wanted.what}")
    return body, chain


def _said_of(service: str, error: LookupError | TimeoutError) -> BaseException:
    return type(error)(f"{service} {error}") if isinstance(error, LookupError) else error


def _refusal(response: aiohttp.ClientResponse, wanted: _Wanted) -> LookupError | None:
    """Why an answer is no document, by its status and its kind; None where it may be one."""
    status = response.status
    if status == 429:
        after = response.headers.get("Retry-After", "")[:RETRY_AFTER_CHARACTERS]
        more = f", Retry-After {after!r}" if after else ""
        return UnansweredError(f"has too many requests (HTTP 429{more}): try again later")
    if status >= 500:
        return UnansweredError(f"fails (HTTP {status})")
    if 300 <= status < 400:
        return LookupError(f"redirects (HTTP {status}), which is not followed: name the service that it leads to")
    if status == 404:
        return LookupError(f"does not have {wanted.what} (HTTP 404)")
    if status != 200:
        return LookupError(f"refuses {wanted.what} (HTTP {status})")
    if response.content_type == "text/html":
        return LookupError(f"answers with a web page (HTML) for {wanted.what}: is something else in its place?")
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        return LookupError(f"answers compressed ({encoding[:RETRY_AFTER_CHARACTERS]!r}), which it was asked not to")
    return None


def _unreached(service: str, error: Exception) -> LookupError:
    """What became of a request that has no answer. TLS that is refused is an answer: by somebody else, it may be."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        reason = getattr(error.certificate_error, "verify_message", None) or "it is not accepted"
        return LookupError(f"{service} shows a certificate that is not accepted: {reason}")
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return LookupError(f"{service} does not speak TLS that is accepted ({type(error).__name__})")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return UnansweredError(f"{service} is not reached: the proxy refuses a tunnel to it (HTTP {error.status})")
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return UnansweredError(f"{service} is not reached: the proxy does not answer")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return UnansweredError(f"{service} is not reached: its name is not known here")
    if isinstance(error, aiohttp.ClientConnectorError):
        return UnansweredError(f"{service} is not reached: {error.strerror or 'it refuses the connection'}")
    if isinstance(error, aiohttp.ServerDisconnectedError | OSError):
        return UnansweredError(f"{service} ends the connection without an answer")
    return LookupError(f"{service} gives no answer that can be read ({type(error).__name__})")
