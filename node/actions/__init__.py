"""Registers actions by CID."""
