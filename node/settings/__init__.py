"""Declares, loads, prints and publishes the settings of the node, one section a component."""

from node.settings.field import MIB, OWNER_CHANGE_DELAY_MIN_S, PREFIX, WEI_PER_ETHER, WEI_PER_GWEI, Section
from node.settings.model import LISTS, NAMED_AUTHORIZATION, SECRETS, Settings, secrets_of

__all__ = [
    "LISTS",
    "MIB",
    "NAMED_AUTHORIZATION",
    "OWNER_CHANGE_DELAY_MIN_S",
    "PREFIX",
    "SECRETS",
    "WEI_PER_ETHER",
    "WEI_PER_GWEI",
    "Section",
    "Settings",
    "secrets_of",
]
