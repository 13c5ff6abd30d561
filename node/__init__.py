"""The node: an HTTP API that keeps accounts on chain and runs actions with their wallets inside a TEE."""
