"""Reads, receipts and transactions by several providers. Needs no package of the extra."""
