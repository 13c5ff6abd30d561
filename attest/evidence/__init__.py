"""The evidence set: which certificates this TD uses, and the quote that says so (attestation.md section 1.5)."""
