"""The checks: pure functions over bytes that were fetched, each answering with `Check`s of `svc_verifier.check`."""
