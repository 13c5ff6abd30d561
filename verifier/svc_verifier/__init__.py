"""Verifier of a node's evidence from outside. Imports nothing of node or attest."""
