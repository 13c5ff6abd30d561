"""Admission of actions: places by account, memory as measured, and priority that falls with age (ADR 12)."""
