"""Settings of earlier versions that are constants now, and where each of them is."""

from collections.abc import Mapping
from typing import Final

REMOVED: Final[Mapping[str, str]] = {
    # http
    # chain
    # writes
    # execution
    # egress
    # platform
    # ledger
    # processor
    # status
}
"""Former setting -> the constant that replaced it."""
