"""A node that a verifier looks at, whole and self-consistent: everything signed by the simulator's own authorities."""
