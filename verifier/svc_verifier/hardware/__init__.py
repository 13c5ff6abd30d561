"""What the hardware vouches for: the pinned root, Intel's collateral, and the attributes of a TD."""
