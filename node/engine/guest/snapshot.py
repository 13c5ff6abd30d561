"""Make the snapshots that actions start from: `python -m node.engine.guest.snapshot`.

A snapshot is the guest after it has loaded the prelude and used a library, its memory baked into a module, the module
compiled ahead of time. The same inputs give the same bytes.
"""

import hashlib
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
    maker = _Maker(GUEST.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    made = {f"{name}.bytecode": code for name, code in maker.libraries.items()}
    for name, library in SNAPSHOTS.items():
        made[f"{name}.cwasm"] = wasmtime_api.compile_module(maker.snapshot(library))
    artifacts.write(folder, made)


class _Maker:
    def __init__(self, guest: bytes) -> None:
        self._guest = guest
        config = wasmtime.Config()
        self._engine = wasmtime.Engine(config)
        self._module = wasmtime.Module(self._engine, guest)
        self.libraries: Mapping[str, bytes] = {}
        # An instance of its own: what a parser leaves in the heap is not to be in a snapshot.
        compiling = Guest(self._engine, self._module, {})
        self.libraries = {name: compiling.compile(f"{name}.js", _library_source(name)) for name in LIBRARIES}
        self._offer = compiling.compile("libraries.js", _offer_source())
        self._prelude = compiling.compile("prelude.js", prelude_source())
        self._warm = {
            name: compiling.compile("warm.js", (artifacts.HERE / "warm.js").read_text("ascii").replace("LIBRARY", f'"{name}"'))
            for name in LIBRARIES
        }

    def snapshot(self, library: str | None) -> bytes:
        """The module whose instances have the prelude, and the library when there is one, loaded and used."""
        guest = Guest(self._engine, self._module, self.libraries)
        guest.load("libraries.js", self._offer)
        guest.load("prelude.js", self._prelude, is_bridge=True)
        failure = guest.load("warm.js", self._warm[library]) if library else ""
        if failure:
            raise GuestError(f"the library {library} does not work: {failure}")
        return with_memory(self._guest, guest.settled_memory())


def _library_source(name: str) -> str:
    return (files("node.engine") / "libraries" / f"{name}.js").read_text(encoding="ascii")


def _offer_source() -> str:
    names = f"const NATIVES = {list(natives.library_names())}, LIBRARIES = {list(LIBRARIES)};"
    return f"{{ {names}\n{_library_source('globals')} }}"


if __name__ == "__main__":
    main()
