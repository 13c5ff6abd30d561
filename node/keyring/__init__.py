"""Every key derived inside the enclave, and its label. No other package holds key material."""
