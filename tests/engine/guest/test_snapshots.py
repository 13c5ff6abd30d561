"""Snapshots: the same bytes from the same inputs, nothing in them that actions must not share, a library that works."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wasmtime

from node.engine.guest import artifacts
from node.engine.guest.running import Guest, GuestError
from node.engine.guest.snapshot import LIBRARIES, Maker, WasmFileError, with_memory
from tests.engine.guest.instances import Instance
from tests.support.node import REPOSITORY

MAKE = "import sys; from pathlib import Path; from node.engine.guest.snapshot import make; make(Path(sys.argv[1]))"


def test_those_that_are_installed_are_of_the_present_sources() -> None:
    assert artifacts.are_current(), "run `make setup`"


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
def test_another_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    elsewhere = tmp_path / "some" / "other" / "place"
    unneeded = shutil.ignore_patterns("__pycache__", "swagger_ui", "snapshots")
    shutil.copytree(REPOSITORY / "node", elsewhere / "node", ignore=unneeded)
    made = tmp_path / "made"
    subprocess.run([sys.executable, "-c", MAKE, made], cwd=elsewhere, check=True)
    installed = {path.name: path.read_bytes() for path in artifacts.FOLDER.iterdir()}
    assert {path.name: path.read_bytes() for path in made.iterdir()} == installed
    assert not [name for name, content in installed.items() if str(REPOSITORY).encode() in content]


@pytest.mark.parametrize("script", ["Date.now()", "new Date()", "performance.now()", "setTimeout(() => 1, 5)"])
def test_the_clock_cannot_be_read_before_the_snapshot(maker: Maker, guest: Guest, script: str) -> None:
    with pytest.raises(GuestError, match="the clock was read before the snapshot"):
        guest.load("drawing.js", maker.compile("drawing.js", script))


@pytest.mark.parametrize(
    "script", ["Math.random()", "crypto.randomUUID()", "crypto.getRandomValues(new Uint8Array(1))"]
)
def test_randomness_cannot_be_drawn_before_the_snapshot(maker: Maker, guest: Guest, script: str) -> None:
    with pytest.raises(GuestError, match="randomness was drawn before the snapshot"):
        guest.load("drawing.js", maker.compile("drawing.js", script))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_that_does_not_work_is_told(maker: Maker, guest: Guest, library: str) -> None:
    guest.load("breaking.js", maker.compile("breaking.js", f"globalThis.{library} = {{}}; undefined"))
    with pytest.raises(GuestError, match=r"is not a constructor|of undefined"):
        maker.warm(guest, library)


def test_a_script_that_throws_or_is_none_is_told(maker: Maker, guest: Guest) -> None:
    with pytest.raises(GuestError, match=r"odd\.js: Error: why"):
        guest.load("odd.js", maker.compile("odd.js", "throw new Error('why')"))
    with pytest.raises(GuestError, match=r"odd\.js: SyntaxError"):
        maker.compile("odd.js", "const")


@pytest.mark.parametrize("library", [None, *LIBRARIES])
def test_a_settled_guest_goes_on(maker: Maker, instance: Instance, library: str | None) -> None:
    if library is not None:
        maker.warm(instance, library)
    memory = instance.settled_memory()
    assert len(memory) < 9 << 19, "each run of an action pays for what it begins with"
    (frame,) = instance.run(
        "const main = () => [typeof ethers.Wallet, typeof ethers6.Wallet, Array(1e5).fill(1).length];"
    )
    assert frame == ("D", '["function","function",100000]')


def test_a_module_begins_with_the_memory_that_was_given_without_its_zero_pages() -> None:
    memory_of_one_page = b"\x05\x04\x01\x01\x01\x10"
    data_of_one_byte = b"\x0b\x07\x01\x00\x41\x00\x0b\x01x"
    memory = bytearray(2 << 16)
    memory[100], memory[100_000] = 7, 9
    made = with_memory(b"\0asm\x01\0\0\0" + memory_of_one_page + data_of_one_byte, bytes(memory))
    engine = wasmtime.Engine()
    assert b"\x05\x04\x01\x01\x02\x10" in made
    assert (made.count(7), made.count(9), made.count(b"x")) == (1, 1, 0)
    wasmtime.Module.validate(engine, made)
    assert len(made) < 3 * 4096


@pytest.mark.parametrize("module", [b"", b"\x7fELF", b"\0asm\x01\0\0\0\x05\x03\x01\x00\x01"])
def test_what_is_no_guest_is_refused(module: bytes) -> None:
    with pytest.raises(WasmFileError):
        with_memory(module, bytes(1 << 16))


def test_the_file_names_of_scripts_are_ours(instance: Instance) -> None:
    (frame,) = instance.run("function main() { throw new Error('mine'); }")
    assert re.findall(r"\((\S+?):\d+:\d+\)", frame.text) == ["action.js"]
