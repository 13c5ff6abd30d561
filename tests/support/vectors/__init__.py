"""Test vectors for implementations of the checks: made here, kept in tests/vectors, and always the same bytes."""
