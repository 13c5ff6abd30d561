"""The few Ethereum encodings that are needed, each strict."""

from typing import Final

from sha3 import keccak_256

WORD: Final = 32
ADDRESS: Final = 20
_MAX_ITEMS: Final = 1_024


def keccak(data: bytes) -> bytes:
    """Keccak-256 as Ethereum uses it."""
    digest: bytes = keccak_256(data).digest()
    return digest


def selector(signature: str) -> bytes:
    """The first four bytes of a function signature's hash."""
    return keccak(signature.encode())[:4]


def topic(signature: str) -> bytes:
    """An event signature's hash."""
    return keccak(signature.encode())


def address_word(address: bytes) -> bytes:
    """A 20-byte address as an argument."""
    return address.rjust(WORD, b"\0")


def decode_bool(answer: bytes | None) -> bool | None:
    """Returns True or False; None for any other value."""
    return (
        {0: False, 1: True}.get(int.from_bytes(answer, "big")) if answer is not None and len(answer) == WORD else None
    )


def decode_number(answer: bytes | None) -> int | None:
    """Returns an unsigned integer; None for anything else."""
    return int.from_bytes(answer, "big") if answer is not None and len(answer) == WORD else None


def decode_address(answer: bytes | None) -> bytes | None:
    """Returns 20 bytes; None for anything that is no address."""
    return answer[12:] if answer is not None and len(answer) == WORD and not any(answer[:12]) else None


def decode_pairs(answer: bytes | None) -> tuple[tuple[bytes, int], ...] | None:
    """Returns an array of (bytes32, uint256); None for anything else."""
    words = _array(answer, 2)
    if words is None:
        return None
    return tuple((words[place], int.from_bytes(words[place + 1], "big")) for place in range(0, len(words), 2))


def decode_addresses(answer: bytes | None) -> tuple[bytes, ...] | None:
    """Returns an array of addresses; None for anything else."""
    words = _array(answer, 1)
    # An address fills the last 20 bytes of a word. Other upper bytes are no ABI encoding.
    if words is None or any(any(word[:12]) for word in words):
        return None
    return tuple(word[12:] for word in words)


def decode_byte_strings(answer: bytes | None, count: int) -> tuple[bytes, ...] | None:
    """Returns `count` byte strings of a struct's getter; None for anything else."""
    if answer is None:
        return None
    found = []
    for place in range(count):
        offset = int.from_bytes(answer[place * WORD : (place + 1) * WORD], "big")
        length = int.from_bytes(answer[offset : offset + WORD], "big") if offset + WORD <= len(answer) else -1
        if length < 0 or offset + WORD + length > len(answer):
            return None
        found.append(answer[offset + WORD : offset + WORD + length])
    return tuple(found)


def _array(answer: bytes | None, words_each: int) -> tuple[bytes, ...] | None:
    """Returns the words of a dynamic array of static items that is the whole result."""
    # The offset must be the usual 32, since another one could point two readers at different data.
    if answer is None or len(answer) < 2 * WORD or int.from_bytes(answer[:WORD], "big") != WORD:
        return None
    count = int.from_bytes(answer[WORD : 2 * WORD], "big")
    # The length must be exact, since no reader would see bytes after the array.
    if count > _MAX_ITEMS or len(answer) != 2 * WORD + count * words_each * WORD:
        return None
    return tuple(answer[start : start + WORD] for start in range(2 * WORD, len(answer), WORD))
