"""Attestation endpoints: quotes, statements and evidence of the TEE this node runs in."""
