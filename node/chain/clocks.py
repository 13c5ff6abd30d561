"""The two clocks that reading the chain goes by."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clocks:
    """`monotonic` and `unix`, in seconds."""

    monotonic: Callable[[], float] = time.monotonic
    unix: Callable[[], float] = time.time
