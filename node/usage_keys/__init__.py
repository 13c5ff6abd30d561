"""Usage keys: scoped, shown once."""
