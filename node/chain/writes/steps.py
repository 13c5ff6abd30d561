"""The steps of a write, named, for whoever watches them: metrics, traces, and the tests that kill the node there."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias


class WriteStep(StrEnum):
    """What has just been done."""

    SIMULATED = "simulated"
    SIGNED = "signed"
    STORED = "stored"
    SENT = "sent"
    MINED = "mined"
    TOLD = "told"
    ENDED = "ended"


OnStep: TypeAlias = Callable[[WriteStep], None]
"""Called between steps; must return at once and not raise."""


def no_one(_step: WriteStep) -> None:
    """Watches nothing."""
