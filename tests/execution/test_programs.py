"""Sources that were named before are known, and their number and size are bounded."""

import pytest

from node.api.errors import ErrorCode, as_node_error
from node.engine.cid import cid_of_source
from node.errors import DomainError
from node.execution import authority
from node.execution.authority import Programs
from node.settings.execution import ActionSettings
from node.values import hash_of_text


async def test_a_source_has_the_same_name_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []

    def counted(source: str) -> str:
        hashed.append(source)
        return cid_of_source(source)

    monkeypatch.setattr(authority, "cid_of_source", counted)
    monkeypatch.setattr(authority, "INLINE_CID_CHARACTERS", 100)
    known = Programs(ActionSettings())
    sources = ["", "main", "main ", "mäin", "\U0001f600" * 30, "x" * 200]
    for _ in range(2):
        for source in sources:
            cid = cid_of_source(source)
            assert await known.of(source) == (cid, hash_of_text(cid))
    assert hashed == [*sources, "x" * 200]


@pytest.mark.parametrize("bound", ["_MAX_REMEMBERED", "_MAX_REMEMBERED_BYTES"])
async def test_who_brings_new_code_with_every_call_fills_no_memory(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authority, bound, {"_MAX_REMEMBERED": 20, "_MAX_REMEMBERED_BYTES": 2_000}[bound])
    known = Programs(ActionSettings())
    for number in range(500):
        source = f"function main() {{ return {number}; }}"
        assert (await known.of(source)).cid == cid_of_source(source)
        await known.of("const used = 'often';")
    assert len(known) <= 40
    assert "const used = 'often';" in known


@pytest.mark.parametrize("source", ["\ud800", "x" * 51, "ü" * 26])
async def test_what_has_no_name_or_is_too_large_is_refused_every_time(source: str) -> None:
    known = Programs(ActionSettings(action_code_bytes=50))
    for _ in range(2):
        with pytest.raises(DomainError) as refused:
            await known.of(source)
        expected = ErrorCode.BAD_REQUEST if source == "\ud800" else ErrorCode.PAYLOAD_TOO_LARGE
        assert as_node_error(refused.value).code is expected
