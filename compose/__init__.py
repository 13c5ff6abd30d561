"""`svc-compose` renders, hashes, compares, checks and approves a deployment's measured file."""
