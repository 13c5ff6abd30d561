"""Identifiers of requests and runs: well-formed, never twice, and those of runs in the order of time."""

import os
import time
import uuid

import pytest

from node.values import UniqueIds


def test_a_request_has_a_random_uuid_of_its_own() -> None:
    drawn = [UniqueIds().uuid(), *(ids.uuid() for ids in [UniqueIds()] for _ in range(2_000))]
    assert len(set(drawn)) == len(drawn)
    for text in drawn:
        parsed = uuid.UUID(text)
        assert (str(parsed), parsed.version, parsed.variant) == (text, 4, uuid.RFC_4122)


def test_a_run_has_an_identifier_that_begins_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_800_000_000_000_000_000
    ids, drawn = UniqueIds(), []
    for _ in range(600):
        monkeypatch.setattr(time, "time_ns", lambda now=now: now)
        drawn.append(ids.ordered())
        now += 1_000_000
    assert drawn == sorted(set(drawn))
    assert {len(each) for each in drawn} == {32}
    assert len({each[12:] for each in drawn}) == len(drawn)


def test_no_random_byte_is_used_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = []

    def random(size: int) -> bytes:
        blocks.append(size)
        return os.getrandom(size)

    monkeypatch.setattr(os, "urandom", random)
    ids = UniqueIds()
    for _ in range(1_000):
        ids.uuid()
    assert sum(blocks) >= 1_000 * 16
