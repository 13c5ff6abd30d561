"""The URL of a JSON-RPC endpoint. It may hold credentials: only `rpc_host` of it is ever shown."""

from urllib.parse import urlsplit


def is_rpc_url(text: str) -> bool:
    """Whether it is an http or https URL of a host."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and text.isprintable()
    except ValueError:
        return False


def rpc_host(url: str) -> str:
    """Host and port, without user, password, path and query; empty for what is no URL."""
    return urlsplit(url).netloc.rpartition("@")[2] if is_rpc_url(url) else ""
