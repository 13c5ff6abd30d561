"""`svc-compose`: the measured file of a deployment, rendered, hashed, compared, checked, and approved on chain."""
