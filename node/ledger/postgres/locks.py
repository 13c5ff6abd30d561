"""The locks under which reservations change: accounts by book, then usage keys, each sorted, so that nobody waits in a ring."""

from typing import Final

FOR_UPDATE: Final = "FOR UPDATE\n"
LOCK_ACCOUNTS: Final = """
SELECT book, balance_microdollars, reserved_microdollars FROM ledger_account
WHERE book = ANY(ARRAY(
    SELECT unnest($1::text[]) UNION SELECT book FROM ledger_reservation WHERE cause = ANY($2::text[])
)) ORDER BY book FOR UPDATE
"""
LOCK_USAGE_KEYS: Final = """
SELECT usage_key, spent_microdollars, reserved_microdollars FROM ledger_usage_key
WHERE usage_key = ANY(ARRAY(
    SELECT unnest($1::text[]) UNION SELECT usage_key FROM ledger_reservation WHERE cause = ANY($2::text[])
)) ORDER BY usage_key FOR UPDATE
"""
