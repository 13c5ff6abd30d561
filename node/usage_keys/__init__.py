"""Adds, replaces, renames, removes and lists usage keys; each value is shown once.

A new field goes into `models` and into `_arguments` of `service`. Lists read it from
`UsageKeyRecord` (`node.chain.port`, read by `node.chain.records`); grants also from `Grants`.
"""
