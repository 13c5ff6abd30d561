"""Groups: permissions of actions to use wallets."""
