"""The checks, pure functions over fetched bytes that return `Check`s of `svc_verifier.check`."""
