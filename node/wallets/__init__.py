"""Mints wallets (PKPs) inside the enclave and registers them on chain."""
