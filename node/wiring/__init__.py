"""Composition root that builds the node from its settings and may import every other package."""
