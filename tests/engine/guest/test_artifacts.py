"""What workers load is what was made: damage, another wasmtime and a processor without the features are told."""

import hashlib
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from node.engine.guest import artifacts, build
from node.engine.worker import wasmtime_api
from node.engine.zygotes import zygote_command
from node.errors import StartupRefusedError
from node.settings.execution import ActionSettings

EMPTY_MODULE = b"\0asm\x01\0\0\0"


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def forge_version(path: Path) -> None:
    manifest = json.loads((path.parent / "manifest.json").read_text())
    (path.parent / "manifest.json").write_text(json.dumps(manifest | {"wasmtime": "1.2.3"}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    artifacts.write(tmp_path, {"plain.cwasm": b"code" * 100, "ethers.bytecode": b"script" * 100})
    return tmp_path


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (flip, "plain.cwasm is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "plain.cwasm is damaged"),
        (lambda path: path.unlink(), "not all there"),
        (lambda path: (path.parent / "manifest.json").unlink(), "not all there"),
        (lambda path: (path.parent / "manifest.json").write_text("{"), "not all there"),
        (lambda path: (path.parent / "manifest.json").write_text("[]"), "not all there"),
        (forge_version, r"made for wasmtime 1\.2\.3"),
    ],
)
def test_what_was_changed_since_is_told_with_the_command_that_helps(
    folder: Path, change: Callable[[Path], None], told: str
) -> None:
    artifacts.check(folder)
    change(folder / "plain.cwasm")
    with pytest.raises(artifacts.ArtifactError, match=told) as raised:
        artifacts.check(folder)
    assert "make setup" in str(raised.value)


@pytest.mark.parametrize(
    ("made", "patched", "told"),
    [
        (b"has_apx\x02\x00", b"has_apx\x02\x01", "settings of module incompatible with native host"),
        (b"\x02%d\x18x86_64", b"\x0211\x18x86_64", "compiled with incompatible version '11'"),
        (b"\x7fELF", b"\x7felf", "."),
    ],
)
def test_compiled_code_that_is_not_for_this_machine_is_refused(
    tmp_path: Path, made: bytes, patched: bytes, told: str
) -> None:
    """What a processor without the features, or another wasmtime, is given: the facts that the code states are changed."""
    code = wasmtime_api.compile_module(EMPTY_MODULE)
    stated = made.replace(b"%d", version("wasmtime").partition(".")[0].encode())
    assert code.count(stated) == 1
    engine, path = wasmtime_api.new_engine(), tmp_path / "module.cwasm"
    path.write_bytes(code)
    assert wasmtime_api.load_module(engine, str(path))
    path.write_bytes(code.replace(stated, patched))
    with pytest.raises(wasmtime_api.WasmtimeError, match=told):
        wasmtime_api.load_module(engine, str(path))


def test_the_guest_is_the_one_that_is_recorded() -> None:
    recorded = json.loads(build.RECORD.read_text())
    assert hashlib.sha256(build.GUEST.read_bytes()).hexdigest() == recorded["sha256"]
    assert set(recorded["packages"]) == set(build.PACKAGES)


def test_the_source_of_the_guest_is_locked_and_names_no_address() -> None:
    lines = [line for line in build.LOCK.read_text().splitlines() if not line.startswith("#")]
    assert [line.split("==")[0].split(":")[0].strip() for line in lines] == ["quickjs-ng", "--hash=sha256"]


def test_a_missing_compiler_is_told_with_the_packages_that_bring_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "PACKAGES", (*build.PACKAGES, "no-such-compiler"))
    for argument, code in (("--check", 0), ("", 1)):
        monkeypatch.setattr("sys.argv", ["build", argument])
        with pytest.raises(SystemExit) as ended:
            build.main()
        assert ended.value.code == code
        assert "apt-get install -y clang-19" in "".join(capsys.readouterr())


def test_another_compiler_is_told_and_nothing_is_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["build", "--check"])
    monkeypatch.setattr(build, "installed_packages", lambda: dict.fromkeys(build.PACKAGES, "1:99"))
    with pytest.raises(SystemExit) as ended:
        build.main()
    assert ended.value.code == 0
    assert "not compared" in capsys.readouterr().out


def test_a_node_with_damaged_snapshots_does_not_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flip(folder / "plain.cwasm")
    monkeypatch.setattr(artifacts, "FOLDER", folder)
    with pytest.raises(StartupRefusedError, match=r"plain\.cwasm is damaged"):
        zygote_command(ActionSettings())


def test_what_a_running_node_has_mapped_is_not_written_into(folder: Path) -> None:
    with (folder / "plain.cwasm").open("rb") as mapped:
        before = mapped.read()
        artifacts.write(folder, {"plain.cwasm": b"other code"})
        mapped.seek(0)
        assert mapped.read() == before
    assert (folder / "plain.cwasm").read_bytes() == b"other code"
    assert not list(folder.glob("*.fresh"))
