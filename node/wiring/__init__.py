"""Composition root: builds the running node from its settings. The only package that may import every other."""
