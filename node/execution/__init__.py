"""Runs an action: authorise, reserve, run, settle. Explains who may run it.

`routes` and `service` take requests. `authority` computes the CID and asks for the contract's
decision. `host_calls` serves `Svc.Actions` and authorises each use of a wallet.
"""
