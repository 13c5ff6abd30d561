"""The exit codes of `svc-verify`: a closed set that scripts may rest on."""

from enum import IntEnum

from svc_verifier.errors import VerifierErrorCode


class Exit(IntEnum):
    """How a run ended. 0, 10 and 20 are `Verdict.exit_code`."""

    ACCEPTED = 0
    INTERNAL = 1
    """A fault of this program: nothing was decided."""
    MISUSE = 2
    """The command line contradicts itself or names what is not there."""
    REJECTED = 10
    UNDECIDED = 20
    MALFORMED = 30
    """A file that was given (bundle, trust file, root) cannot be read."""


def exit_of(code: VerifierErrorCode) -> Exit:
    """The exit code of an error that ends a run. What a server sends never does: it becomes a failed check."""
    if code is VerifierErrorCode.BAD_HOST:
        return Exit.MISUSE
    if code in {VerifierErrorCode.UNREACHABLE, VerifierErrorCode.NOT_ACCEPTED}:
        return Exit.UNDECIDED
    return Exit.MALFORMED
