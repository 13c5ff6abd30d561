"""Calls on the contracts and the decoding of their results."""
