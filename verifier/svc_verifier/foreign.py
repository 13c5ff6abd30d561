"""Calls of libraries that read a stranger's bytes: whatever they raise leaves as a VerifierError.

Neither dcap-qvl nor cryptography lists what it raises: a subject attribute of an odd ASN.1 type is a TypeError, found only
when the subject is read, and a panic of Rust code is no Exception at all.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from svc_verifier.errors import VerifierError, VerifierErrorCode

Result = TypeVar("Result")
FATAL: Final = (KeyboardInterrupt, SystemExit, MemoryError)
"""What is not about the bytes, and ends the program."""


def guarded(code: VerifierErrorCode, describe: Callable[[BaseException], str], work: Callable[[], Result]) -> Result:
    """The result of `work`. Raises VerifierError(`code`) with what `describe` says of any foreign exception."""
    try:
        return work()
    except (VerifierError, *FATAL):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a Rust library is no Exception
        raise VerifierError(code, describe(error)) from None
