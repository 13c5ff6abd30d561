"""The node beside its baselines, in one run, as ratios."""
