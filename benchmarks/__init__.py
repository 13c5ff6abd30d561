"""Measures the node and its baselines in one run, as ratios."""
