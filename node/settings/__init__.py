"""Every setting of the node: one section a component, loading, the printed table and what a statement repeats."""

from node.settings.field import MIB, OWNER_CHANGE_DELAY_MIN_S, PREFIX, WEI_PER_ETHER, WEI_PER_GWEI, Section
from node.settings.model import LISTS, SECRETS, Settings

__all__ = [
    "LISTS",
    "MIB",
    "OWNER_CHANGE_DELAY_MIN_S",
    "PREFIX",
    "SECRETS",
    "WEI_PER_ETHER",
    "WEI_PER_GWEI",
    "Section",
    "Settings",
]
