"""The wildcards of groups (decisions.md section 1), said here again because this room imports nothing of the node."""

from typing import Final

EVERY_GROUP: Final = 0
"""In a usage key's group list: every group of the account, present and future."""

EVERY_ACTION: Final = 0
"""In a group's actions: any action."""

EVERY_WALLET: Final = "0x" + "00" * 20
"""In a group's wallets: any wallet of the account but the master wallet."""
