"""Admits actions by places, measured memory, and a priority that falls with age (ADR 12)."""
