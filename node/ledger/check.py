"""Rules that always hold in the ledger, as queries that find violations. Opens ledgers to check.

`LEDGER_RULES` hold in both databases. `FILE_RULES` are SQLite's, `ALLOTMENT_RULE` and
`TRIGGER_RULE` PostgreSQL's.
"""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from node.database.port import Reader, Snapshots, Statement, Value, text, whole
from node.database.postgres import PostgresDatabase
from node.database.postgres_address import SETTING, address_of
from node.database.sqlite_reader import SqliteReader
from node.errors import StartupRefusedError
from node.ledger.port import Service, Source
from node.ledger.schema import POSTGRES_STEPS, SQLITE_STEPS
from node.settings.ledger import PostgresSettings

MAX_SHOWN: Final = 20
"""Maximum rows reported of a broken rule; more are only mentioned, so that a report stays short."""
ORPHANED_AFTER_MS: Final = 120_000
"""Age of a lapsed lease at which its allotments break a rule. Live nodes remove them sooner."""

_QUOTED_SOURCES: Final = ", ".join(f"'{source.value}'" for source in Source)
_QUOTED_SERVICES: Final = ", ".join(f"'{service.value}'" for service in Service)
_QUOTED_BOOKS: Final = f"{_QUOTED_SERVICES}, {_QUOTED_SOURCES}"


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule whose `select` finds violations. Skipped if the tables of `component` are absent."""

    name: str
    component: str
    select: str
    columns: Sequence[str]
    values: Sequence[Value] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a rule, with at most `MAX_SHOWN` violating rows by column. `more` says if cut."""

    rule: str
    broken_by: Sequence[Mapping[str, Value]]
    more: bool = False


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Results at one moment. `books` has the house's and the accounts' total, in micro-dollars."""

    entries: int
    accounts: int
    books: Mapping[str, int]
    verdicts: Sequence[Verdict]

    @property
    def holds(self) -> bool:
        """Whether no rule is broken."""
        return not any(verdict.broken_by for verdict in self.verdicts)


# Only names of books are interpolated, which are constants of the port.
LEDGER_RULES: Final = (
    Rule(
        "every account's balance is the sum of its entries",
        "ledger",
        """
        SELECT book, kept, counted FROM (
            SELECT book, SUM(kept) AS kept, SUM(counted) AS counted FROM (
                SELECT book, balance_microdollars AS kept, 0 AS counted FROM ledger_account
                UNION ALL SELECT credit_book, 0, amount_microdollars FROM ledger_entry
                    WHERE credit_book LIKE 'account:%'
                UNION ALL SELECT debit_book, 0, -amount_microdollars FROM ledger_entry
                    WHERE debit_book LIKE 'account:%'
            ) AS amounts GROUP BY book
        ) AS sums WHERE kept <> counted ORDER BY book
        """,
        ("book", "kept_microdollars", "counted_microdollars"),
    ),
    Rule(
        "all books together hold nothing",
        "ledger",
        """
        SELECT total FROM (SELECT COALESCE(SUM(amount), 0) AS total FROM (
            SELECT balance_microdollars AS amount FROM ledger_account
            UNION ALL SELECT amount_microdollars FROM ledger_entry WHERE credit_book NOT LIKE 'account:%'
            UNION ALL SELECT -amount_microdollars FROM ledger_entry WHERE debit_book NOT LIKE 'account:%'
        ) AS amounts) AS sums WHERE total <> 0
        """,
        ("total_microdollars",),
    ),
    Rule(
        "every entry moves an amount between one account and a book of the house",
        "ledger",
        f"""
        SELECT entry, cause, debit_book, credit_book, amount_microdollars FROM ledger_entry
        WHERE amount_microdollars < 0 OR NOT (
            (debit_book LIKE 'account:0x%' AND credit_book IN ({_QUOTED_BOOKS}))
            OR (credit_book LIKE 'account:0x%' AND debit_book IN ({_QUOTED_SOURCES}))
        ) ORDER BY entry
        """,  # noqa: S608 - see above
        ("entry", "cause", "debit_book", "credit_book", "amount_microdollars"),
    ),
    Rule(
        "every account is named by its hash",
        "ledger",
        """
        SELECT book FROM ledger_account WHERE LENGTH(book) <> 74 OR SUBSTR(book, 1, 10) <> 'account:0x'
            OR TRIM(SUBSTR(book, 11), '0123456789abcdef') <> '' ORDER BY book
        """,
        ("book",),
    ),
    Rule(
        "every charge tells what it was for, and no other entry does",
        "ledger",
        f"""
        SELECT entry, cause, credit_book, what, usage_key FROM ledger_entry
        WHERE (credit_book IN ({_QUOTED_SERVICES})) <> (what IS NOT NULL) OR (
            what IS NULL AND COALESCE(usage_key, request_id, CAST(duration_ms AS TEXT)) IS NOT NULL
        ) ORDER BY entry
        """,  # noqa: S608 - see above
        ("entry", "cause", "credit_book", "what", "usage_key"),
    ),
    Rule(
        "no account owes more than was taken back from it by refunds and disputes",
        "ledger",
        f"""
        SELECT book, balance_microdollars, back FROM (
            SELECT book, balance_microdollars, (
                SELECT COALESCE(SUM(amount_microdollars), 0) FROM ledger_entry
                WHERE debit_book = book AND debit_book LIKE 'account:%' AND credit_book IN ({_QUOTED_SOURCES})
            ) AS back FROM ledger_account WHERE balance_microdollars < 0
        ) AS debts WHERE balance_microdollars + back < 0 ORDER BY book
        """,  # noqa: S608 - see above
        ("book", "balance_microdollars", "taken_back_microdollars"),
    ),
    Rule(
        "every usage key's total is the sum of its charges",
        "ledger",
        """
        SELECT usage_key, kept, counted FROM (
            SELECT usage_key, SUM(kept) AS kept, SUM(counted) AS counted FROM (
                SELECT usage_key, spent_microdollars AS kept, 0 AS counted FROM ledger_usage_key
                UNION ALL SELECT usage_key, 0, amount_microdollars FROM ledger_entry WHERE usage_key IS NOT NULL
            ) AS amounts GROUP BY usage_key
        ) AS sums WHERE kept <> counted ORDER BY usage_key
        """,
        ("usage_key", "kept_microdollars", "counted_microdollars"),
    ),
)

_MADE: Final = [step.strip() for step in SQLITE_STEPS]
"""Texts of the steps. SQLite's file has them while no step changes what another step made."""
_EACH_MADE: Final = " UNION ALL ".join(["SELECT ? AS made"] * len(_MADE))

FILE_RULES: Final = (
    Rule(
        "the tables and the triggers that keep them are as they were made",
        "ledger",
        f"""
        SELECT made FROM ({_EACH_MADE}) WHERE made NOT IN (
            SELECT RTRIM(sql, ' ' || CHAR(10)) FROM sqlite_schema WHERE sql IS NOT NULL
        )
        """,  # noqa: S608 - places alone
        ("missing",),
        _MADE,
    ),
    Rule(
        "entries are numbered without a gap",
        "ledger",
        "SELECT * FROM (SELECT COUNT(*) AS there, COALESCE(MAX(entry), 0) AS last FROM ledger_entry) WHERE there <> last",
        ("there", "last"),
    ),
    Rule(
        "the file is sound",
        "ledger",
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        ("fault",),
    ),
)

TRIGGER_RULE: Final = Rule(
    "the triggers that keep the tables are there and in force",
    "ledger",
    """
    SELECT wanted.name FROM (
        SELECT 'ledger_entry_counts' AS name UNION ALL SELECT 'ledger_entry_unchanged'
    ) AS wanted WHERE NOT EXISTS (
        SELECT 1 FROM pg_trigger WHERE tgname = wanted.name AND tgenabled IN ('O', 'A')
        AND tgrelid = to_regclass('ledger_entry')
    ) ORDER BY wanted.name
    """,
    ("missing",),
)

ALLOTMENT_RULE: Final = Rule(
    "nothing is set aside by a node that is gone",
    "lease",
    """
    SELECT name, amount_microdollars, holder FROM ledger_allotment AS held
    WHERE amount_microdollars > 0 AND NOT EXISTS (
        SELECT 1 FROM lease WHERE lease.scope = 'ledger' AND lease.name = held.holder AND until_ms > @now_ms - ?
    ) ORDER BY name, holder
    """,
    ("book_or_usage_key", "amount_microdollars", "holder"),
    (ORPHANED_AFTER_MS,),
)

_COMPONENTS: Final = Statement("SELECT component FROM schema_version")
_TOTALS: Final = Statement(
    """
    SELECT (SELECT COUNT(*) FROM ledger_entry), (SELECT COUNT(*) FROM ledger_account),
        (SELECT COALESCE(SUM(balance_microdollars), 0) FROM ledger_account)
    """
)
_HOUSE: Final = Statement(
    """
    SELECT book, SUM(amount) FROM (
        SELECT credit_book AS book, amount_microdollars AS amount FROM ledger_entry
            WHERE credit_book NOT LIKE 'account:%'
        UNION ALL SELECT debit_book, -amount_microdollars FROM ledger_entry WHERE debit_book NOT LIKE 'account:%'
    ) AS amounts GROUP BY book ORDER BY book
    """
)


async def check(reader: Reader, rules: Sequence[Rule]) -> CheckReport:
    """Evaluates the rules at one moment while nodes write. Raises DatabaseUnavailableError."""
    ((*components,),) = await reader.read(_COMPONENTS)
    there = {str(row[0]) for row in components}
    asked = [rule for rule in rules if rule.component in there]
    (totals,), house, *found = await reader.read(_TOTALS, _HOUSE, *(_statement(rule) for rule in asked))
    entries, accounts, credit = map(whole, totals)
    books = {text(book): whole(amount) for book, amount in house}
    verdicts = [_verdict(rule, rows) for rule, rows in zip(asked, found, strict=True)]
    return CheckReport(entries, accounts, {"accounts": credit, **books}, verdicts)


def _statement(rule: Rule) -> Statement:
    # One row above MAX_SHOWN shows that there are more.
    return Statement(f"{rule.select} LIMIT {MAX_SHOWN + 1}", rule.values)


def _verdict(rule: Rule, rows: Sequence[Sequence[Value]]) -> Verdict:
    shown = [dict(zip(rule.columns, row, strict=True)) for row in rows[:MAX_SHOWN]]
    return Verdict(rule.name, shown, more=len(rows) > MAX_SHOWN)


PATIENCE_S: Final = 2.0
"""Maximum wait for a server out of reach. The person who runs the command can repeat it."""


@dataclass(frozen=True, slots=True)
class LedgerSource:
    """Tables to read, and the rules that hold of them."""

    reader: Snapshots
    rules: Sequence[Rule]


@contextlib.asynccontextmanager
async def sqlite_source(path: Path) -> AsyncIterator[LedgerSource]:
    """Opens a node's file. Raises StartupRefusedError if it has no ledger of this version."""
    if not path.is_file():
        raise StartupRefusedError("data_dir", f"{path} is not there: no node has kept a ledger in it.")
    # Read-only, so it may run beside the node, whose lock on the file it does not take.
    reader = SqliteReader(path)
    await _require_version(reader, len(SQLITE_STEPS), "data_dir")
    yield LedgerSource(reader, (*LEDGER_RULES, *FILE_RULES))


@contextlib.asynccontextmanager
async def postgres_source(url: str, ca_pem: str = "") -> AsyncIterator[LedgerSource]:
    """Opens the database that nodes share; see `address_of`. Raises as `sqlite_source` does."""
    settings = PostgresSettings(ledger_postgres_settle_patience_s=PATIENCE_S)
    database = PostgresDatabase(address_of(url, ca_pem), settings)
    try:
        await database.require_reachable(PATIENCE_S)
        await _require_version(database, len(POSTGRES_STEPS), SETTING)
        yield LedgerSource(database, (*LEDGER_RULES, ALLOTMENT_RULE, TRIGGER_RULE))
    finally:
        await database.close()


async def _require_version(reader: Reader, steps: int, setting: str) -> None:
    ((*found,),) = await reader.read(Statement("SELECT steps FROM schema_version WHERE component = 'ledger'"))
    if [row[0] for row in found] != [steps]:
        raise StartupRefusedError(setting, "The ledger is of another version: use the svc-node that its nodes run.")
