"""Follows the chain at every provider and reports stale reads: account events, reorganisations."""

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
