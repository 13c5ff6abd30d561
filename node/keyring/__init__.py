"""Derives every key of the enclave by label. No other package holds key material."""
