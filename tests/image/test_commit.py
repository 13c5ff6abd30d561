"""What is built is what is committed: no more, no less, and nobody is left to wonder which."""

import subprocess
from pathlib import Path

import pytest

from image import building
from image.errors import ImageError
from image.verifying import differences


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "code.py").write_bytes(b"committed\n")
    (folder / "link").symlink_to("code.py")
    (folder / ".gitignore").write_text("ignored\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "x")
    return folder


def test_a_clean_checkout_is_built_without_a_word(repository: Path) -> None:
    said: list[str] = []
    (repository / "ignored").write_text("x")
    commit = building.head(repository, said.append)
    assert (said, len(commit.revision), commit.time > 1_500_000_000) == ([], 40, True)


@pytest.mark.parametrize("change", ["changed", "staged", "new"])
def test_uncommitted_changes_are_announced_and_not_exported(repository: Path, tmp_path: Path, change: str) -> None:
    name = "new.py" if change == "new" else "code.py"
    (repository / name).write_text("uncommitted\n")
    if change == "staged":
        git(repository, "add", name)
    said: list[str] = []
    building.export(building.head(repository, said.append), tmp_path / "out")
    assert len(said) == 1
    assert "uncommitted" in said[0]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"code.py", "link", ".gitignore"}
    assert (tmp_path / "out" / "link").read_text() == "committed\n"


def test_the_users_line_ends_do_not_reach_the_image(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "core.autocrlf", "true")
    building.export(building.head(repository, lambda _: None), tmp_path / "out")
    assert (tmp_path / "out" / "code.py").read_bytes() == b"committed\n"


def test_what_is_no_checkout_is_told(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="not a git repository"):
        building.head(tmp_path, lambda _: None)


def test_a_difference_of_one_byte_or_one_file_is_seen(tmp_path: Path) -> None:
    for name, content in {
        "one/a": b"1",
        "other/a": b"1",
        "one/sub/b": b"2",
        "other/sub/b": b"3",
        "other/c": b"",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert differences(tmp_path / "one", tmp_path / "other") == ["c", "sub/b"]
    assert differences(tmp_path / "one", tmp_path / "one") == []
