"""Bundles: whatever was looked at comes back as it was; whatever else is in the file is refused with one error."""

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_verifier.bundle import LIMIT_BYTES, dump_bundle, load_bundle, read_bundle
from svc_verifier.errors import VerifierError
from svc_verifier.material import (
    CaaRecord,
    CaaRecords,
    Connection,
    ContractCall,
    ContractLog,
    HttpResponse,
    Material,
    Missing,
    ProviderAnswers,
)

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
BYTES = st.binary(max_size=40)
NUMBER = st.integers(0, 2**60 - 1)
MISSING = st.builds(Missing, TEXT)
ANSWER = st.builds(HttpResponse, st.integers(100, 599), BYTES, st.integers(0, 3)) | MISSING
LOGS = st.builds(tuple, st.lists(st.builds(ContractLog, BYTES, st.tuples(BYTES), BYTES, NUMBER, NUMBER), max_size=3))
ENDPOINT = (
    st.builds(
        ProviderAnswers,
        name=TEXT,
        chain_id=NUMBER,
        block_number=NUMBER,
        block_hash=BYTES,
        block_time_s=NUMBER,
        code=st.dictionaries(BYTES, BYTES, max_size=3),
        storage=st.dictionaries(st.tuples(BYTES, BYTES), BYTES, max_size=3),
        calls=st.dictionaries(st.builds(ContractCall, BYTES, BYTES), st.none() | BYTES, max_size=3),
        logs=LOGS | MISSING,
    )
    | MISSING
)
RECORD = st.builds(CaaRecord, st.integers(0, 255), TEXT, TEXT)
MATERIAL = st.builds(
    Material,
    host=TEXT,
    now_s=NUMBER,
    nonce=st.none() | BYTES,
    connections=st.lists(st.builds(Connection, st.tuples(BYTES), TEXT, TEXT), max_size=2).map(tuple),
    attestation=ANSWER,
    info=ANSWER,
    evidences=st.dictionaries(TEXT, ANSWER, max_size=3) | MISSING,
    collateral=st.dictionaries(st.tuples(TEXT, TEXT), TEXT, max_size=2) | MISSING,
    providers=st.lists(ENDPOINT, max_size=2).map(tuple),
    caa=st.builds(CaaRecords, TEXT, st.lists(RECORD, max_size=2).map(tuple), st.booleans()) | MISSING,
    replayed=st.just(True),
)


@given(MATERIAL)
def test_what_was_looked_at_comes_back_as_it_was(material: Material) -> None:
    text = dump_bundle(material)
    assert load_bundle(text) == material
    assert dump_bundle(load_bundle(text)) == text


def one() -> Material:
    answers = ProviderAnswers(
        "a.example", 1, 2, b"h" * 32, 3, {b"a" * 20: b"c"}, {}, {ContractCall(b"a" * 20, b"d"): None}, ()
    )
    log = ContractLog(b"a" * 20, (b"t" * 32,), b"", 1, 2)
    return Material(
        host="a.example",
        now_s=1_750_000_000,
        nonce=bytes(32),
        connections=(Connection((b"der",), "TLSv1.3", ""),),
        attestation=HttpResponse(200, b"{}", 0),
        info=Missing("not there"),
        evidences={"sha256sum.txt": HttpResponse(200, b"", 0)},
        collateral={("00", "platform"): "{}"},
        providers=(dataclasses.replace(answers, logs=(log,)), Missing("gone")),
        caa=CaaRecords("a.example", (CaaRecord(0, "issue", ";"),), authenticated=True),
    )


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


@pytest.mark.parametrize("other", [None, -1, 1.5, True, "\ud800", [], {}, [[[[]]]], 2**70])
def test_any_value_in_any_place_is_read_or_refused_with_one_error(other: object) -> None:
    whole = json.loads(dump_bundle(one()))
    for place in places(whole)[1:]:
        document = json.loads(json.dumps(whole))
        inner = document
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = other
        with contextlib.suppress(VerifierError):
            load_bundle(json.dumps(document))


def test_a_member_that_is_not_known_is_refused_wherever_it_is() -> None:
    """A misspelt or a newer member would be lost without a word, and the verdict would rest on less than the file says."""
    whole = json.loads(dump_bundle(one()))
    objects = [place for place in places(whole) if isinstance(at(whole, place), dict)]
    assert len(objects) >= 12
    for place in objects:
        document = json.loads(json.dumps(whole))
        at(document, place)["unheard-of"] = 1
        with pytest.raises(VerifierError, match="unheard-of"):
            load_bundle(json.dumps(document))


def test_two_answers_to_one_question_are_refused() -> None:
    """Which of them counted would depend on the reader."""
    document = json.loads(dump_bundle(one()))
    document["endpoints"][0]["code"] *= 2
    with pytest.raises(VerifierError, match="twice"):
        load_bundle(json.dumps(document))


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def test_each_member_is_required() -> None:
    whole = json.loads(dump_bundle(one()))
    for name in whole:
        with pytest.raises(VerifierError):
            load_bundle(json.dumps({key: value for key, value in whole.items() if key != name}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "{}", '{"format":"svc-verify-bundle","version":2}', "[" * 100_000, "\ud800"]
)
def test_what_is_no_bundle_is_refused(text: str) -> None:
    with pytest.raises(VerifierError):
        load_bundle(text)


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_refused_with_one_error(data: bytes) -> None:
    with pytest.raises(VerifierError):
        load_bundle(data)


def test_a_file_has_a_ceiling(tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    with path.open("wb") as file:
        file.truncate(LIMIT_BYTES + 1)
    with pytest.raises(VerifierError, match="cannot be read"):
        read_bundle(path)
    with pytest.raises(VerifierError, match="cannot be read"):
        read_bundle(Path("/dev/zero"))
    with pytest.raises(VerifierError, match="cannot be read"):
        read_bundle(tmp_path)
