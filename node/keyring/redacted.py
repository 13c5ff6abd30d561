"""What every object that holds key material has in common: it neither prints nor leaves the process."""

from typing import NoReturn


class Redacted:
    """Base of secret-holding classes: repr and str without content, no pickling, no copying, no attribute dump."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} redacted>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds key material and is never serialised")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds key material and has no state to show")
