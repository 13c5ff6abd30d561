"""Outbound requests of all actions of a node: what they share, and a client for each action that shares no more."""

import resource
import ssl
from typing import Final

from node.engine.egress.budget import AccountBudgets
from node.engine.egress.connector import CheckedResolver, checked_connector
from node.engine.egress.limits import EgressLimits
from node.engine.egress.lookup import Lookup, SystemLookup
from node.engine.egress.reach import Reach
from node.engine.egress.reading_work import ReadingWork, meter
from node.engine.egress.visit import Visit
from node.runtime.tls_trust import built_in_trust

_MANY_BODIES: Final = "too many bodies are on their way at once; fetch them one after the other"
_MANY_SOCKETS: Final = "too many connections are open at once; try again, or fetch one after the other"
_SHARE_OF_DESCRIPTORS: Final = 6
"""Half of the process's descriptors are for its clients, a third for actions."""


class Egress:
    """What all actions of a node share: limits, what may be reached, the names, the trusted certificates, memory.

    `lookup` is the system's and `tls` trusts what the machine was built to trust, unless given. Create it in a running event loop.
    """

    def __init__(
        self,
        limits: EgressLimits | None = None,
        reach: Reach | None = None,
        *,
        lookup: Lookup | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.limits = limits or EgressLimits()
        self._reach = reach or Reach()
        self._lookup = lookup or SystemLookup(self.limits.lookups, self.limits.lookups_per_account)
        self._tls = tls or built_in_trust()
        self._bodies = AccountBudgets(self.limits.held_bytes, self.limits.held_bytes_per_account, _MANY_BODIES)
        self._sockets = AccountBudgets(_sockets_max(self.limits), self.limits.sockets_per_account, _MANY_SOCKETS)

    def visit(self, account: int) -> Visit:
        """A client for one action of that account: no connection of it is shared with another."""
        resolver = CheckedResolver(self._lookup, self._reach, account)
        connector = checked_connector(
            resolver, self._reach, self.limits.concurrent_requests, self._tls, self._sockets.of(account)
        )
        work = ReadingWork(self.limits.reading_cpu_s_per_action)
        meter(connector, work)
        return Visit(self.limits, self._reach, connector, self._bodies.of(account), work)


def _sockets_max(limits: EgressLimits) -> int:
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limits.sockets if descriptors < 0 else min(limits.sockets, descriptors // _SHARE_OF_DESCRIPTORS)
