"""Errors of the verifier, the guard around libraries, and the exit codes of `svc-verify`."""

from collections.abc import Callable
from enum import IntEnum, StrEnum
from typing import Final, TypeVar


class VerifierErrorCode(StrEnum):
    """Reasons why bytes were refused. The texts are stable, since tools may match them."""

    TOO_LARGE = "too_large"
    """Longer, or more of them, than the limit allows."""

    TRUNCATED = "truncated"
    """Ends before what it announces."""

    UNSUPPORTED_VERSION = "unsupported_version"
    """A quote version this verifier does not know."""

    NOT_TDX = "not_tdx"
    """A quote of another kind of TEE."""

    UNSUPPORTED_BODY = "unsupported_body"
    """A report body this verifier does not know, or one of another size than its type has."""

    UNSUPPORTED_SIGNATURE = "unsupported_signature"
    """A signature or certification type this verifier does not know."""

    INCONSISTENT_SIZES = "inconsistent_sizes"
    """Nested lengths that do not add up."""

    NOT_HEX = "not_hex"
    """A text that should be hex and is not."""

    NOT_JSON = "not_json"
    """A text that should be JSON and is not, or names a key twice."""

    BAD_EVENT = "bad_event"
    """An event without a field, or with a value of the wrong type or length."""

    BAD_REGISTER = "bad_register"
    """An event for a register that is none of RTMR0 to RTMR3."""

    WRONG_EVENT_TYPE = "wrong_event_type"
    """A runtime event outside RTMR3, or another event inside it."""

    DIGEST_MISMATCH = "digest_mismatch"
    """An event's stated digest or preimage is not that of its type, name and payload."""

    BAD_BOOT_ORDER = "bad_boot_order"
    """Boot events missing, repeated, unknown or out of order."""

    BAD_BUNDLE = "bad_bundle"
    """A bundle that cannot be read."""

    BAD_TRUST = "bad_trust"
    """A trust file or option that cannot be read."""

    BAD_HOST = "bad_host"
    """A host that is not named as https://HOST[:PORT]."""

    NOT_ACCEPTED = "not_accepted"
    """A host whose verification did not end in acceptance. Nothing is sent to it."""

    OTHER_HOST = "other_host"
    """A request to somewhere else than the host that was verified."""

    UNREACHABLE = "unreachable"
    """A source without a response, or with one that is unreadable."""

    UNREADABLE = "unreadable"
    """Bytes over which a library fails in a way that its reader does not foresee."""

    BAD_ROOT = "bad_root"
    """A root certificate that is not the pinned one."""

    BAD_PCK = "bad_pck"
    """A quote whose PCK certificate chain cannot be read."""

    BAD_SIGNATURE = "bad_signature"
    """A quote that dcap-qvl refuses."""

    BAD_COLLATERAL = "bad_collateral"
    """Collateral that is not of its form."""

    TRAILING_BYTES = "trailing_bytes"
    """Bytes after a quote that are no padding."""

    BAD_INFO = "bad_info"
    """An /info response without what the specification promises."""

    BAD_EVIDENCE = "bad_evidence"
    """A file of the evidence set that is not of its form."""

    BAD_STATEMENT = "bad_statement"
    """A nonce statement that is not of its form."""

    BAD_IMAGE = "bad_image"
    """A statement about the operating system image that is malformed or contradictory."""

    BAD_IMPORT = "bad_import"
    """A file of evidence that is of no known shape, or contradicts another."""

    BAD_COMPOSE = "bad_compose"
    """An app-compose or docker compose file that cannot be read without doubt."""


class VerifierError(Exception):
    """Root of every error of the package. Its message says in one line what was wrong."""

    def __init__(self, code: VerifierErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


Result = TypeVar("Result")
FATAL: Final = (KeyboardInterrupt, SystemExit, MemoryError)
"""Errors that are not about the bytes and end the program."""


def guarded(code: VerifierErrorCode, describe: Callable[[BaseException], str], work: Callable[[], Result]) -> Result:
    """Returns the result of `work`. Raises VerifierError(`code`) for any foreign exception."""
    try:
        return work()
    # Exhausted memory is this machine's fault, so it must not become a failed check.
    except (VerifierError, *FATAL):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a Rust library is no Exception
        raise VerifierError(code, describe(error)) from None


class Exit(IntEnum):
    """Exit codes. 0, 10 and 20 are `Verdict.exit_code`."""

    ACCEPTED = 0
    INTERNAL = 1
    """A fault of this program. Nothing was decided."""
    MISUSE = 2
    """The command line contradicts itself or names a missing thing."""
    REJECTED = 10
    UNDECIDED = 20
    MALFORMED = 30
    """A file that was given (bundle, trust file, root) cannot be read."""


def exit_of(code: VerifierErrorCode) -> Exit:
    """Returns the exit code of an error. A server's bytes only cause failed checks."""
    if code is VerifierErrorCode.BAD_HOST:
        return Exit.MISUSE
    if code in {VerifierErrorCode.UNREACHABLE, VerifierErrorCode.NOT_ACCEPTED}:
        return Exit.UNDECIDED
    return Exit.MALFORMED
