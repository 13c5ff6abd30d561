"""The journal: nonces without gaps, everything kept comes back as it was, old rows go."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from node.chain.port import ContractCall, ContractEvent, WriteIntent
from node.chain.writes import records
from node.chain.writes.journal import Draft, DuplicateWriteError, Journal
from node.chain.writes.model import Attempt, Failed, Fees, Mined, Purpose, Transaction
from node.errors import ErrorCode, NodeError
from node.keyring.enclave import EnclaveKeyring
from node.sqlite import Database
from tests.world.writes import ANYWHERE, ROOT

PAYER = "0x" + "11" * 20
SEALER = EnclaveKeyring(ROOT, 1, ANYWHERE).idempotency_sealer()
TRANSACTION = Transaction("0x" + "22" * 20, b"\x01\x02", 2**200, 50_000)

u256 = st.integers(0, 2**256 - 1)
values: st.SearchStrategy[object] = st.recursive(
    u256 | st.text() | st.binary() | st.booleans(), lambda inner: st.lists(inner).map(tuple), max_leaves=4
)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)
intents = st.builds(
    WriteIntent,
    write_id=st.text(),
    call=st.builds(ContractCall, function=st.text(), arguments=st.lists(values).map(tuple)),
    caller_hash=st.none() | u256,
    idempotency_id=st.none() | st.text(),
    answer=st.dictionaries(st.text(), json_values),
    charge=st.dictionaries(st.text(), json_values),
    may_use_reserve=st.booleans(),
)
events = st.builds(ContractEvent, name=st.text(), arguments=st.dictionaries(st.text(), values))
mined = st.builds(Mined, st.text(), st.integers(0), st.lists(events).map(tuple), st.integers(0))


@settings(max_examples=60)
@given(intents)
def test_an_intent_comes_back_as_it_was(intent: WriteIntent) -> None:
    sealed = records.seal_answer(intent, SEALER)
    answer = records.open_answer(sealed, intent.write_id, SEALER)
    assert records.intent_from_text(records.intent_to_text(intent), answer) == intent


@settings(max_examples=60)
@given(mined)
def test_a_success_comes_back_as_it_was(outcome: Mined) -> None:
    assert records.outcome_from_text(records.outcome_to_text(outcome)) == outcome


def test_a_failure_comes_back_as_it_was() -> None:
    error = NodeError(ErrorCode.CONFLICT, "taken", fix="another", details={"hash": "0x1"}, retry_after_s=3)
    again = records.outcome_from_text(records.outcome_to_text(Failed(error, "0xaa", 7, 2)))
    assert isinstance(again, Failed)
    assert (again.transaction_hash, again.block_number, again.block_index) == ("0xaa", 7, 2)
    assert vars(again.error) == vars(error)


def test_an_answer_opens_only_for_its_own_write() -> None:
    intent = WriteIntent("one", ContractCall("f", ()), answer={"key": "secret"})
    sealed = records.seal_answer(intent, SEALER)
    assert sealed is not None
    with pytest.raises(records.SealedElsewhereError):
        records.open_answer(sealed, "two", SEALER)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "node.db")
    yield database
    await database.close()


@pytest.fixture
async def journal(database: Database) -> Journal:
    journal = Journal(database, SEALER, chain_id=1)
    await journal.open()
    return journal


def draft(write_id: str, idempotency_id: str | None = None, now: float = 1000.0) -> Draft:
    intent = WriteIntent(write_id, ContractCall("f", (1,)), idempotency_id=idempotency_id)
    return Draft(PAYER, Purpose.ACCOUNT, TRANSACTION, intent, 0, now)


def attempt(nonce: int, salt: str = "") -> Attempt:
    return Attempt(f"0x{nonce}{salt}", bytes([nonce]), Fees(2**100, 2**90), cancels=False, stored_at=1.5)


async def test_nonces_have_no_gap_when_some_cannot_be_signed(journal: Journal) -> None:
    def refuses(nonce: int) -> Attempt:
        raise ValueError("no")

    signers = [refuses if number % 3 == 0 else attempt for number in range(30)]
    works = [journal.append(draft(f"w{number}"), sign) for number, sign in enumerate(signers)]
    outcomes = await asyncio.gather(*works, return_exceptions=True)
    rows = [row for row in outcomes if not isinstance(row, BaseException)]
    assert sorted(row.nonce for row in rows) == list(range(20))
    assert (await journal.nonces(PAYER)).next == 20


async def test_a_request_is_journaled_once_until_it_has_failed(journal: Journal) -> None:
    first = await journal.append(draft("w1", "request"), attempt)
    with pytest.raises(DuplicateWriteError):
        await journal.append(draft("w2", "request"), attempt)
    await journal.finish(first.row_id, Failed(NodeError(ErrorCode.CHAIN_UNAVAILABLE, "no")), told=True, now=2.0)
    second = await journal.append(draft("w3", "request"), attempt)
    assert second.nonce == 1
    found = await journal.find("request")
    assert found == second


async def test_rows_come_back_with_every_attempt(journal: Journal) -> None:
    row = await journal.append(draft("w1"), attempt)
    better = Attempt("0xbetter", b"\x09", Fees(2**101, 2**91), cancels=True, stored_at=9.25)
    await journal.add_attempt(row.row_id, better)
    (again,) = await journal.unfinished(PAYER)
    assert again.attempts == (*row.attempts, better)
    assert again.transaction == TRANSACTION


async def test_only_what_is_finished_told_and_old_is_forgotten(journal: Journal) -> None:
    rows = [await journal.append(draft(f"w{number}", f"r{number}"), attempt) for number in range(4)]
    await journal.finish(rows[0].row_id, Mined("0x0", 1), told=True, now=100.0)
    await journal.finish(rows[1].row_id, Mined("0x1", 1), told=False, now=100.0)
    await journal.finish(rows[2].row_id, Mined("0x2", 1), told=True, now=200.0)
    assert await journal.prune(ended_before=150.0) == 1
    assert [await journal.find(f"r{number}") is not None for number in range(4)] == [False, True, True, True]
    assert [row.row_id for row in await journal.untold()] == [rows[1].row_id]


async def test_chains_do_not_mix(journal: Journal, database: Database) -> None:
    await journal.append(draft("w1"), attempt)
    other = Journal(database, SEALER, chain_id=2)
    assert await other.unfinished(PAYER) == []
    row = await other.append(draft("w2"), lambda nonce: attempt(nonce, "other"))
    assert row.nonce == 0


async def test_a_journal_sealed_under_another_root_is_refused_not_misread(database: Database, journal: Journal) -> None:
    intent = WriteIntent("w1", ContractCall("f", ()), idempotency_id="r", answer={"key": "secret"})
    await journal.append(Draft(PAYER, Purpose.ACCOUNT, TRANSACTION, intent, 0, 0.0), attempt)
    stranger = EnclaveKeyring(bytes(32), 1, ANYWHERE).idempotency_sealer()
    with pytest.raises(records.SealedElsewhereError):
        await Journal(database, stranger, chain_id=1).find("r")
