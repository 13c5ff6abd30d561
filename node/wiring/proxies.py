"""Which proxies are believed, and how they name their clients: a forwarding header, or the PROXY protocol instead."""

from node.errors import StartupRefusedError
from node.http.addresses import ClientAddresses, Proxies
from node.settings import Settings


def announcing_proxies(settings: Settings) -> Proxies:
    """Those whose connections begin with a PROXY header. Raises StartupRefusedError when none could."""
    if not settings.proxy_protocol:
        return Proxies()
    if not settings.trusted_proxies:
        raise StartupRefusedError("trusted_proxies", "must name the proxies where `proxy_protocol` is on.")
    return Proxies(settings.trusted_proxies)


def client_addresses(settings: Settings) -> ClientAddresses:
    """Whose request it is.

    With the PROXY protocol no forwarding header is believed: a proxy that passes bytes through passes on what the
    client wrote there.
    """
    networks = () if settings.proxy_protocol else settings.trusted_proxies
    return ClientAddresses(networks, settings.forwarding_header)
