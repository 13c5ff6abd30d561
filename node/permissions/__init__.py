"""Decides on permissions of keys for writes and explanations, without I/O (`grants`).

The contract decides whether a key may run an action or use a wallet in it. The result is cached in
`node.chain.authorisations`.
"""
