"""Runs JavaScript of untrusted authors in sandboxed workers, with an instance for each action."""
