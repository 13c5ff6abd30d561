"""Credit: prices, charges, the gas budget of free writes, usage records, and payments.

`charging` has the prices and the charges, `metering` charges writes. `node.execution` meters
runs. `node.ledger` has balances and entries.
"""
