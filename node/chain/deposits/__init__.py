"""Token payments on chain: a quorum of providers reads deposits, credited once they are final."""
