"""Runs a built image with what the machine has, as a deployment runs it: see `engines.chosen`.

For tests and measurements of the image. The container has a network of its own (`network`), a read-only root, the guest
agent's socket, its data volume, and nothing else of the machine. Needs root. Standard library alone.
"""
