"""The built image: what it holds, what it lacks, that it says the truth of itself, and that anyone can build it again."""

import _imp
import csv
import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path, PurePosixPath

import pytest

from image import bill, oci
from image.building import differences
from image.debian import USER, files_of
from image.lock import Store, read_lock
from image.own_packages import PROGRAM, TAG, PackedPython
from image.selection import LIBRARIES, PYTHON, SITE, complaints
from image.tree import File, Folder, Link, Tree, write_tree
from tests.image.conftest import BUILD_S, revision_of
from tests.support.node import REPOSITORY

MAX_COMPRESSED_BYTES = 66_000_000
ELF = b"\x7fELF"
PROGRAM_PATH = f"usr/local/bin/{PROGRAM}"
pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(900)]


@pytest.fixture(scope="session")
def tree(image_out: Path) -> Tree:
    return oci.tree_of(image_out / "layout")


@pytest.fixture(scope="session")
def root(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    write_tree(tree, folder)
    return folder


def files(tree: Tree) -> dict[str, bytes]:
    return {path: entry.data for path, entry in tree.items() if isinstance(entry, File)}


def test_nothing_is_in_it_that_has_no_place_there(tree: Tree) -> None:
    assert complaints(tree) == []
    for package in ("devkit", "devkit/tee_simulator", "svc_verifier", "compose", "image", "tests", "benchmarks", "pip"):
        assert not any(path.startswith(f"{SITE}/{package}/") for path in tree), package


def test_its_programs_are_python_and_the_node_and_no_other_file_can_be_run(tree: Tree) -> None:
    programs = {path for path, entry in tree.items() if isinstance(entry, File) and entry.executable}
    assert programs == {f"usr/bin/python{PYTHON}", "usr/local/bin/svc-node", f"{LIBRARIES}/ld-linux-x86-64.so.2"}
    assert not [path for path, entry in tree.items() if isinstance(entry, Link) and "/bin/" in path]


def test_all_that_is_committed_of_the_node_is_in_it_but_its_stand_ins(tree: Tree) -> None:
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "-z", "HEAD", "node", "attest"],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    )
    compiled = ("/build.mjs", "/solidity.mjs", ".c")
    committed = {name for name in listed.stdout.decode().split("\0") if name and not name.endswith(compiled)}
    wanted = {name for name in committed if not name.startswith(("devkit/", "devkit/tee_simulator/"))}
    held = {path.removeprefix(f"{SITE}/") for path in tree if path.startswith((f"{SITE}/node/", f"{SITE}/attest/"))}
    assert wanted <= held
    made = ("node/http/swagger_ui/", "node/dashboard/vendor/", "node/engine/snapshots/")
    extra = {name for name in held - wanted if "__pycache__" not in name and not name.startswith(made)}
    assert {name for name in extra if f"{SITE}/{name}" in files(tree)} == set()


def test_it_belongs_to_root_and_its_user_has_one_folder(tree: Tree, image_out: Path) -> None:
    folders = {path: entry for path, entry in tree.items() if isinstance(entry, Folder)}
    assert {path for path, entry in folders.items() if entry.owner != 0} == {"data"}
    assert folders["data"] == Folder(0o700, USER)
    assert {path for path, entry in folders.items() if entry.mode & stat.S_IWOTH} == {"tmp"}
    config = oci.config_of(image_out / "layout")["config"]
    assert config["User"] == f"{USER}:{USER}" != "0:0"
    assert config["Entrypoint"] == ["/usr/local/bin/svc-node"]
    assert f"svc-node:x:{USER}:{USER}:".encode() in files(tree)["etc/passwd"]


def test_it_is_small(image_out: Path) -> None:
    assert oci.compressed_bytes(image_out / "layout") < MAX_COMPRESSED_BYTES


def test_every_library_a_file_asks_for_is_in_it(tree: Tree, root: Path) -> None:
    # Compiled modules of actions are ELF files too, which wasmtime maps by itself.
    elf = [path for path, data in files(tree).items() if data.startswith(ELF)]
    binaries = [path for path in elf if not path.endswith(".cwasm")]
    assert len(binaries) > 50
    assert len(elf) - len(binaries) == 3
    loader = root / LIBRARIES / "ld-linux-x86-64.so.2"
    for path in binaries:
        if path.endswith("ld-linux-x86-64.so.2"):
            continue
        command: list[str | Path] = [loader, "--library-path", root / LIBRARIES, "--list", root / path]
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
        assert listed.returncode == 0, f"{path}: {listed.stdout}{listed.stderr}"
        found = re.findall(r"=> (\S+)", listed.stdout)
        assert all(place.startswith(str(root)) for place in found), f"{path} takes {found}"


def test_every_module_of_the_node_loads_from_its_bytecode_alone(root: Path) -> None:
    """Each is imported by the image's Python; what they import of Debian's and of the wheels is there too."""
    script = """
import importlib, os, pkgutil, sys
sys.path[:0] = [sys.argv[1]]
import attest, node
names = [m.name for p in (node, attest) for m in pkgutil.walk_packages(p.__path__, p.__name__ + ".")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
loaded = [m for m in list(sys.modules.values()) if str(getattr(getattr(m, "__spec__", None), "origin", None)).startswith("/")]
print(len(names), [m.__name__ for m in loaded if m.__spec__.origin.endswith(".py") and not os.path.exists(m.__spec__.cached)], any(".simulator" in n or ".dev" in n for n in names))
"""
    answer = PackedPython(root).run(script, root / SITE, folder=root).decode().split()
    assert int(answer[0]) > 150
    assert answer[1:] == ["[]", "False"]


def test_connections_of_the_node_agree_on_a_key_exchange_that_is_safe_from_quantum_computers(root: Path) -> None:
    """By the group in the server's answer (RFC 8446, 4.1.3 and 4.2.8), which `ssl` names from Python 3.15 on."""
    script = """
import ssl, struct, sys
sys.path[:0] = [sys.argv[1]]
from attest.certificates.challenges import challenge_context
from attest.tls import client_context

def group(client):
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.set_alpn_protocols(["acme-tls/1"])
    asked, answered = ssl.MemoryBIO(), ssl.MemoryBIO()
    for side, taken, given in ((client, answered, asked), (challenge_context("a.test", "x"), asked, answered)):
        try:
            side.wrap_bio(taken, given, server_side=side is not client).do_handshake()
        except ssl.SSLWantReadError:
            pass
    hello = answered.read()
    at = 5 + 4 + 2 + 32
    at += 1 + hello[at] + 2 + 1 + 2
    while True:
        kind, size = struct.unpack_from(">HH", hello, at)
        if kind == 51:
            return "%04x" % struct.unpack_from(">H", hello, at + 4)
        at += 4 + size

older = client_context()
older.set_ecdh_curve("X25519")
print(group(client_context()), group(older))
"""
    # X25519MLKEM768 (draft-ietf-tls-ecdhe-mlkem); X25519 with a client that does not know it.
    assert PackedPython(root).run(script, root / SITE, folder=root).decode().split() == ["11ec", "001d"]


def test_bytecode_is_of_the_source_beside_it(tree: Tree) -> None:
    held = files(tree)
    sources = {path: data for path, data in held.items() if path.endswith(".py")}
    compiled = {path for path in held if path.endswith(".pyc")}
    assert len(sources) == len(compiled) > 1000
    for path, data in sources.items():
        place = PurePosixPath(path)
        made = held[str(place.parent / "__pycache__" / f"{place.stem}.{TAG}.pyc")]
        assert int.from_bytes(made[4:8], "little") == 0b01, f"{path}: unchecked, by hash"
        # Keyed by the magic number of the image's Python, which need not be this one: importlib.util's is keyed by its own.
        assert made[8:16] == _imp.source_hash(int.from_bytes(made[:4], "little"), data), path


def test_the_records_of_the_wheels_are_true(tree: Tree) -> None:
    held = files(tree)
    records = [path for path in held if path.endswith(".dist-info/RECORD") and "/_vendor/" not in path]
    lock = read_lock(REPOSITORY)
    assert len(records) == len(lock.wheels) + 1
    for record in records:
        for path, digest, _size in csv.reader(held[record].decode().splitlines()):
            if digest:
                found = urlsafe_b64encode(hashlib.sha256(held[f"{SITE}/{path}"]).digest()).rstrip(b"=").decode()
                assert digest == f"sha256={found}", path


def test_what_is_said_beside_it_is_of_it(tree: Tree, image_out: Path) -> None:
    digest = oci.digest_of(image_out / "layout")
    assert (image_out / "digest").read_text() == digest + "\n"
    assert (image_out / "files.txt").read_text() == bill.file_list(tree)
    sbom = json.loads((image_out / "sbom.cdx.json").read_text())
    assert sbom["metadata"]["component"]["bom-ref"] == digest
    listed = {(part["name"], part["version"]) for part in sbom["components"]}
    lock = read_lock(REPOSITORY)
    tools = {(deb.name, deb.version) for deb in lock.build_debs} | {(w.name, w.version) for w in lock.build_wheels}
    assert {(part.name, part.version) for part in lock.parts} - tools <= listed
    assert {"svc-node", "ethers", "@openzeppelin/contracts"} <= {name for name, _ in listed}
    assert not tools & listed
    licences = (image_out / "licences.md").read_text()
    assert all(f"| {name} | {version} |" in licences for name, version in listed)
    assert not any(vague in licences for vague in ("not stated", "see /usr", "None"))
    assert re.search(rf"\| python{PYTHON}-minimal \| \S+ \| Python-2.0 \|", licences)


def test_libraries_inside_of_wheels_are_named_where_the_wheels_name_them(image_out: Path) -> None:
    sbom = json.loads((image_out / "sbom.cdx.json").read_text())
    (openssl,) = (part for part in sbom["components"] if part["purl"].startswith("pkg:generic/openssl@"))
    within = {each["ref"] for each in sbom["dependencies"] if openssl["bom-ref"] in each["dependsOn"]}
    assert {ref.partition("@")[0] for ref in within} == {"pkg:pypi/cryptography"}


def test_every_file_is_of_a_package_that_is_named(tree: Tree) -> None:
    """By Debian's packages, the wheels' records, or as what the image makes of both: bytecode, and little else."""
    store = Store(REPOSITORY / "image" / "store")
    lock = read_lock(REPOSITORY)
    of_debian = {path for deb in lock.debs if store.has(deb.sha256) for path in files_of(store.get(deb.sha256))}
    if not of_debian:
        pytest.skip("the packages are not in image/store")
    held = files(tree)
    records = [data.decode() for path, data in held.items() if path.endswith(".dist-info/RECORD")]
    of_wheels = {f"{SITE}/{row[0]}" for record in records for row in csv.reader(record.splitlines()) if row}
    made = {path for path in held if path.endswith(".pyc") or path.startswith("var/lib/dpkg/status.d/")}
    made |= {"etc/passwd", "etc/group", "etc/nsswitch.conf", "etc/ssl/certs/ca-certificates.crt", PROGRAM_PATH}
    assert held.keys() - of_debian - of_wheels - made == set()


def test_a_clone_elsewhere_makes_the_same_image_of_an_archive_and_no_network(image_out: Path, tmp_path: Path) -> None:
    clone, archive = tmp_path / "elsewhere", tmp_path / "inputs.tar"
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, clone], check=True, timeout=BUILD_S)
    subprocess.run(["git", "-C", clone, "checkout", "--quiet", revision_of(image_out)], check=True, timeout=BUILD_S)
    made = subprocess.run(
        [sys.executable, "-m", "image", "archive", "--archive", archive],
        cwd=REPOSITORY,
        capture_output=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    nowhere = {
        "IMAGE_MIRROR": "http://127.0.0.1:1",
        "IMAGE_SECURITY_MIRROR": "http://127.0.0.1:1",
        "TZ": "Asia/Kathmandu",
    }
    alone = ["unshare", "--net"] if os.geteuid() == 0 else []
    build = [*alone, sys.executable, "-m", "image", "build", "--out", str(tmp_path / "out")]
    finished = subprocess.run(
        [*build, "--store", str(tmp_path / "store"), "--archive", str(archive)],
        cwd=clone,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **nowhere},
        capture_output=True,
        text=True,
        umask=0o077,
        timeout=BUILD_S,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert differences(tmp_path / "out", image_out) == []
    refused = subprocess.run(
        [*build, "--store", str(tmp_path / "empty")],
        cwd=clone,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        timeout=BUILD_S,
        check=False,
    )
    assert refused.returncode == 1, "the archive was not needed"
    assert "make image ARCHIVE=" in refused.stderr
