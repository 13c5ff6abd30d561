"""Wallets (PKPs): minted inside the enclave, registered on chain."""
