"""What is committed: nothing that says where packages come from, and nothing that was generated beside the sources."""

import json
import re
import subprocess

from tests.support.node import REPOSITORY

REGISTRIES = ["\\.".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "(?:org|com)"))]
GENERATED = re.compile(
    r"(^|/)(__pycache__|node_modules|build|dist|swagger_ui|\.[a-z]*_cache|[^/]*\.egg-info)(/|$)|\.py[co]$"
)


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True)
    return [name for name in listed.stdout.decode().split("\0") if name and (REPOSITORY / name).is_file()]


def test_no_file_names_a_package_registry() -> None:
    registry = re.compile("|".join(REGISTRIES).encode())
    assert [name for name in tracked() if registry.search((REPOSITORY / name).read_bytes())] == []


def test_the_locks_hold_hashes_and_no_addresses() -> None:
    for lock in sorted((REPOSITORY / "requirements").glob("*.txt")):
        pinned = re.findall(r"^([a-z0-9._-]+)==\S+ \\\n {4}--hash=sha256:[0-9a-f]{64}", lock.read_text(), re.MULTILINE)
        assert len(pinned) == len(re.findall(r"^[^\s#]", lock.read_text(), re.MULTILINE)), lock
    packages = json.loads((REPOSITORY / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert not name or package["integrity"].startswith("sha512-"), name


def test_nothing_generated_is_committed() -> None:
    assert [name for name in tracked() if GENERATED.search(name)] == []
