"""Credits of accounts: reserve, extend, settle, release; entries, statements and their check.

`port` is what others see; `reservations` has the rules that both databases follow, in `sqlite_ledger` and `postgres_ledger`.
"""
