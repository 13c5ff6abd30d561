"""Digests, HMAC and PBKDF2 by WebCrypto's names, and the types of native functions.

They use Python's own C modules. hashlib imports OpenSSL, which costs every process more than all
the others.
"""

import sys
from _collections_abc import Callable, Generator, Iterator  # collections.abc costs more
from _operator import _compare_digest  # hmac.compare_digest; hmac would bring hashlib
from _sha1 import sha1  # type: ignore[import-not-found]  # not in typeshed

if sys.version_info >= (3, 12):
    from _sha2 import sha256, sha384, sha512
else:
    from _sha256 import sha256  # type: ignore[import-not-found]  # likewise
    from _sha512 import sha384, sha512  # type: ignore[import-not-found]  # likewise


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


_HASHES = {"SHA-1": (sha1, 64), "SHA-256": (sha256, 64), "SHA-384": (sha384, 128), "SHA-512": (sha512, 128)}
"""Constructor and block size in bytes."""


class Hash:
    """Interface of Python's hashes, without instances: a protocol would import typing."""

    update: Callable[[bytes], None]
    digest: Callable[[], bytes]


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


def new_hash(name: str) -> Hash:
    """Returns the hash of WebCrypto's name. Raises KeyError for another."""
    made: Hash = _HASHES[name][0]()
    return made


def digest_hex(name: str, data: Text) -> str | Steps:
    """Returns the digest of the bytes of a hex text."""
    return finished(absorbed(new_hash(name), data), lambda state: state.digest().hex())


def hmac_hex(name: str, key: str, data: Text) -> str | Steps:
    """Returns the HMAC of the bytes of a hex text."""
    code = Hmac(name, bytes.fromhex(key))
    return finished(absorbed(code.start(), data), lambda state: code.finish(state).hex())


def equal_hex(one: str, other: str) -> str:
    """Returns "equal" or "different" in constant time."""
    return "equal" if _compare_digest(one, other) else "different"


class Hmac:
    """HMAC (RFC 2104) under one key; the two keyed states are made once."""

    def __init__(self, name: str, key: bytes) -> None:
        self._make, block = _HASHES[name]
        # RFC 2104 §2: a key longer than a block is hashed first.
        padded = (self._make(key).digest() if len(key) > block else key).ljust(block, b"\0")
        self._inner = self._make(bytes(byte ^ 0x36 for byte in padded))
        self._outer = self._make(bytes(byte ^ 0x5C for byte in padded))

    def of(self, data: bytes) -> bytes:
        """Returns the code of the data."""
        inner = self.start()
        inner.update(data)
        return self.finish(inner)

    def start(self) -> Hash:
        """Returns the inner state, which takes the data."""
        state: Hash = self._inner.copy()
        return state

    def finish(self, inner: Hash) -> bytes:
        """Returns the code of the inner state's data."""
        outer: Hash = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()


def pbkdf2_hex(name: str, password: str, salt: str, iterations: str, length: str) -> Steps:
    """Derives a key by RFC 8018, section 5.2, in steps."""
    code, salted = Hmac(name, bytes.fromhex(password)), bytes.fromhex(salt)
    rounds, wanted = int(iterations), int(length)
    # The caller chooses both; the action's own time limits the rounds.
    if wanted > _KEY_BYTES_MAX:
        raise ValueError("too long a key")
    key = b""
    block = 0
    while len(key) < wanted:
        block += 1
        last = code.of(salted + block.to_bytes(4))
        total = int.from_bytes(last)
        for done in range(1, rounds):
            last = code.of(last)
            total ^= int.from_bytes(last)
            if done % _STEP_ITERATIONS == 0:
                yield
        key += total.to_bytes(len(last))
        yield
    return key[:wanted].hex()
