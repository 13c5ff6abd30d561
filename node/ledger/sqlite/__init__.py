"""The ledger in one SQLite file, for a node that is alone."""
