"""Hex as other programs write it: one reader, so that the same text is never taken here and refused there."""


def hex_bytes(text: str) -> bytes:
    """Returns the bytes of hex digits in either case, with or without 0x before them. Raises ValueError for anything else."""
    digits = text[2:] if text[:2] in {"0x", "0X"} else text
    # fromhex skips blanks between bytes; hex from elsewhere has none
    if digits and not digits.isalnum():
        raise ValueError("not hex")
    return bytes.fromhex(digits)
