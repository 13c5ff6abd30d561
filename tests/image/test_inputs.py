"""What a build is made of is what the lock names, or it is refused with what to do."""

import base64
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from image import mirrors, npm, wheel
from image.commands import ImageError
from image.lock import Archive, Package, Store, lock_text, read_archive, read_lock, write_archive
from image.mirrors import Mirror, Mirrors, mirror_of
from image.refresh import BUILD_REQUIREMENTS, REQUIREMENTS, changes
from image.selection import BUILD_DEBS, DEBS, NPM, PYTHON, RELEASE
from tests.image.parts import lock_of, sha256
from tests.support.node import REPOSITORY

LOCK = read_lock(REPOSITORY)
REQUIRED = (REPOSITORY / REQUIREMENTS).read_text()


class Answering(BaseHTTPRequestHandler):
    """A mirror that has one file, one for those who log in, forgets another, breaks on a third, and on a fourth twice."""

    failures = 0

    def do_GET(self) -> None:
        if self.path == "/debian/busy.deb" and Answering.failures:
            Answering.failures -= 1
            self.close_connection = True
            if Answering.failures:
                self.send_error(503)
            return
        welcome = self.headers.get("Authorization") == f"Basic {base64.b64encode(b'user:secret').decode()}"
        known = {
            "/debian/pool/main/f/foo/libfoo_1.2-3%2Bb1_amd64.deb": 200,
            "/debian/broken.deb": 500,
            "/debian/busy.deb": 200,
            "/debian/members.deb": 200 if welcome else 401,
        }
        self.send_response(known.get(self.path, 404))
        self.send_header("Content-Length", "7")
        self.end_headers()
        self.wfile.write(b"the deb")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Nothing on the terminal."""


@contextmanager
def mirror(login: str = "") -> Iterator[Mirrors]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        one = mirror_of(f"http://{login}127.0.0.1:{server.server_port}/debian/", "IMAGE_MIRROR")
        yield Mirrors(one, one)
    finally:
        server.shutdown()
        server.server_close()


def test_the_lock_is_of_the_packages_that_are_selected_and_of_the_requirements_of_the_node() -> None:
    assert (tuple(d.name for d in LOCK.debs), tuple(d.name for d in LOCK.build_debs)) == (DEBS, BUILD_DEBS)
    wheel.require_agreement(LOCK.wheels, REQUIRED, "node.txt")
    wheel.require_agreement(LOCK.build_wheels, (REPOSITORY / BUILD_REQUIREMENTS).read_text(), "build.txt")
    assert [(p.name, p.version) for p in LOCK.npm] == [npm.locked(REPOSITORY)[folder][:2] for folder in NPM]
    assert (REPOSITORY / "image" / "lock.json").read_text() == lock_text(LOCK)
    assert any(deb.archive == "security" for deb in LOCK.debs)


def test_what_names_the_release_or_the_python_names_the_ones_of_the_image() -> None:
    named = {"image/Containerfile": f"debian:{RELEASE}", "docs/image.md": f"/usr/bin/python{PYTHON}"}
    for path, name in named.items():
        text = (REPOSITORY / path).read_text()
        assert name in text
        assert set(re.findall(r"debian:[a-z]+|/usr/bin/python[0-9.]+[0-9]", text)) == {name}


@pytest.mark.parametrize("change", ["missing", "another version", "another hash", "not required"])
def test_a_lock_that_is_not_of_the_requirements_names_the_package_and_the_command(change: str) -> None:
    first, *others = LOCK.wheels
    changed = {
        "missing": others,
        "another version": [replace(first, version="0"), *others],
        "another hash": [replace(first, sha256="0" * 64), *others],
        "not required": [*LOCK.wheels, replace(first, name="intruder")],
    }[change]
    with pytest.raises(
        ImageError, match=rf"{'intruder' if change == 'not required' else first.name} .*make image-refresh"
    ):
        wheel.require_agreement(changed, REQUIRED, "node.txt")


def test_requirements_with_a_marker_of_another_platform_may_be_absent() -> None:
    text = f"winonly==1 ; sys_platform == 'win32' \\\n    --hash=sha256:{'0' * 64}\nhere==2 \\\n    --hash=sha256:{'1' * 64}\n"
    wheel.require_agreement([Package("here", "2", "here-2.whl", "1" * 64)], text, "node.txt")
    with pytest.raises(ImageError, match="here 2"):
        wheel.require_agreement([], text, "node.txt")


def test_a_package_is_fetched_by_its_place_below_the_mirror() -> None:
    deb = replace(lock_of(b"the deb").debs[0], path="pool/main/f/foo/libfoo_1.2-3+b1_amd64.deb")
    with mirror() as source:
        assert mirrors.fetch(deb, source) == b"the deb"


def test_a_mirror_may_ask_for_a_login_which_is_never_shown() -> None:
    deb = replace(lock_of(b"").debs[0], path="members.deb")
    with mirror("user:secret@") as source:
        assert mirrors.fetch(deb, source) == b"the deb"
        with pytest.raises(ImageError) as refused:
            mirrors.fetch(replace(deb, path="gone.deb"), source)
    assert "secret" not in str(refused.value) + repr(source)
    with mirror() as source, pytest.raises(ImageError, match="answered 401"):
        mirrors.fetch(deb, source)


@pytest.mark.parametrize(("archive", "setting"), [("main", "IMAGE_MIRROR"), ("security", "IMAGE_SECURITY_MIRROR")])
def test_a_version_the_mirror_dropped_is_told_with_the_commands_that_help(archive: Archive, setting: str) -> None:
    deb = replace(lock_of(b"").debs[0], archive=archive)
    with mirror() as source, pytest.raises(ImageError) as refused:
        mirrors.fetch(deb, source)
    for part in ("libfoo 1.2-3", "make image-refresh", "make image ARCHIVE=", f"make image {setting}="):
        assert part in str(refused.value)


def test_a_mirror_that_breaks_or_is_not_there_is_no_reason_to_refresh() -> None:
    deb = replace(lock_of(b"").debs[0], path="broken.deb")
    paused: list[float] = []
    with mirror() as source, pytest.raises(ImageError, match="answered 500"):
        mirrors.fetch(deb, source, paused.append)
    with pytest.raises(ImageError, match=r"IMAGE_MIRROR.*make image ARCHIVE="):
        mirrors.fetch(deb, source, paused.append)
    assert paused == [*mirrors.FETCH_PAUSES_S, *mirrors.FETCH_PAUSES_S]


def test_a_mirror_that_is_busy_or_hangs_up_is_asked_again_and_one_that_refuses_is_not() -> None:
    paused: list[float] = []
    Answering.failures = 2
    with mirror() as source:
        assert mirrors.fetch(replace(lock_of(b"").debs[0], path="busy.deb"), source, paused.append) == b"the deb"
        assert paused == list(mirrors.FETCH_PAUSES_S[:2])
        for refused in ("gone.deb", "members.deb"):
            with pytest.raises(ImageError):
                mirrors.fetch(replace(lock_of(b"").debs[0], path=refused), source, paused.append)
        assert paused == list(mirrors.FETCH_PAUSES_S[:2])


def test_mirrors_are_settings() -> None:
    named = {
        "IMAGE_MIRROR": "http://127.0.0.1/debian/",
        "IMAGE_SECURITY_MIRROR": "https://a:b%40c@127.0.0.1:9/security",
    }
    assert mirrors.mirrors(named) == Mirrors(
        Mirror("http://127.0.0.1/debian"), Mirror("https://127.0.0.1:9/security", "a", "b@c")
    )
    with pytest.raises(ImageError, match="IMAGE_MIRROR is no http or https URL"):
        mirrors.mirrors({**named, "IMAGE_MIRROR": "file:///debian"})


def apt_with(folder: Path, monkeypatch: pytest.MonkeyPatch, sources: Mapping[str, str]) -> Path:
    """Give apt these sources, the suite of each folder of one host; the folder of the indices that it has fetched."""
    lines = [f"deb http://mirror.example/{path} {suite} main\n" for path, suite in sources.items()]
    (folder / "sources.list").write_text("".join(lines))
    (folder / "lists" / "partial").mkdir(parents=True)
    places = {"Dir::State::lists": "lists", "Dir::Etc::sourcelist": "sources.list", "Dir::Etc::sourceparts": "none"}
    configured = [f'{name} "{folder / place}";\n' for name, place in places.items()]
    (folder / "apt.conf").write_text("".join(configured))
    monkeypatch.setenv("APT_CONFIG", str(folder / "apt.conf"))
    return folder / "lists"


@pytest.mark.parametrize("release", ["bookworm", "trixie", "forky"])
@pytest.mark.skipif(shutil.which("apt-get") is None, reason="the image cannot be run here: no apt")
def test_a_machine_of_any_release_has_the_same_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    """Once it has run apt-get update; another's archive, which may use Debian's names and come first, is none."""
    archives = {
        "apt": (release, "Somebody", "Debian"),
        "backports": (f"{release}-backports", "Debian", "Debian Backports"),
        "debian": (release, "Debian", "Debian"),
        "security": (f"{release}-security", "Debian", "Debian-Security"),
    }
    fetched = apt_with(tmp_path, monkeypatch, {path: suite for path, (suite, _, _) in archives.items()})
    for path, (suite, origin, label) in archives.items():
        index = f"mirror.example_{path}_dists_{suite}"
        listed = f"SHA256:\n {sha256(b'')} 0 main/binary-amd64/Packages\n"
        (fetched / f"{index}_Release").write_text(
            f"Origin: {origin}\nLabel: {label}\nSuite: stable\nCodename: {suite}\n"
            f"Date: Sat, 15 Nov 2025 10:00:00 UTC\nArchitectures: all amd64\nComponents: main\n{listed}"
        )
        (fetched / f"{index}_main_binary-amd64_Packages").touch()
    assert mirrors.mirrors({}) == Mirrors(
        Mirror("http://mirror.example/debian"), Mirror("http://mirror.example/security")
    )


@pytest.mark.parametrize(
    ("suites", "found"),
    [
        ("bookworm bookworm-updates bookworm-security", True),
        ("trixie trixie-updates trixie-security", True),
        ("oldstable", False),
        ("", False),
    ],
)
def test_mirrors_of_apt_whose_indices_were_never_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suites: str, found: bool
) -> None:
    """As on a machine, or in an image of Debian, that has never run apt-get update."""
    apt_with(tmp_path, monkeypatch, {suite: suite for suite in suites.split()})
    if shutil.which("apt-get") is None:
        with pytest.raises(ImageError, match="could not be asked"):
            mirrors.mirrors({})
    elif found:
        release = suites.split(maxsplit=1)[0]
        assert mirrors.mirrors({}) == Mirrors(
            Mirror(f"http://mirror.example/{release}"), Mirror(f"http://mirror.example/{release}-security")
        )
    else:
        with pytest.raises(ImageError, match="run apt-get update"):
            mirrors.mirrors({})


def test_a_store_keeps_and_gives_nothing_but_what_its_names_say(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(ImageError, match=r"libfoo of the mirror has SHA-256 .* Nothing was built of it"):
        store.put(b"forged", sha256(b"the deb"), "libfoo of the mirror")
    assert not store.has(sha256(b"the deb"))
    store.put(b"the deb", sha256(b"the deb"), "here")
    assert store.get(sha256(b"the deb")) == b"the deb"
    (tmp_path / sha256(b"the deb")).write_bytes(b"forged later")
    assert not store.has(sha256(b"the deb"))
    with pytest.raises(ImageError, match="the lock names"):
        store.get(sha256(b"the deb"))


def test_builds_side_by_side_share_a_store(tmp_path: Path) -> None:
    store, data = Store(tmp_path), bytes(1 << 16)
    ready = threading.Barrier(8)

    def put_each(_: int) -> None:
        for number in range(40):
            ready.wait()
            store.put(data + bytes([number]), sha256(data + bytes([number])), "here")
            assert store.has(sha256(data + bytes([number])))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put_each, range(8)))
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def filled(folder: Path, *contents: bytes) -> Store:
    store = Store(folder)
    for content in contents:
        store.put(content, sha256(content), "here")
    return store


def test_an_archive_is_the_same_bytes_for_one_lock_and_fills_an_empty_store(tmp_path: Path) -> None:
    lock = lock_of(b"deb", b"wheel")
    write_archive(filled(tmp_path / "a", b"deb", b"wheel", b"of no lock"), lock, tmp_path / "a.tar")
    write_archive(filled(tmp_path / "b", b"wheel", b"deb"), lock, tmp_path / "b.tar")
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()
    fresh = Store(tmp_path / "c")
    read_archive(tmp_path / "a.tar", lock, fresh)
    assert {fresh.get(digest) for digest in lock.sha256s} == {b"deb", b"wheel"}


def test_an_archive_of_another_lock_or_with_forged_content_is_refused(tmp_path: Path) -> None:
    lock = lock_of(b"deb", b"wheel")
    write_archive(filled(tmp_path / "a", b"deb", b"wheel"), lock, tmp_path / "a.tar")
    with pytest.raises(ImageError, match=r"lacks 1 inputs.*make image-archive"):
        read_archive(tmp_path / "a.tar", lock_of(b"deb", b"another wheel"), Store(tmp_path / "c"))
    forged = (tmp_path / "a.tar").read_bytes().replace(b"wheel" + bytes(8), b"whee!" + bytes(8))
    (tmp_path / "forged.tar").write_bytes(forged)
    with pytest.raises(ImageError, match="the lock names"):
        read_archive(tmp_path / "forged.tar", lock, Store(tmp_path / "d"))
    with pytest.raises(ImageError, match="cannot be read as an archive"):
        read_archive(tmp_path / "none.tar", lock, Store(tmp_path / "d"))


def test_a_refresh_says_what_it_changed() -> None:
    before, after = lock_of(b"deb", b"wheel"), lock_of(b"deb", b"wheel", b"new")
    newer = replace(after, debs=(replace(after.debs[0], version="1.2-4"),))
    told = changes(before, newer)
    assert [line.split(" (")[0] for line in told] == ["libfoo: 1.2-3", "w1: not there → 1"]
    assert changes(after, after) == []
