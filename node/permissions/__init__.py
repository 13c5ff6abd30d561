"""Permissions of keys, pure: `grants` holds the grants and decides on writes and explanations.

Whether a key may run an action or use a wallet in it is decided by the contract's own view, read and cached in
`node.chain.authorisations`.
"""
