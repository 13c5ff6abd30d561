"""Egress: the state that outbound requests of all actions share, and the factory of a client for each action."""

import resource
import ssl
from typing import Final

from node.engine.egress.addresses import AddressPolicy
from node.engine.egress.budget import AccountBudgets
from node.engine.egress.client import FetchClient
from node.engine.egress.connector import CheckedResolver, checked_connector
from node.engine.egress.reading_work import ReadingWork, meter
from node.engine.egress.resolver import Resolver, SystemResolver
from node.runtime.tls_trust import built_in_trust
from node.settings.execution import EgressSettings

_MANY_BODIES: Final = "too many bodies are on their way at once; fetch them one after the other"
_MANY_SOCKETS: Final = "too many connections are open at once; try again, or fetch one after the other"
HELD_BYTES_PER_ACCOUNT: Final = 32 * 1024 * 1024
"""Bodies on their way to the actions of one account: three of the largest, and a sixth of all."""
SOCKETS_PER_ACCOUNT: Final = 96
"""Connections of one account: six for each of its 16 actions."""
READING_CPU_S: Final = 2.0
"""Processor time of taking one action's answers apart. 10 MiB take 0.01 s as plain bytes, 0.03 s compressed."""
_LOOKUPS_MAX: Final = 64
"""Names looked up at a time, each in a thread."""
_LOOKUPS_PER_ACCOUNT_MAX: Final = 16
"""The same of one account: its own name server can make each take half a minute."""
_SHARE_OF_DESCRIPTORS: Final = 6
"""Half of the process's descriptors are for its clients, a third for actions."""


class Egress:
    """Shared by all actions of a node: address policy, resolver, trusted certificates, budgets of memory and sockets.

    By default `resolver` is the system's, and `tls` trusts the certificates the machine was built with. Must be created in a
    running event loop.
    """

    def __init__(
        self,
        settings: EgressSettings | None = None,
        policy: AddressPolicy | None = None,
        *,
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.settings = settings or EgressSettings()
        self._policy = policy or AddressPolicy()
        self._resolver = resolver or SystemResolver(_LOOKUPS_MAX, _LOOKUPS_PER_ACCOUNT_MAX)
        self._tls = tls or built_in_trust()
        self._bodies = AccountBudgets(self.settings.egress_held_bytes, HELD_BYTES_PER_ACCOUNT, _MANY_BODIES)
        self._sockets = AccountBudgets(_sockets_max(self.settings.egress_sockets), SOCKETS_PER_ACCOUNT, _MANY_SOCKETS)

    def client(self, account: int) -> FetchClient:
        """Return a client for one action of the account. It shares no connection with another."""
        resolver = CheckedResolver(self._resolver, self._policy, account)
        connector = checked_connector(
            resolver, self._policy, self.settings.egress_concurrent_requests, self._tls, self._sockets.of(account)
        )
        work = ReadingWork(READING_CPU_S)
        meter(connector, work)
        return FetchClient(self.settings, self._policy, connector, self._bodies.of(account), work)


def _sockets_max(wanted: int) -> int:
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if descriptors < 0 else min(wanted, descriptors // _SHARE_OF_DESCRIPTORS)
