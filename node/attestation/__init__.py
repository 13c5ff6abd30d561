"""Attestation endpoints for quotes, statements and evidence of this node's TEE."""
