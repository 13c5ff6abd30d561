"""Token payments on chain: deposits are read by a quorum of providers and credited once they are final."""
