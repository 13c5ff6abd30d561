"""Error of the package, with the exit code of a run that meets it."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of `svc-compose`, a closed set, the same as in `svc-verify`."""

    DONE = 0
    INTERNAL = 1
    """A fault of this program; nothing was decided."""
    MISUSE = 2
    """The command line contradicts itself or names a missing thing."""
    REFUSED = 10
    """The request is refused, by a finding of the check or a transaction that would fail."""
    UNDECIDED = 20
    """No result now: a provider is silent or differs, or an approval is not due."""
    MALFORMED = 30
    """A given file cannot be read."""


class ComposeError(Exception):
    """States in one line the fault and its fix, without secrets or URLs of providers."""

    def __init__(self, code: Exit, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
