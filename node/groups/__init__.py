"""Groups permit actions to use wallets."""
