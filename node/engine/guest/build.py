"""Builds `guest.wasm` from the locked quickjs-ng with Debian's compiler (`make guest`).

`toolchain.json` records the exact packages and the digest. Other versions give other bytes.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
LOCK: Final = ROOT / "requirements" / "guest.txt"
GUEST: Final = HERE / "guest.wasm"
RECORD: Final = HERE / "toolchain.json"
PACKAGES: Final = ("clang-19", "libclang-rt-19-dev-wasm32", "lld-19", "wasi-libc")
SOURCES: Final = ("guest.c", "libregexp.c", "libunicode.c", "dtoa.c")
STACK_BYTES: Final = 512 << 10
"""Guest stack: 384 KiB with depth checks (some 1,200 calls) and 128 KiB without (guest.c)."""
MEMORY_BYTES_MAX: Final = 1 << 30
"""Above every limit of an action, so that the host's limiter refuses memory first."""
TARGET: Final = ("clang-19", "--target=wasm32-wasi")
COMPILE: Final = (
    *TARGET,
    "-c",
    "-O3",
    "-std=gnu11",
    "-fno-strict-aliasing",
    "-funsigned-char",
    "-fwrapv",
    "-D_GNU_SOURCE",
    "-DNDEBUG",
    "-D_WASI_EMULATED_SIGNAL",
    "-D_WASI_EMULATED_PROCESS_CLOCKS",
    "-mbulk-memory",
    "-mnontrapping-fptoint",
    "-msign-ext",
    "-mmutable-globals",
    "-w",
)
# A separate step without -O. When it optimises while linking, clang runs binaryen's wasm-opt if
# that is installed, and gives other bytes.
LINK: Final = (
    *TARGET,
    "-mexec-model=reactor",
    "-Wl,--no-entry",
    # The stack is below the data, so that an overflow leaves the memory and traps.
    "-Wl,--stack-first",
    f"-Wl,-z,stack-size={STACK_BYTES}",
    f"-Wl,--max-memory={MEMORY_BYTES_MAX}",
    "-Wl,--strip-all",
    "-Wl,--export=__stack_pointer",
    "-lm",
)


class MissingToolError(Exception):
    """A tool that the build needs is missing on this machine."""


def main() -> None:
    """Builds and writes the guest; with `--check`, compares it with the committed one."""
    check = "--check" in sys.argv[1:]
    try:
        packages = installed_packages()
    except MissingToolError as missing:
        _end(f"guest: not built: {missing}", failed=not check)
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if check and packages != recorded.get("packages"):
        _end(f"guest: not compared: it was built with {recorded.get('packages')}, here is {packages}", failed=False)
    with tempfile.TemporaryDirectory() as folder:
        built = build(Path(folder))
    digest = hashlib.sha256(built).hexdigest()
    if not check:
        GUEST.write_bytes(built)
        RECORD.write_text(json.dumps({"sha256": digest, "packages": packages}, indent=1) + "\n")
    elif built != GUEST.read_bytes() or digest != recorded["sha256"]:
        _end(f"guest: {GUEST} is not what its sources give: run `make guest` and commit it.", failed=True)
    _end(f"guest: {len(built)} bytes, {digest}", failed=False)


def installed_packages() -> dict[str, str]:
    """Returns the toolchain's exact package versions. Raises MissingToolError if one is missing."""
    versions = {}
    for name in PACKAGES:
        query = ["dpkg-query", "--show", "--showformat=${Version}", name]
        try:
            versions[name] = subprocess.run(query, check=True, capture_output=True, text=True).stdout  # noqa: S603
        except (OSError, subprocess.CalledProcessError):
            needed = " ".join(PACKAGES)
            raise MissingToolError(f"{name} is missing. On Debian 13: apt-get install -y {needed}") from None
    return versions


def build(folder: Path) -> bytes:
    """Builds the guest inside an empty folder."""
    engine = _unpacked_source(folder) / "upstream-quickjs"
    shutil.copy(HERE / "guest.c", engine)
    # Relative names keep paths of this machine out of the file.
    objects = [name.replace(".c", ".o") for name in SOURCES]
    compile_all = [*COMPILE, f"-ffile-prefix-map={engine}=.", *SOURCES]
    for command in (compile_all, [*LINK, *objects, "-o", GUEST.name]):
        subprocess.run(command, check=True, cwd=engine)  # noqa: S603 - our own arguments
    return (engine / GUEST.name).read_bytes()


def _unpacked_source(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += [
        "--require-hashes",
        "--no-binary",
        ":all:",
        "--no-build-isolation",
        "--dest",
        str(folder),
        "-r",
        str(LOCK),
    ]
    subprocess.run(command, check=True)  # noqa: S603 - our own arguments
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def _end(message: str, *, failed: bool) -> None:
    (sys.stderr if failed else sys.stdout).write(f"{message}\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
