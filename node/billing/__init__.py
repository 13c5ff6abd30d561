"""Credit: prices, the charges of runs and writes, the gas budget of free writes, usage lists, payments by card and token.

`pricing` has the price of a second and of a write, `charge` says who pays how much, `metering` charges writes. Runs are
metered in `node.execution`; balances and entries are in `node.ledger`.
"""
