"""Makes the snapshots that actions start from (`python -m node.engine.guest.snapshot`).

A snapshot is the guest after it has loaded the prelude, the JavaScript that surrounds every action,
and used a library. Its memory becomes data of a module, which is compiled ahead of time. Equal
inputs give equal bytes. The format is section 5.5 of the WebAssembly core specification.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

import wasmtime

from node.engine.guest import artifacts
from node.engine.guest.running import Guest, GuestError
from node.engine.worker import natives, wasmtime_api


@dataclass(frozen=True, slots=True)
class _Part:
    """Part of the prelude with a scope of its own, the constant `name` of the rest.

    `names` become globals of the action. `exports` are visible to the rest of the prelude, as
    members of the constant.
    """

    name: str
    files: Sequence[str]
    names: Sequence[str]
    exports: Sequence[str] = ()

    def source(self) -> str:
        """Returns the JavaScript of the part."""
        answer = ", ".join(["__proto__: null", *self.names, *self.exports])
        exposed = (f'expose("{name}", {self.name}.{name});' for name in self.names)
        return "\n".join(
            [
                f"const {self.name} = (() => {{",
                *map(_read, self.files),
                f"return {{ {answer} }};",
                "})();",
                *exposed,
            ]
        )


_FIRST: Final = (
    "intrinsics",
    "standard",
    "report",
    "console",
    "timers",
    "random",
    "text",
    "clone",
    "requests",
    "actions",
)
_PARTS: Final = (
    _Part(
        "urlPart",
        ("url/percent", "url/host", "url/parser", "url/search_params", "url/url"),
        names=("URL", "URLSearchParams"),
        exports=("parseUrl", "urlText", "isParams", "paramsText", "parseForm"),
    ),
    _Part(
        "abortPart",
        ("abort/events", "abort/signal"),
        names=("Event", "CustomEvent", "EventTarget", "AbortController", "AbortSignal"),
        exports=("isSignal", "whenAborted", "following"),
    ),
    _Part(
        "streamsPart",
        ("streams/reading", "streams/text_streams"),
        names=(
            "ByteLengthQueuingStrategy",
            "CountQueuingStrategy",
            "ReadableByteStreamController",
            "ReadableStream",
            "ReadableStreamBYOBReader",
            "ReadableStreamBYOBRequest",
            "ReadableStreamDefaultController",
            "ReadableStreamDefaultReader",
            "TextDecoderStream",
            "TextEncoderStream",
            "TransformStream",
            "TransformStreamDefaultController",
            "WritableStream",
            "WritableStreamDefaultController",
            "WritableStreamDefaultWriter",
        ),
        exports=(
            "handOnStream",
            "isStream",
            "isStreamLocked",
            "isStreamRead",
            "readWhole",
            "streamOfBytes",
            "streamOfIterable",
            "teeStream",
            "useUp",
        ),
    ),
    _Part(
        "formsPart",
        ("forms/lines", "forms/blob", "forms/form_data", "forms/media_type", "forms/multipart"),
        names=("Blob", "File", "FormData"),
        exports=("blobBytes", "blobFrom", "blobType", "decodeForm", "encodeForm", "isBlob", "isForm", "withParameters"),
    ),
    _Part(
        "fetchPart",
        ("fetch/headers", "fetch/body", "fetch/request", "fetch/response", "fetch/fetch"),
        names=("Headers", "Request", "Response"),
        exports=("fetchNow",),
    ),
    _Part(
        "cryptoPart",
        ("crypto/keys", "crypto/secret_keys", "crypto/aes", "crypto/elliptic", "crypto/subtle"),
        names=("CryptoKey", "SubtleCrypto"),
        exports=("subtle",),
    ),
)
_LAST: Final = ("globals", "lockdown", "bridge")


def prelude_source() -> str:
    """Returns a script whose value is the bridge function."""
    parts = [
        *map(_read, _FIRST),
        *(part.source() for part in _PARTS),
        *map(_read, _LAST),
    ]
    body = "\n".join([*parts, "return bridge;\n})()"])
    return f"(() => {{ 'use strict';\n{body}"


def _read(name: str) -> str:
    return (files("node.engine") / "prelude" / f"{name}.js").read_text(encoding="utf-8")


LIBRARIES: Final = ("ethers", "ethers6")
SNAPSHOTS: Final[Mapping[str, str | None]] = {"plain": None, "ethers": "ethers", "ethers6": "ethers6"}
"""Library of each snapshot, already loaded in it."""
GUEST: Final = artifacts.HERE / "guest.wasm"

_HEADER: Final = b"\0asm\x01\0\0\0"
_CUSTOM, _MEMORY, _DATA, _DATA_COUNT = 0, 5, 11, 12
_WASM_PAGE: Final = 64 << 10
_PAGE: Final = 4096
_GAP_PAGES: Final = 4
"""Maximum run of zero pages within a segment; it costs less than another segment."""
_ACTIVE_AT_CONSTANT: Final = b"\x00\x41"
_END: Final = b"\x0b"


def main() -> None:
    """Makes the snapshots, unless they exist and are made of the present inputs."""
    if not artifacts.are_current():
        make(artifacts.FOLDER)
    sys.stdout.write(f"snapshots: {artifacts.FOLDER}\n")


def make(folder: Path) -> None:
    """Makes all artifacts in a folder. Raises GuestError, WasmtimeError or OSError."""
    maker = Maker()
    made = {f"{name}.bytecode": code for name, code in maker.libraries.items()}
    for name, library in SNAPSHOTS.items():
        made[f"{name}.cwasm"] = wasmtime_api.compile_module(maker.snapshot(library))
    artifacts.write(folder, made)


class Maker:
    """The guest, and the bytecode of every script of a snapshot."""

    def __init__(self) -> None:
        self._guest = GUEST.read_bytes()
        self.engine = wasmtime.Engine()
        self.module = wasmtime.Module(self.engine, self._guest)
        # A separate instance, so that a parser's heap does not enter a snapshot.
        self._compiling = Guest(self.engine, self.module, {})
        self._compiling.start_engine()
        warm = (artifacts.HERE / "warm.js").read_text("ascii")
        self.libraries = {name: self.compile(f"{name}.js", _library_source(name)) for name in LIBRARIES}
        names = f"const NATIVES = {list(natives.library_names())}, LIBRARIES = {list(LIBRARIES)};"
        self._offer = self.compile("libraries.js", f"{{ {names}\n{_library_source('globals')} }}")
        self._streams = self.compile(
            "streams.js", f"this.webStreams = {_library_source('streams').rstrip()}(); undefined"
        )
        self._prelude = self.compile("prelude.js", prelude_source())
        self._warm = {name: self.compile("warm.js", warm.replace("LIBRARY", f'"{name}"')) for name in LIBRARIES}

    def compile(self, name: str, source: str) -> bytes:
        """Returns a script's bytecode. Raises GuestError."""
        return self._compiling.compile(name, source)

    def load_prelude(self, guest: Guest) -> None:
        """Starts a guest and loads the prelude with the names of libraries. Raises GuestError."""
        guest.start_engine()
        guest.load("libraries.js", self._offer)
        # Apart from the prelude, most of whose functions every action needs.
        guest.load("streams.js", self._streams)
        guest.load("prelude.js", self._prelude, is_bridge=True)

    def warm(self, guest: Guest, library: str) -> None:
        """Loads a library and uses it. Raises GuestError if it does not work."""
        failure = guest.load("warm.js", self._warm[library])
        if failure:
            raise GuestError(f"the library {library} does not work: {failure}")

    def snapshot(self, library: str | None) -> bytes:
        """Returns a module whose instances begin with the prelude and the library, if any."""
        guest = Guest(self.engine, self.module, self.libraries)
        self.load_prelude(guest)
        if library is not None:
            self.warm(guest, library)
        return with_memory(self._guest, guest.settled_memory())


def _library_source(name: str) -> str:
    return (files("node.engine") / "libraries" / f"{name}.js").read_text(encoding="ascii")


class WasmFileError(ValueError):
    """The bytes are no module, or no module like the guest."""


def with_memory(module: bytes, memory: bytes) -> bytes:
    """Returns the module with other memory and data, with which an instance begins.

    Globals keep their initial values; the caller ensures that they have not changed.
    """
    segments = list(_used_parts(memory))
    data = _number(len(segments))
    for start, end in segments:
        data += _ACTIVE_AT_CONSTANT + _signed(start) + _END + _number(end - start) + memory[start:end]
    made = _HEADER
    for kind, body in _sections(module):
        if kind == _MEMORY:
            made += _section(kind, _grown(body, len(memory) // _WASM_PAGE))
        elif kind == _DATA_COUNT:
            made += _section(kind, _number(len(segments)))
        elif kind == _DATA:
            made += _section(kind, data)
        # Custom sections have names and tools, which no instance needs.
        elif kind != _CUSTOM:
            made += _section(kind, body)
    return made


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    if not module.startswith(_HEADER):
        raise WasmFileError("not a WebAssembly module")
    at = len(_HEADER)
    while at < len(module):
        size, body = _read_number(module, at + 1)
        yield module[at], module[body : body + size]
        at = body + size


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _number(len(body)) + body


def _grown(memories: bytes, pages: int) -> bytes:
    """Returns the memory section with another initial size."""
    # Keep the maximum, which is the final limit of an instance's memory.
    if memories[:2] != b"\x01\x01":
        raise WasmFileError("the guest has one memory with a maximum")
    _, maximum = _read_number(memories, 2)
    return memories[:2] + _number(pages) + memories[maximum:]


def _used_parts(memory: bytes) -> Iterator[tuple[int, int]]:
    """Yields start and end of the parts that are not zero, in whole pages."""
    start = end = None
    for page in range(0, len(memory), _PAGE):
        if not any(memory[page : page + _PAGE]):
            continue
        if start is not None and end is not None and page - end > _GAP_PAGES * _PAGE:
            yield start, end
            start = None
        if start is None:
            start = page
        end = page + _PAGE
    if start is not None and end is not None:
        yield start, end


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    """Returns an unsigned LEB128 number and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _number(value: int, last_below: int = 0x80) -> bytes:
    """Encodes an unsigned LEB128 number."""
    encoded = b""
    while value >= last_below:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def _signed(value: int) -> bytes:
    """Encodes a signed LEB128 number that is not negative, with a zero sign bit."""
    return _number(value, last_below=0x40)


if __name__ == "__main__":
    main()
