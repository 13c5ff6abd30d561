"""Running an action: authorise, reserve, run, settle. Explaining who may run it.

`routes` and `service` take the request, `authority` names the code and asks who may run it, `host_calls`
answers `Svc.Actions` and authorises each use of a wallet.
"""
