"""The ledger in PostgreSQL, for several nodes that share one."""
