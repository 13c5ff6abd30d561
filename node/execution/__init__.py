"""Running an action: authorise, reserve, run, settle. Explaining who may run it.

`routes` and `service` take the request, `run` is one run, `meter` its credit and metrics, `host_calls` answers `Svc.Actions` and
authorises each use of a wallet.
"""
