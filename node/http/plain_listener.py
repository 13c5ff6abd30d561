"""The HTTP port where proxies name their clients by the PROXY protocol."""

import asyncio
import socket

from node.http.addresses import Proxies
from node.http.envelope import Logger
from node.http.listener import Listener, Protocols
from node.http.tls_listener import TlsLimits


class PlainListener(Listener):
    """Accepts on an address and hands each connection to `protocols`, without TLS."""

    def __init__(self, protocols: Protocols, limits: TlsLimits, logger: Logger, proxies: Proxies) -> None:
        super().__init__(limits.handshake_timeout_s, limits.max_handshakes, proxies, logger)
        self._protocols = protocols

    async def _receive(self, connection: socket.socket, client: str | None) -> None:
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(lambda: self._protocols(client), connection)
