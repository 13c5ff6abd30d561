"""The checked-in vectors: what the commands say of them, that writing them again changes nothing, that they cover all."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from svc_verifier.check import CATALOGUE
from svc_verifier.cli.group import commands
from svc_verifier.cli.plumbing import STAGES, plumbing
from tests.support.attested.cases.identity import IDENTITY_CASES
from tests.support.fixtures import ABSENT, FIXTURES
from tests.support.vectors import stages
from tests.support.vectors.__main__ import files
from tests.support.vectors.vector import BASES, FOLDER, Vector, merged, patch_of, read_input

OTHERS = {"chainsecured", "keyring"}
"""Vectors that are not the verifier's."""

PATHS = sorted(path.parent for stage in STAGES for path in (FOLDER / stage).glob("*/manifest.json"))


def manifest(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return read


def outcome(stage: str, given: dict[str, Any]) -> dict[str, Any]:
    ran = CliRunner().invoke(plumbing, [f"verify-{stage}"], input=json.dumps(given))
    assert ran.exit_code == 0, ran.output
    read: dict[str, Any] = json.loads(ran.stdout)
    return read


@pytest.mark.parametrize("folder", PATHS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_vector_gives_what_is_expected(folder: Path) -> None:
    if "needs" in manifest(folder) and not FIXTURES.is_dir():
        pytest.skip(ABSENT)
    stage, expected = folder.parent.name, json.loads((folder / "expected.json").read_text())
    result = outcome(stage, read_input(folder))
    if stage == "quote":
        assert {name: result.get(name) for name in expected} == expected
        return
    for status in ("failed", "unknown"):
        assert sorted(name for name, value in result["checks"].items() if value == status) == expected[status]
    assert set(result["checks"].values()) <= {"passed", "failed", "unknown", "skipped"}
    assert result.get("verdict") == expected.get("verdict")


@pytest.mark.exhaustive
def test_writing_the_vectors_again_changes_nothing() -> None:
    made = files(stages.vectors())
    kept = {
        str(path.relative_to(FOLDER)): path.read_text()
        for path in FOLDER.rglob("*")
        if path.is_file()
        and path.relative_to(FOLDER).parts[0] not in OTHERS | {"README.md", "adapter.py", "__pycache__"}
    }
    assert sorted(kept) == sorted(made)
    assert [path for path, text in made.items() if kept[path] != text] == []


def test_every_stage_has_vectors_that_are_good_and_that_are_not() -> None:
    for stage in STAGES:
        expected = [
            json.loads((folder / "expected.json").read_text()) for folder in PATHS if folder.parent.name == stage
        ]
        good = [each for each in expected if not each.get("failed") and "error" not in each]
        assert good, stage
        assert len(good) < len(expected), stage


def test_every_check_is_exercised() -> None:
    exercised = {name for folder in PATHS for name in manifest(folder)["checks"]}
    assert exercised == set(CATALOGUE)


@pytest.mark.exhaustive
def test_a_new_case_adds_its_own_files_and_changes_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(stages.vectors())
    name = "app id: of an application that nobody has"
    # In the middle of its table, where a number of its place would move all that follow it.
    table = (IDENTITY_CASES[0], replace(IDENTITY_CASES[0], name=name), *IDENTITY_CASES[1:])
    monkeypatch.setattr(stages, "IDENTITY_CASES", table)
    monkeypatch.setattr(stages, "ALSO", stages.ALSO | {name})
    after = files(stages.vectors())
    added = {path: after.pop(path) for path in after.keys() - before.keys()}
    assert after == before
    folder = "identity/app-id-of-an-application-that-nobody-has"
    assert sorted(added) == [f"{folder}/{file}.json" for file in ("expected", "input", "manifest")]


def test_two_vectors_of_one_folder_are_refused() -> None:
    vector = Vector(stage="caa", name="one: name", given={}, expected={})
    with pytest.raises(ValueError, match="caa/one-name"):
        files([vector, replace(vector, name="one, name")])


def test_the_vectors_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3_600_000
    assert (FOLDER / BASES).is_dir()


def test_a_patch_makes_the_target() -> None:
    base, target = {"a": 1, "b": {"c": [1], "d": 2}}, {"b": {"c": [2]}, "e": {"f": 1}}
    assert merged(base, patch_of(base, target)) == target


@pytest.mark.parametrize("given", ["", "[]", "{", '{"a":1,"a":2}', "[" * 100])
def test_standard_input_that_is_no_object_ends_with_30(given: str) -> None:
    for stage in STAGES:
        ran = CliRunner().invoke(plumbing, [f"verify-{stage}"], input=given)
        assert ran.exit_code == 30
        assert ran.stdout == ""


def test_an_input_without_its_members_is_an_error_and_no_exception() -> None:
    for stage in STAGES:
        assert set(outcome(stage, {})) == {"error"}
        assert set(outcome(stage, {"quote": 1, "trust": [], "bundle": {}, "records": 1, "now_s": "x"})) == {"error"}


def test_the_command_leads_to_the_plumbing() -> None:
    ran = CliRunner().invoke(commands, ["plumbing", "verify-quote"], input='{"quote":"zz"}')
    assert ran.exit_code == 0
    assert json.loads(ran.stdout) == {"error": "not_hex"}
