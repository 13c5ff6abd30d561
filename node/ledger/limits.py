"""How much the ledger keeps in memory and how much it does at once."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LedgerLimits:
    """Settings `ledger_…`."""

    max_entries_per_commit: int = 1_000
    """Charges and postings that share one durable commit; far above what gathers while one is flushed."""
    max_cached_accounts: int = 100_000
    """Balances kept in memory beside those with something reserved; as many usage keys' totals."""
    remembered_causes: int = 100_000
    """Ended charges known without a look at the database, so that a repetition changes nothing."""
    max_concurrent_reads: int = 4
    """Statements and lists read beside the writers at once; further ones wait."""
    retry_after_s: int = 5
    """What a client is told to wait when the database is out."""
