"""The chain as several providers show it: reads, receipts and transactions, for any contract and any kind of wallet.

Needs no package beyond those of the client: sovereign mode and `svc-compose` both stand on it.
"""
