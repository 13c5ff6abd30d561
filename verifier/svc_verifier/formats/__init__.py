"""Parsers of what a stranger sends: bounded, without I/O, raising VerifierError alone."""
