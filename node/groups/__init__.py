"""Groups: which actions may use which wallets."""
