"""A token for the local chain, to try token payments with."""
