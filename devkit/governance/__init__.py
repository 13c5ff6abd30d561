"""A stand-in for the contracts that govern a TEE application: which compose files may run, and on what."""
