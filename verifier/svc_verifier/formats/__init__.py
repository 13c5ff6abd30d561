"""Parsers of untrusted bytes, bounded, without I/O, raising VerifierError alone."""
