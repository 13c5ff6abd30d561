"""Token payments on chain: deposits are read by a quorum of endpoints and credited once they are final."""
