"""Actions: registered by CID."""
