"""Make the snapshots that actions start from: `python -m node.engine.guest.snapshot`.

A snapshot is the guest after it has loaded the prelude and used a library, its memory baked into a module, the module
compiled ahead of time. The same inputs give the same bytes.
"""

import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

import wasmtime

from node.engine.guest import artifacts
from node.engine.guest.running import Guest, GuestError
from node.engine.guest.wasm_file import with_memory
from node.engine.prelude_source import prelude_source
from node.engine.worker import natives, wasmtime_api

LIBRARIES: Final = ("ethers", "ethers6")
SNAPSHOTS: Final[Mapping[str, str | None]] = {"plain": None, "ethers": "ethers", "ethers6": "ethers6"}
"""Each snapshot and the library that has been loaded in it."""
GUEST: Final = artifacts.HERE / "guest.wasm"


def main() -> None:
    """Make the snapshots, unless they are there and made of the same."""
    if not artifacts.are_current():
        make(artifacts.FOLDER)
    sys.stdout.write(f"snapshots: {artifacts.FOLDER}\n")


def make(folder: Path) -> None:
    """Make all artifacts in a folder. Raises GuestError, WasmtimeError or OSError."""
    maker = Maker()
    made = {f"{name}.bytecode": code for name, code in maker.libraries.items()}
    for name, library in SNAPSHOTS.items():
        made[f"{name}.cwasm"] = wasmtime_api.compile_module(maker.snapshot(library))
    artifacts.write(folder, made)


class Maker:
    """The guest, and the bytecode of every script that goes into a snapshot."""

    def __init__(self) -> None:
        self._guest = GUEST.read_bytes()
        self.engine = wasmtime.Engine()
        self.module = wasmtime.Module(self.engine, self._guest)
        # An instance of its own: what a parser leaves in the heap is not to be in a snapshot.
        self._compiling = Guest(self.engine, self.module, {})
        self._compiling.start_engine()
        warm = (artifacts.HERE / "warm.js").read_text("ascii")
        self.libraries = {name: self.compile(f"{name}.js", _library_source(name)) for name in LIBRARIES}
        self._offer = self.compile("libraries.js", _offer_source())
        self._prelude = self.compile("prelude.js", prelude_source())
        self._warm = {name: self.compile("warm.js", warm.replace("LIBRARY", f'"{name}"')) for name in LIBRARIES}

    def compile(self, name: str, source: str) -> bytes:
        """Bytecode of a script. Raises GuestError."""
        return self._compiling.compile(name, source)

    def load_prelude(self, guest: Guest) -> None:
        """Start a guest and load the prelude, which knows the libraries by name. Raises GuestError."""
        guest.start_engine()
        guest.load("libraries.js", self._offer)
        guest.load("prelude.js", self._prelude, is_bridge=True)

    def warm(self, guest: Guest, library: str) -> None:
        """Load a library and use it. Raises GuestError when it does not work."""
        failure = guest.load("warm.js", self._warm[library])
        if failure:
            raise GuestError(f"the library {library} does not work: {failure}")

    def snapshot(self, library: str | None) -> bytes:
        """The module whose instances begin with the prelude, and the library when there is one, loaded and used."""
        guest = Guest(self.engine, self.module, self.libraries)
        self.load_prelude(guest)
        if library is not None:
            self.warm(guest, library)
        return with_memory(self._guest, guest.settled_memory())


def _library_source(name: str) -> str:
    return (files("node.engine") / "libraries" / f"{name}.js").read_text(encoding="ascii")


def _offer_source() -> str:
    names = f"const NATIVES = {list(natives.library_names())}, LIBRARIES = {list(LIBRARIES)};"
    return f"{{ {names}\n{_library_source('globals')} }}"


if __name__ == "__main__":
    main()
