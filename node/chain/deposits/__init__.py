"""Token payments on chain: deposits watched through the quorum of endpoints, and credited once they are final."""
