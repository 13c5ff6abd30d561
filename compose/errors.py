"""Error of the package, with the exit code of a run that meets it."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of `svc-compose`: a closed set, the same as in `svc-verify`."""

    DONE = 0
    INTERNAL = 1
    """A fault of this program: nothing was decided."""
    MISUSE = 2
    """The command line contradicts itself or names what is not there."""
    REFUSED = 10
    """The request is refused: a finding of the check, a transaction that would fail."""
    UNDECIDED = 20
    """No result now: providers that do not answer or differ, an approval that is not due."""
    MALFORMED = 30
    """A file that was given cannot be read."""


class ComposeError(Exception):
    """States in one line what was found and what to do; never a secret, never the URL of a provider."""

    def __init__(self, code: Exit, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
