"""Fetches what the checks look at: the only part of the verifier that does I/O; it judges nothing."""
