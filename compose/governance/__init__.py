"""Approvals of compose hashes on the app's contract: read, encoded as calldata, or sent."""
