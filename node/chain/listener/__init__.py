"""Follows the chain at every endpoint and tells what voids the cache: account events, and blocks that are no more."""

from node.chain.listener.cursors import Cursors
from node.chain.listener.follower import FollowerStatus
from node.chain.listener.limits import ListenerLimits
from node.chain.listener.ports import HeadNews
from node.chain.listener.questions import ListenedContract
from node.chain.listener.supervisor import Listener, ListenerWiring

__all__ = [
    "Cursors",
    "FollowerStatus",
    "HeadNews",
    "ListenedContract",
    "Listener",
    "ListenerLimits",
    "ListenerWiring",
]
