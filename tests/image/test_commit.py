"""What is built is what is committed: no more, no less, and nobody is left to wonder which."""

import subprocess
from pathlib import Path

import pytest

from image import building
from image.building import differences
from image.commands import ImageError, run
from image.lock import Store


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


@pytest.mark.parametrize(
    "attribute", ["export-ignore", "text eol=crlf", "working-tree-encoding=UTF-16", "filter=theirs"]
)
@pytest.mark.parametrize("place", ["checkout", "user"])
def test_attributes_and_filters_of_the_user_do_not_reach_the_image(
    repository: Path, tmp_path: Path, attribute: str, place: str
) -> None:
    theirs = repository / ".git" / "info" / "attributes" if place == "checkout" else tmp_path / "attributes"
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text(f"*.py {attribute}\n")
    git(repository, "config", "core.attributesFile", str(tmp_path / "attributes"))
    git(repository, "config", "filter.theirs.smudge", "rev")
    git(repository, "config", "filter.theirs.clean", "rev")
    building.export(building.head(repository, lambda _: None), tmp_path / "out")
    assert (tmp_path / "out" / "code.py").read_bytes() == b"committed\n"


def test_a_replaced_object_does_not_reach_the_image(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("another\n")
    git(repository, "hash-object", "-w", str(tmp_path / "other"))
    names = [
        run(("git", "hash-object", path), folder=repository).decode().strip()
        for path in (repository / "code.py", tmp_path / "other")
    ]
    git(repository, "replace", *names)
    building.export(building.head(repository, lambda _: None), tmp_path / "out")
    assert (tmp_path / "out" / "code.py").read_bytes() == b"committed\n"


def test_a_submodule_is_told(repository: Path, tmp_path: Path) -> None:
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git(repository, "commit", "--quiet", "-m", "x")
    with pytest.raises(ImageError, match="module is committed, and is neither"):
        building.export(building.head(repository, lambda _: None), tmp_path / "out")


@pytest.mark.parametrize("name", ["notes.txt", ".git"])
def test_a_folder_that_holds_other_things_is_not_replaced(repository: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "home"
    (out / "layout").mkdir(parents=True)
    (out / name).write_text("mine")
    commit = building.head(repository, lambda _: None)
    with pytest.raises(ImageError, match=f"holds {name}, which no build wrote"):
        building.build(commit, out, lambda _: Store(tmp_path / "store"))
    assert (out / name).read_text() == "mine"
    with pytest.raises(ImageError, match="is a file"):
        building.build(commit, out / name, lambda _: Store(tmp_path / "store"))


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
