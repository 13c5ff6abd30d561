"""Follows the chain at every provider and reports what voids cached reads: account events, and blocks that are gone."""

from node.chain.listener.follower import Cursors, FollowerStatus, ListenerPorts
from node.chain.listener.listener import Listener
from node.chain.listener.queries import ListenedContract

__all__ = [
    "Cursors",
    "FollowerStatus",
    "ListenedContract",
    "Listener",
    "ListenerPorts",
]
