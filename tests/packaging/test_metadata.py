"""Each program says its version, and no requirement admits a release that is known to be weak."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import svc_client
from tests.support.node import REPOSITORY

PROJECTS = (".", "verifier", "client", "devkit")
REFUSED = {"aiohttp": "3.14.2", "cryptography": "50.0.1", "requests": "2.32.5"}
"""The last release of each that no requirement may admit. aiohttp and requests have advisories up to there; a patch
release of cryptography replaces the OpenSSL in its wheels."""


def project(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text())["project"]
    return found


PROGRAMS = [(folder, name, place) for folder in PROJECTS for name, place in project(folder)["scripts"].items()]


@pytest.mark.parametrize(("folder", "name", "place"), PROGRAMS, ids=[name for _, name, _ in PROGRAMS])
def test_every_program_says_its_version(folder: str, name: str, place: str) -> None:
    package = place.partition(":")[0].removesuffix(".__main__")
    said = subprocess.run(
        [sys.executable, "-m", package, "--version"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    version = metadata.version(project(folder)["name"])
    assert (said.returncode, said.stdout, said.stderr) == (0, f"{name}, version {version}\n", "")


def test_all_packages_have_the_version_of_the_client() -> None:
    assert {project(folder).get("version", svc_client.__version__) for folder in PROJECTS} == {svc_client.__version__}
    pins = [each for folder in PROJECTS for each in project(folder)["dependencies"] if each.startswith("svc-")]
    assert {each.partition("==")[2] for each in pins} == {svc_client.__version__}


def locked(lock: str) -> dict[str, str]:
    """Each package's version in a lock file."""
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+) ", (REPOSITORY / "requirements" / lock).read_text(), re.MULTILINE))


@pytest.mark.parametrize("folder", PROJECTS)
def test_requirements_admit_what_is_locked_and_nothing_that_is_known_to_be_weak(folder: str) -> None:
    versions = locked("node.txt") | locked("verifier.txt") | locked("development.txt")
    described = project(folder)
    extras = described.get("optional-dependencies", {}).values()
    for required in map(Requirement, [*described["dependencies"], *(each for extra in extras for each in extra)]):
        name = canonicalize_name(required.name)
        assert name.startswith("svc-") or required.specifier.contains(versions[name]), required
        assert name not in REFUSED or not required.specifier.contains(REFUSED[name]), required
