"""A stand-in for the contracts that govern a TEE application, its compose files and images."""
