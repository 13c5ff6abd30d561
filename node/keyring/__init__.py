"""Every key derived inside the enclave, and its label; the only room that holds key material."""
