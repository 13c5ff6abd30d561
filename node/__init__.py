"""HTTP API that keeps accounts on chain and runs actions with their wallets in a TEE."""
