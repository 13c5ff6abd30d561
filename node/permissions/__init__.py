"""Permissions of keys: grants and decisions, pure."""
