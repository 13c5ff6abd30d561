"""Charges, credit, and the payments that add to it."""
