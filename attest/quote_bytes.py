"""Where a TDX quote keeps its report data (attestation.md section 1.1; pure).

Nothing here verifies a quote. It lets the node notice an agent that answers something else than what was asked.
"""

from typing import Final

REPORT_DATA_LENGTH_BYTES: Final = 64
TEE_TYPE_TDX: Final = 0x81
_BODY_TYPES_TDX: Final = frozenset({2, 3, 4})
"""Version 5: TD report 1.0, 1.5 and its extension; all begin with the fields of 1.0."""
_REPORT_DATA_IN_BODY: Final = 520
_BODY_AT: Final = {4: 48, 5: 54}
_BODY_TYPE_AT: Final = 48


def report_data_of(quote: bytes) -> bytes:
    """The 64 bytes that the quote is over. Raises ValueError when this is no TDX quote of version 4 or 5."""
    body_at = _BODY_AT.get(_number(quote, 0, 2))
    if body_at is None or _number(quote, 4, 4) != TEE_TYPE_TDX:
        raise ValueError("is no TDX quote of version 4 or 5")
    if body_at != _BODY_AT[4] and _number(quote, _BODY_TYPE_AT, 2) not in _BODY_TYPES_TDX:
        raise ValueError("is no quote of a TD")
    start = body_at + _REPORT_DATA_IN_BODY
    found = quote[start : start + REPORT_DATA_LENGTH_BYTES]
    if len(found) != REPORT_DATA_LENGTH_BYTES:
        raise ValueError("is cut off")
    return found


def _number(quote: bytes, start: int, length: int) -> int:
    return int.from_bytes(quote[start : start + length], "little")
