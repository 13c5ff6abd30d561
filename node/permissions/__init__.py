"""Permissions of keys: grants and decisions, pure.

Decides writes and explanations. Whether a key may run an action or use a wallet in it is decided by the contract's own view,
read and cached in `node.chain.authorisations`.
"""
