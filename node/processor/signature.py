"""Who sent a webhook call: `Stripe-Signature`, checked with our clock.

Source: https://docs.stripe.com/webhooks/signature. The library's own check reads the machine's clock, takes one secret,
and takes a time in the future.
"""

import hashlib
import hmac
import re
from collections.abc import Sequence
from typing import Final

from node.processor.port import Fault, ProcessorError

HEADER_MAX_CHARACTERS: Final = 2048
_TIME: Final = re.compile(r"[0-9]{1,12}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{64}")


def _bad(reason: str) -> ProcessorError:
    return ProcessorError(Fault.BAD_SIGNATURE, reason)


def _parts(header: str) -> tuple[str, list[str]]:
    if len(header) > HEADER_MAX_CHARACTERS:
        raise _bad("the signature header is too long")
    items = [item.strip().partition("=") for item in header.split(",")]
    times = [value for name, _, value in items if name == "t"]
    if len(times) != 1 or _TIME.fullmatch(times[0]) is None:
        raise _bad("the signature header names no time")
    return times[0], [value for name, _, value in items if name == "v1" and _SIGNATURE.fullmatch(value)]


def require_signed(payload: bytes, header: str, secrets: Sequence[str], now_s: float, tolerance_s: float) -> None:
    """Pass when one of `secrets` signed `payload` at most `tolerance_s` from `now_s` (unix seconds).

    Raises ProcessorError `bad_signature`.
    """
    time, signatures = _parts(header)
    signed = time.encode() + b"." + payload
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    matches = [hmac.compare_digest(ours, theirs) for ours in expected for theirs in signatures]
    if not any(matches):
        raise _bad("no signature is of our secret")
    if abs(now_s - int(time)) > tolerance_s:
        raise _bad("signed too long ago, or in the future")
