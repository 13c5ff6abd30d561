"""Running an action: authorise, reserve, run, settle.

`routes` and `service` take the request, `run` is one run, `meter` its credit, `host_calls` answers `Svc.Actions`, `wallet_keys`
derives the keys it uses, `explain` says why a key may or may not run it.
"""
