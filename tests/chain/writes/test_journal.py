"""The journal: nonces without gaps, everything kept comes back as it was, old rows go."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from node.api.errors import ErrorCode, as_node_error
from node.chain.errors import ContractConflictError, JournalConflictError, PayersTakenOverError, WriteLostError
from node.chain.port import ContractCall, ContractEvent, WriteIntent
from node.chain.writes import journal_rows
from node.chain.writes.journal import PRUNE_BATCH, DuplicateWriteError, Journal
from node.chain.writes.model import Attempt, CancelReason, Draft, Failed, Fees, Mined, Purpose, Transaction
from node.database.port import Row, Statement
from node.errors import DomainError
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import LedgerDatabase
from tests.support.ledgers import LedgerWorld, SqliteWorld
from tests.support.writes import ANYWHERE, ROOT

PAYER = "0x" + "11" * 20
OTHER = "0x" + "33" * 20
SEALER = EnclaveKeyring(ROOT, 1, ANYWHERE).idempotency_sealer()
TRANSACTION = Transaction("0x" + "22" * 20, b"\x01\x02", 2**200, 50_000)

MANY_ENDED = f"""
WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {2 * PRUNE_BATCH})
INSERT INTO chain_write (chain_id, instance, payer, nonce, purpose, recipient, data, value, gas_limit, journaled_at_us,
    first_hash, state, ended_at_us, told)
SELECT 1, 'first', '{PAYER}', n, 'top_up', '', '', '0', 0, 0, '', 'mined', n, 1 FROM numbers
"""

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
    sealed = journal_rows.seal_answer(intent, SEALER)
    answer = journal_rows.open_answer(sealed, journal_rows.intent_to_text(intent), SEALER)
    assert journal_rows.intent_from_text(journal_rows.intent_to_text(intent), answer) == intent


@pytest.mark.exhaustive
@settings(max_examples=60)
@given(mined)
def test_a_success_comes_back_as_it_was(outcome: Mined) -> None:
    assert journal_rows.outcome_from_text(journal_rows.outcome_to_text(outcome)) == outcome


def test_a_failure_comes_back_as_it_was() -> None:
    error = ContractConflictError("taken", fix="another", details={"hash": "0x1"}, retry_after_s=3)
    again = journal_rows.outcome_from_text(journal_rows.outcome_to_text(Failed(error, "0xaa", 7, 2)))
    assert isinstance(again, Failed)
    assert (again.transaction_hash, again.block_number, again.block_index) == ("0xaa", 7, 2)
    assert isinstance(again.error, ContractConflictError)
    assert vars(again.error) == vars(error)


@pytest.mark.parametrize(
    ("code", "fix", "retry_after_s"),
    [
        ("unauthorized", '"Use another key."', "null"),
        ("forbidden", '"Ask for the permission."', "null"),
        ("not_found", '"See list_groups."', "null"),
        ("conflict", '"Use another."', "null"),
        ("bad_request", '"Correct it."', "null"),
        ("internal_error", "null", "null"),
        ("chain_unavailable", '"Send the request again."', "1"),
        ("chain_unavailable", '"Try again later."', "10"),
    ],
)
def test_the_bytes_of_a_stored_failure_stay_as_they_are(code: str, fix: str, retry_after_s: str) -> None:
    stored = (
        '{"transaction_hash":"0xaa","block_number":7,"block_index":2,"error":{"code":"'
        f'{code}","message":"No.","fix":{fix},"details":{{"hash":"0x1"}},"retry_after_s":{retry_after_s}}}}}'
    )
    outcome = journal_rows.outcome_from_text(stored)
    assert journal_rows.outcome_to_text(outcome) == stored
    assert isinstance(outcome, Failed)
    shown = as_node_error(outcome.error)
    assert (shown.code, shown.message, json.dumps(shown.fix), json.dumps(shown.retry_after_s)) == (
        code,
        "No.",
        fix,
        retry_after_s,
    )


def test_an_answer_opens_only_for_its_own_write() -> None:
    intent = WriteIntent("one", ContractCall("f", ()), answer={"key": "secret"})
    sealed = journal_rows.seal_answer(intent, SEALER)
    assert sealed is not None
    for other in (replace(intent, write_id="two"), replace(intent, idempotency_id="another's request")):
        with pytest.raises(journal_rows.SealedElsewhereError):
            journal_rows.open_answer(sealed, journal_rows.intent_to_text(other), SEALER)


async def test_a_row_that_is_given_to_another_request_is_not_its_answer(
    journal: Journal, books: LedgerDatabase
) -> None:
    secret = replace(
        draft("w1", "victim's"),
        intent=WriteIntent("w1", ContractCall("f", (1,)), idempotency_id="victim's", answer={"key": "secret"}),
    )
    await journal.append(secret, attempt)
    await books.execute(Statement("UPDATE chain_write SET idempotency_id = ?", ("thief's",)))
    assert await journal.find("thief's") is None
    await books.execute(Statement("UPDATE chain_write SET intent = REPLACE(intent, ?, ?)", ("victim", "thief")))
    with pytest.raises(journal_rows.SealedElsewhereError):
        await journal.find("thief's")


ATTEMPT_OF_BEFORE = (
    "INSERT INTO write_attempt (chain_id, instance, payer, nonce, ordinal, hash, raw, max_fee, priority_fee, cancels,"
    f" stored_at_us) VALUES (1, 'first', '{PAYER}', 0,"
)
OF_BEFORE = (
    f"INSERT INTO write_payer (chain_id, instance, payer, next_nonce, holder) VALUES (1, 'first', '{PAYER}', 1, 'x')",
    f"""
    INSERT INTO chain_write (chain_id, instance, payer, nonce, purpose, recipient, data, value, gas_limit,
        journaled_at_us, first_hash, state, told)
    VALUES (1, 'first', '{PAYER}', 0, 'filler', '{PAYER}', '', '0', 21000, 1, '0xa', 'open', 1)
    """,
    f"{ATTEMPT_OF_BEFORE} 0, '0xa', '', '1', '1', 0, 1)",
    f"{ATTEMPT_OF_BEFORE} 1, '0xb', '', '2', '2', 1, 2)",
)


@pytest.fixture
async def books(ledgers: LedgerWorld) -> AsyncIterator[LedgerDatabase]:
    books = await ledgers.open()
    yield books
    await books.close()


async def opened(books: LedgerDatabase, instance: str = "first", chain_id: int = 1, payer: str = PAYER) -> Journal:
    """Journal of a node between two starts, with its payer's lease acquired."""
    journal = Journal(books, SEALER, chain_id, instance)
    await journal.open()
    await journal.acquire_lease(payer)
    return journal


@pytest.fixture
async def journal(books: LedgerDatabase) -> Journal:
    return await opened(books)


def draft(write_id: str, idempotency_id: str | None = None, now: float = 1000.0, payer: str = PAYER) -> Draft:
    intent = WriteIntent(write_id, ContractCall("f", (1,)), idempotency_id=idempotency_id)
    return Draft(payer, Purpose.ACCOUNT, TRANSACTION, intent, 0, now)


def attempt(nonce: int, salt: str = "") -> Attempt:
    return Attempt(f"0x{nonce}{salt}", bytes([nonce]), Fees(2**100, 2**90), cancels=None, stored_at=1.5)


async def test_nonces_have_no_gap_when_some_cannot_be_signed(journal: Journal) -> None:
    def refuses(nonce: int) -> Attempt:
        raise ValueError("no")

    signers = [refuses if number % 3 == 0 else attempt for number in range(30)]
    works = [journal.append(draft(f"w{number}"), sign) for number, sign in enumerate(signers)]
    outcomes = await asyncio.gather(*works, return_exceptions=True)
    rows = [row for row in outcomes if not isinstance(row, BaseException)]
    assert sorted(row.nonce for row in rows) == list(range(20))
    assert (await journal.acquire_lease(PAYER)).next == 20


async def test_a_request_is_journaled_once_until_it_has_failed(journal: Journal) -> None:
    first = await journal.append(draft("w1", "request"), attempt)
    with pytest.raises(DuplicateWriteError):
        await journal.append(draft("w2", "request"), attempt)
    await journal.finish(first, Failed(WriteLostError("no")), notified=True, now=2.0)
    second = await journal.append(draft("w3", "request"), attempt)
    assert second.nonce == 1
    found = await journal.find("request")
    assert found == second


async def test_writes_of_two_payers_under_the_same_nonce_stay_two(journal: Journal) -> None:
    await journal.acquire_lease(OTHER)
    for write_id, payer in (("w1", PAYER), ("w2", OTHER)):
        row = await journal.append(draft(write_id, payer=payer), partial(attempt, salt=write_id))
        await journal.finish(row, Mined("0x1", 1), notified=False, now=2.0)
    found = [(row.payer, row.nonce, [each.hash for each in row.attempts]) for row in await journal.unnotified()]
    assert found == [(PAYER, 0, ["0x0w1"]), (OTHER, 0, ["0x0w2"])]


async def test_nothing_is_filled_in_under_a_nonce_that_has_a_row(journal: Journal) -> None:
    """Its bytes would be in no row, so they must not be sent."""
    row = await journal.append(draft("w1"), attempt)
    with pytest.raises(JournalConflictError):
        await journal.fill(draft("w2"), row.nonce, lambda nonce: attempt(nonce, "other"))
    assert await journal.unfinished(PAYER) == [row]


async def test_rows_come_back_with_every_attempt(journal: Journal) -> None:
    row = await journal.append(draft("w1"), attempt)
    better = Attempt("0xbetter", b"\x09", Fees(2**101, 2**91), CancelReason.OVERDUE, stored_at=9.25)
    await journal.add_attempt(row, better)
    (again,) = await journal.unfinished(PAYER)
    assert again.attempts == (*row.attempts, better)
    assert again.transaction == TRANSACTION


async def test_cancelled_attempts_of_a_release_before_or_later_are_read(
    ledgers: LedgerWorld,
) -> None:
    """Release 0.1.0 stored whether an attempt cancels, and no reason."""
    books = await ledgers.open()
    await books.migrate(journal_rows.COMPONENT, journal_rows.MIGRATIONS[:8])
    await books.execute(*map(Statement, OF_BEFORE))
    journal = await opened(books)
    (row,) = await journal.unfinished(PAYER)
    assert [each.cancels for each in row.attempts] == [None, CancelReason.NOT_STORED]
    await journal.add_attempt(row, Attempt("0xc", b"", Fees(3, 3), CancelReason.OVERDUE, 3.0))
    await books.execute(Statement("UPDATE write_attempt SET cancel_reason = 'of a later release' WHERE ordinal = 1"))
    (row,) = await (await opened(books)).unfinished(PAYER)
    assert [each.cancels for each in row.attempts] == [
        None,
        CancelReason.NOT_STORED,
        CancelReason.OVERDUE,
    ]
    await books.close()


async def test_only_what_is_finished_told_and_old_is_forgotten(journal: Journal, books: LedgerDatabase) -> None:
    rows = [await journal.append(draft(f"w{number}", f"r{number}"), attempt) for number in range(4)]
    await journal.finish(rows[0], Mined("0x0", 1), notified=True, now=100.0)
    await journal.finish(rows[1], Mined("0x1", 1), notified=False, now=100.0)
    await journal.finish(rows[2], Mined("0x2", 1), notified=True, now=200.0)
    assert await journal.prune(ended_before=150.0) == 1
    (hashes,) = await books.read(Statement("SELECT hash FROM write_attempt ORDER BY hash"))
    assert [row[0] for row in hashes] == ["0x1", "0x2", "0x3"]
    assert [await journal.find(f"r{number}") is not None for number in range(4)] == [False, True, True, True]
    assert [row.nonce for row in await journal.unnotified()] == [rows[1].nonce]


async def test_what_is_forgotten_after_a_long_stop_goes_in_transactions_of_bounded_size(
    journal: Journal, books: LedgerDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    await books.execute(Statement(MANY_ENDED))
    sizes: list[int] = []
    execute = books.execute

    async def measured(*statements: Statement) -> Sequence[Sequence[Row]]:
        given = await execute(*statements)
        sizes.extend(len(rows) for rows in given)
        return given

    monkeypatch.setattr(books, "execute", measured)
    assert await journal.prune(ended_before=1.0) == 2 * PRUNE_BATCH + 1
    assert sizes == [PRUNE_BATCH, PRUNE_BATCH, 1]


async def test_chains_do_not_mix(journal: Journal, books: LedgerDatabase) -> None:
    await journal.append(draft("w1", "request"), attempt)
    other = await opened(books, chain_id=2)
    assert await other.unfinished(PAYER) == []
    assert await other.find("request") is None
    row = await other.append(draft("w1", "request"), attempt)
    assert row.nonce == 0


async def test_a_journal_sealed_under_another_root_is_refused_not_misread(
    books: LedgerDatabase, journal: Journal
) -> None:
    intent = WriteIntent("w1", ContractCall("f", ()), idempotency_id="r", answer={"key": "secret"})
    await journal.append(Draft(PAYER, Purpose.ACCOUNT, TRANSACTION, intent, 0, 0.0), attempt)
    stranger = EnclaveKeyring(bytes(32), 1, ANYWHERE).idempotency_sealer()
    with pytest.raises(journal_rows.SealedElsewhereError):
        await Journal(books, stranger, 1, "first").find("r")


async def test_what_comes_together_shares_its_commits_and_a_duplicate_takes_no_nonce_of_the_others(
    journal: Journal,
) -> None:
    """The ninth is the fifth's twin: those behind it in the same transaction are signed again."""
    signed: list[int] = []

    def sign(nonce: int) -> Attempt:
        signed.append(nonce)
        return attempt(nonce)

    drafts = [draft(f"w{number}", "request 4" if number == 8 else f"request {number}") for number in range(16)]
    outcomes = await asyncio.gather(*(journal.append(each, sign) for each in drafts), return_exceptions=True)
    assert isinstance(outcomes.pop(8), DuplicateWriteError)
    rows = [row for row in outcomes if not isinstance(row, BaseException)]
    assert [row.nonce for row in rows] == list(range(15))
    assert [row.intent for row in await journal.unfinished(PAYER)] == [
        each.intent for each in drafts if each is not drafts[8]
    ]
    assert len(signed) == 16 + 7


async def test_nonces_that_others_used_are_skipped(journal: Journal) -> None:
    """The chain counts them: they were another process's, or of a journal that is lost."""
    far = Draft(PAYER, Purpose.ACCOUNT, TRANSACTION, WriteIntent("w1", ContractCall("f", ())), 40, 0.0)
    assert (await journal.append(far, attempt)).nonce == 40
    assert (await journal.append(draft("w2"), attempt)).nonce == 41


async def test_each_instance_finishes_tells_and_forgets_its_own_alone(journal: Journal, books: LedgerDatabase) -> None:
    other = await opened(books, "second", payer=OTHER)
    mine, theirs = (
        await journal.append(draft("w1", "r1"), attempt),
        await other.append(draft("w2", "r2", payer=OTHER), attempt),
    )
    assert (await journal.payers_with_unfinished(), await other.payers_with_unfinished()) == ([PAYER], [OTHER])
    for each, row in ((journal, mine), (other, theirs)):
        await each.finish(row, Mined("0x1", 1), notified=False, now=100.0)
    # To note that they are told needs the leases of their payers.
    assert (await journal.payers_with_unfinished(), await other.payers_with_unfinished()) == ([PAYER], [OTHER])
    assert ([row.payer for row in await journal.unnotified()], [row.payer for row in await other.unnotified()]) == (
        [PAYER],
        [OTHER],
    )
    for each, row in ((journal, mine), (other, theirs)):
        await each.finish(row, Mined("0x1", 1), notified=True, now=100.0)
    assert await journal.payers_with_unfinished() == []
    assert await other.prune(ended_before=1000.0) == 1
    assert (await journal.find("r1") is None, await journal.find("r2") is None) == (False, True)


async def test_a_request_that_two_instances_get_is_journaled_by_one_of_them(
    journal: Journal, books: LedgerDatabase
) -> None:
    other = await opened(books, "second", payer=OTHER)
    both = [journal.append(draft("w1", "request"), attempt), other.append(draft("w2", "request", payer=OTHER), attempt)]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    (row,) = [each for each in outcomes if not isinstance(each, BaseException)]
    assert [type(each) for each in outcomes if isinstance(each, BaseException)] == [DuplicateWriteError]
    assert await journal.find("request") == await other.find("request") == row


async def test_the_instance_that_failed_is_not_found_when_another_made_the_write_afterwards(
    journal: Journal, books: LedgerDatabase
) -> None:
    """Whatever their clocks say."""
    other = await opened(books, "second", payer=OTHER)
    failed = await journal.append(draft("w1", "request", now=2000.0), attempt)
    await journal.finish(failed, Failed(WriteLostError("no")), notified=True, now=2001.0)
    made = await other.append(draft("w2", "request", now=1000.0, payer=OTHER), attempt)
    assert await journal.find("request") == made


async def test_a_second_process_of_one_instance_takes_over_and_the_first_changes_nothing_more(
    journal: Journal, books: LedgerDatabase
) -> None:
    row = await journal.append(draft("w1", "request"), attempt)
    second = await opened(books)
    better = Attempt("0xbetter", b"\x09", Fees(1, 1), CancelReason.OVERDUE, stored_at=2.0)
    refused: Sequence[Callable[[], Awaitable[object]]] = [
        lambda: journal.append(draft("w2"), attempt),
        lambda: journal.add_attempt(row, better),
        lambda: journal.fill(draft("w3"), 7, attempt),
        lambda: journal.finish(row, Mined("0x1", 1), notified=True, now=3.0),
        lambda: journal.require_lease(PAYER),
    ]
    for change in refused:
        journal._leases.lost = False  # each is refused by the database, not by what the one before has learned
        with pytest.raises(DomainError, match="taken over") as error:
            await change()
        assert (as_node_error(error.value).code, bool(error.value.retry_after_s)) == (ErrorCode.CHAIN_UNAVAILABLE, True)
    assert journal.is_lease_lost
    assert await second.unfinished(PAYER) == [row]
    assert not await journal.has("w2"), "what was refused is known to be nowhere"
    assert (await second.append(draft("w2"), attempt)).nonce == 1


async def test_two_processes_of_one_instance_never_store_two_transactions_under_one_nonce(
    journal: Journal, books: LedgerDatabase
) -> None:
    """The second takes over while the first has many under way."""
    first = [asyncio.create_task(journal.append(draft(f"a{number}"), attempt)) for number in range(80)]
    await asyncio.sleep(0)
    second = await opened(books)
    later = [second.append(draft(f"b{number}"), lambda nonce: attempt(nonce, "b")) for number in range(40)]
    outcomes = [*await asyncio.gather(*first, return_exceptions=True), *await asyncio.gather(*later)]
    rows = [each for each in outcomes if not isinstance(each, BaseException)]
    assert sorted(row.nonce for row in rows) == list(range(len(rows)))
    assert {type(each) for each in outcomes if isinstance(each, BaseException)} <= {PayersTakenOverError}
    assert [len(row.attempts) for row in await second.unfinished(PAYER)] == [1] * len(rows)


async def test_no_question_to_the_journal_reads_all_attempts_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger's only writer does nothing else meanwhile; PostgreSQL, which counts its rows, sees it by itself."""
    books = await SqliteWorld(tmp_path).open()
    journal = await opened(books)
    asked: list[Statement] = []
    execute = books.execute

    async def noted(*statements: Statement) -> Sequence[Sequence[Row]]:
        asked.extend(statements)
        return await execute(*statements)

    monkeypatch.setattr(books, "execute", noted)
    await journal.unnotified()
    await journal.find("request")
    await journal.has("write")
    await journal.from_nonce(PAYER, 7)
    await journal.unfinished(PAYER)
    await journal.payers_with_unfinished()
    await journal.prune(1.0)
    explained = [await execute(Statement(f"EXPLAIN QUERY PLAN {each.sql}", each.values)) for each in asked]
    plans = [[str(row[3]) for row in rows] for (rows,) in explained]
    await books.close()
    assert len(plans) == 7
    for step in (step for plan in plans for step in plan):
        assert not step.startswith(("SCAN w", "SCAN a", "SCAN chain_write")), plans
        if step.startswith("SEARCH a "):
            assert step.endswith("(chain_id=? AND instance=? AND payer=? AND nonce=?)"), plans
        if step.startswith("SEARCH w ") and "payer=?" not in step:
            assert "chain_write_unfinished" in step or "chain_write_idempotency" in step, plans
