"""Hardware evidence: the pinned root, Intel's collateral, and the attributes of a TD."""
