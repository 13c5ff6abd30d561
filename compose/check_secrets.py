"""Check for credentials and access keys in settings, which everybody can read: in values and in comments.

Of what is found, only the host is repeated.
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, urlsplit

from compose.findings import Finding, refused, remark
from compose.node_settings import NodeSettings

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")
_PRIVATE: Final = re.compile(
    r"-----BEGIN (?!CERTIFICATE-----)|\b(?:Bearer|Basic)\s+[A-Za-z0-9+/=._-]{6,}|\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9_+/=-]{4,}",
    re.IGNORECASE,
)
"""Also the card processor's secret forms (https://docs.stripe.com/keys). A certificate is public (`ledger_ca_pem`)."""
_KEY_LIKE: Final = re.compile(r"[A-Za-z0-9_-]{20,}|(?=[A-Za-z_-]*[0-9]+[A-Za-z_-]+[0-9])[A-Za-z0-9_-]{8,}")
_LONG_LABEL: Final = re.compile(r"(?=[^.]*[0-9])[A-Za-z0-9-]{20,}")
_32_BYTES: Final = re.compile(r"\b(?:0x)?[0-9a-fA-F]{64}\b")
_REPLACE: Final = (
    "Replace it where it is valid, name the entry (`a=https://…`) and give the new one as SVC_RPC_AUTHORIZATION_A."
)


def secret_findings(inlined: NodeSettings) -> Iterator[Finding]:
    """Object to credentials, and remark on what may be one."""
    settings, text = inlined.settings, inlined.text
    for url in sorted({*settings.rpc_urls, *settings.rpc_websocket_endpoints, *_URL.findall(text)}):
        yield from _of_url(url)
    if _PRIVATE.search(text):
        text = "hold an authorization or a private key, which everybody can read here"
        yield refused("settings", text, "Replace it where it is valid, and name the setting it is for with --secret.")
    if _32_BYTES.search(text):
        yield remark("settings", "hold 32 bytes in hex: if they are a private key, everybody can read and use it")


def _of_url(url: str) -> Iterator[Finding]:
    try:
        parts = urlsplit(url)
        host = _LONG_LABEL.sub("…", parts.hostname or "")
    except ValueError:
        return
    if parts.username is not None or parts.password is not None:
        text = f"the URL of {host} holds a user or password, which everybody can read here"
        yield refused("settings", text, _REPLACE)
    if _holds_key(parts):
        text = f"the URL of {host} holds what may be an access key: everybody can read and use it here"
        yield remark(
            "settings",
            f"{text}; if the provider takes a header, name the entry (`a=https://…`) and give it as SVC_RPC_AUTHORIZATION_A",
        )
    if host != (parts.hostname or ""):
        text = f"the host of {host} holds what may be an access key: this file, logs and metrics tell hosts"
        yield remark("settings", text)


def _holds_key(parts: SplitResult) -> bool:
    """Whether a URL has a query, a fragment, or a part of the path that is no word."""
    return bool(parts.query or parts.fragment or _KEY_LIKE.search(parts.path))
