"""Files of a node's dashboard, each compared with the node's statement, and their headers.

The statement, signed by the hardware, holds the SHA-256 of a manifest. The manifest maps each path
below `/dashboard/` to the SHA-256 of its file (docs/dashboard.md).
"""

import hashlib
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from svc_client.errors import NodeNotAccepted
from svc_client.transport import Transport
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import parse_json_object

if TYPE_CHECKING:
    from svc_verifier.formats.info import AttestedConfig

PREFIX: Final = "/dashboard/"
MANIFEST: Final = "manifest.json"
START: Final = "index.html"
PAYMENT: Final = "pay.html"
_PATH: Final = re.compile(r"(?:index|pay)\.html|assets/[0-9a-f]{16}/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_TYPES: Final[Mapping[str, str]] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_MANIFEST_BYTES: Final = 65_536
_FILES_MAX: Final = 200
_TOTAL_BYTES: Final = 8 * 1024 * 1024

_STRIPE: Final = "https://js.stripe.com"
_STRIPE_SCRIPTS: Final = f"{_STRIPE} https://*.js.stripe.com"
_CLOSED: Final = "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
_OFF: Final = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), "
    "midi=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()"
)
# Fixed here and not taken from the node: this program decides what a page on loopback may do.
HEADERS: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        f"{_CLOSED}; require-trusted-types-for 'script'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": f"{_OFF}, payment=()",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class DashboardFile:
    """A file as the node attests it, with the headers for a browser."""

    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DashboardFiles:
    """All files of a dashboard by path below `/dashboard/`, the manifest among them."""

    files: Mapping[str, DashboardFile]
    manifest_sha256: str


async def fetch_dashboard(transport: Transport) -> DashboardFiles | None:
    """Returns the dashboard that the node attests; None if it attests none.

    Raises NodeNotAccepted, which names the file, if the node serves another file than it attests.
    """
    await transport.open()
    config = transport.attested_config
    if config is None or config.dashboard_manifest is None:
        return None
    manifest = await _fetched(transport, MANIFEST, config.dashboard_manifest.hex())
    hashes = _read_manifest(manifest)
    files: dict[str, DashboardFile] = {}
    total = 0
    for path, sha256 in hashes.items():
        body = await _fetched(transport, path, sha256)
        total += len(body)
        if total > _TOTAL_BYTES:
            raise _refused(path, f"all files together are longer than {_TOTAL_BYTES} bytes")
        files[path] = DashboardFile(body, headers_of(path, config))
    shown = {**HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store"}
    files[MANIFEST] = DashboardFile(manifest, shown)
    return DashboardFiles(files, config.dashboard_manifest.hex())


async def _fetched(transport: Transport, path: str, sha256: str) -> bytes:
    """Fetches a file and compares it with its hash."""
    body = bytearray()
    async with transport.forward("GET", PREFIX + path, {"Accept": "*/*"}, None) as answer:
        if answer.status != 200:
            raise _refused(path, f"the node answers {answer.status} and not the file")
        async for part in answer.parts:
            body += part
            if len(body) > _TOTAL_BYTES:
                raise _refused(path, f"it is longer than {_TOTAL_BYTES} bytes")
    if hashlib.sha256(body).hexdigest() != sha256:
        raise _refused(path, "it is another file than the node attests")
    return bytes(body)


def _read_manifest(body: bytes) -> Mapping[str, str]:
    try:
        read = parse_json_object(body, MANIFEST, _MANIFEST_BYTES, 1)
    except VerifierError as error:
        raise _refused(MANIFEST, str(error)) from None
    if START not in read or len(read) > _FILES_MAX:
        raise _refused(MANIFEST, f"it names {len(read)} files, and must name {START}")
    for path, sha256 in read.items():
        is_known = _PATH.fullmatch(path) is not None and PurePosixPath(path).suffix in _TYPES
        if not (is_known and isinstance(sha256, str) and _SHA256.fullmatch(sha256)):
            raise _refused(MANIFEST, f"its entry {path[:120]!r} is none that a dashboard has")
    return {path: str(sha256) for path, sha256 in read.items()}


def headers_of(path: str, config: "AttestedConfig") -> Mapping[str, str]:
    """Returns a file's headers. Raises NodeNotAccepted for a payment page without a processor."""
    own = _payment_headers(config) if path == PAYMENT else {}
    # Cache nothing on loopback: another program may have this origin later.
    return {**HEADERS, "Content-Type": _TYPES[PurePosixPath(path).suffix], "Cache-Control": "no-store", **own}


def _payment_headers(config: "AttestedConfig") -> Mapping[str, str]:
    """Returns the payment page's policy, which allows script, frames and API of the processor."""
    parts = urlsplit(config.processor_url or "")
    if parts.scheme == "https":
        origin, scripts, frames = _STRIPE, _STRIPE_SCRIPTS, f"{_STRIPE_SCRIPTS} https://hooks.stripe.com"
        api = "https://api.stripe.com"
    elif parts.scheme == "http" and _is_loopback(parts.hostname or ""):
        # The card processor's stand-in of a development node, on this machine.
        origin = scripts = frames = api = _loopback_origin(parts)
    else:
        raise _refused(PAYMENT, "the node attests no card processor whose script may run")
    policy = (
        f"default-src 'none'; script-src 'self' {scripts}; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' {api}; frame-src {frames}; {_CLOSED}"
    )
    return {"Content-Security-Policy": policy, "Permissions-Policy": f'{_OFF}, payment=(self "{origin}")'}


def _loopback_origin(parts: SplitResult) -> str:
    # Use only host and port: any other part of the URL would become a part of the policy.
    try:
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        raise _refused(PAYMENT, "the card processor's port is no number") from None
    host = parts.hostname or ""
    return f"http://[{host}]{port}" if ":" in host else f"http://{host}{port}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refused(path: str, why: str) -> NodeNotAccepted:
    return NodeNotAccepted(f"The dashboard is refused: {PREFIX}{path}: {why}.", None)
