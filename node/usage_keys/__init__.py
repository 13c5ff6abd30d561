"""Usage keys: added, replaced, renamed, removed and listed; each value is shown once.

A new field of a usage key goes into `models`, and into `_arguments` of `service`, which calls the contract with it. Lists take it
from `UsageKeyRecord` of `node.chain.port`, which `node.chain.records` reads; one that grants something is in `node.permissions.grants`.
"""
