"""The approvals of compose hashes on the app's contract: read, written as calldata, or sent."""
