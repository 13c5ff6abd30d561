"""Attestation of a TEE node: guest agent, quotes, evidence, statements and certificates."""
