"""Credit: prices, the charges of runs and writes, the gas budget of free writes, usage lists, payments by card and token.

`charging` has the prices and says who pays how much, `metering` charges writes. Runs are metered in `node.execution`;
balances and entries are in `node.ledger`.
"""
