"""Digests, HMAC and PBKDF2 by WebCrypto's names, and the types of native functions."""

import hashlib
import hmac
from collections.abc import Callable, Generator, Iterator
from typing import Protocol

_PART_BYTES = 128 * 1024
"""Bytes of a long text read at a time, whose hash takes about a millisecond."""


class LongText:
    """An argument too long to read at once. A function that cannot take parts refuses it."""

    def __init__(self, read: Callable[[int, int], bytes], at: int, length: int) -> None:
        self._read = read
        self._at = at
        self._length = length

    def parts(self) -> Iterator[str]:
        """Yields its text in parts of even length, so that no hex pair is cut."""
        for at in range(self._at, self._at + self._length, _PART_BYTES):
            yield self._read(at, min(_PART_BYTES, self._at + self._length - at)).decode()


Text = str | LongText
Steps = Generator[None, None, str]
"""A long computation that yields after some milliseconds each, and returns the result."""
Native = Callable[..., str | Steps]


def never_raising(function: Native) -> Native:
    """Returns the function with "" instead of an exception."""

    def answer(*arguments: Text) -> str | Steps:
        try:
            answered = function(*arguments)
        except BaseException:  # noqa: BLE001 - the script gets ""
            return ""
        return answered if isinstance(answered, str) else _steps(answered)

    return answer


def _steps(steps: Steps) -> Steps:
    try:
        return (yield from steps)
    except GeneratorExit:
        raise
    except BaseException:  # noqa: BLE001 - the script gets ""
        return ""


_HASHES = {
    "SHA-1": hashlib.sha1,
    "SHA-256": hashlib.sha256,
    "SHA-384": hashlib.sha384,
    "SHA-512": hashlib.sha512,
}


class Hash(Protocol):
    """A hash or an HMAC that takes its data in parts."""

    def update(self, data: bytes, /) -> None:
        """Takes a part of the data."""

    def digest(self) -> bytes:
        """Returns the digest of the data so far."""


_STEP_ITERATIONS = 2_000
"""Iterations of PBKDF2 between two yields, some milliseconds."""
_KEY_BYTES_MAX = 64 * 1024
"""Maximum derived key, for which a reply has room."""


def absorbed(state: Hash, data: Text) -> Hash | Generator[None, None, Hash]:
    """Returns the state after the bytes of a hex text, at once or in steps if it is long."""
    if isinstance(data, LongText):
        return _absorbed(state, data)
    state.update(bytes.fromhex(data))
    return state


def _absorbed(state: Hash, data: LongText) -> Generator[None, None, Hash]:
    for part in data.parts():
        state.update(bytes.fromhex(part))
        yield
    return state


def finished(state: Hash | Generator[None, None, Hash], finish: Callable[[Hash], str]) -> str | Steps:
    """Returns `finish` of the state from `absorbed`, at once or after its steps."""
    return _finished(state, finish) if isinstance(state, Generator) else finish(state)


def _finished(steps: Generator[None, None, Hash], finish: Callable[[Hash], str]) -> Steps:
    return finish((yield from steps))


def digest_of(state: Hash, data: Text) -> str | Steps:
    """Returns the digest of the state after the bytes of a hex text."""
    return finished(absorbed(state, data), lambda ended: ended.digest().hex())


def new_hash(name: str) -> Hash:
    """Returns the hash of WebCrypto's name. Raises KeyError for another."""
    return _HASHES[name]()


def digest_hex(name: str, data: Text) -> str | Steps:
    """Returns the digest of the bytes of a hex text."""
    return digest_of(new_hash(name), data)


def hmac_hex(name: str, key: str, data: Text) -> str | Steps:
    """Returns the HMAC of the bytes of a hex text."""
    return digest_of(hmac.new(bytes.fromhex(key), digestmod=_HASHES[name]), data)


def equal_hex(one: str, other: str) -> str:
    """Returns "equal" or "different" in constant time."""
    return "equal" if hmac.compare_digest(one, other) else "different"


def pbkdf2_hex(name: str, password: str, salt: str, iterations: str, length: str) -> Steps:
    """Derives a key by RFC 8018, section 5.2, in steps; hashlib's function has none."""
    keyed, salted = hmac.new(bytes.fromhex(password), digestmod=_HASHES[name]), bytes.fromhex(salt)
    # ethers derives with no iteration what it derives with one.
    rounds, wanted = max(int(iterations), 1), int(length)
    # The caller chooses both; the action's own time limits the rounds.
    if wanted > _KEY_BYTES_MAX:
        raise ValueError("too long a key")
    key = b""
    block = 0
    while len(key) < wanted:
        block += 1
        last, total = salted + block.to_bytes(4), 0
        for done in range(1, rounds + 1):
            # A copy, since a new one would hash the key again.
            code = keyed.copy()
            code.update(last)
            last = code.digest()
            total ^= int.from_bytes(last)
            if done % _STEP_ITERATIONS == 0:
                yield
        key += total.to_bytes(len(last))
        yield
    return key[:wanted].hex()
