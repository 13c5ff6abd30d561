"""Follows the chain at every endpoint and reports what voids the cache: account events, and blocks that are gone."""

from node.chain.listener.cursors import Cursors
from node.chain.listener.follower import FollowerStatus, ListenerPorts
from node.chain.listener.limits import ListenerLimits
from node.chain.listener.queries import ListenedContract
from node.chain.listener.supervisor import Listener

__all__ = [
    "Cursors",
    "FollowerStatus",
    "ListenedContract",
    "Listener",
    "ListenerLimits",
    "ListenerPorts",
]
