"""Outbound requests of actions: made in the parent, and only to where a stranger's script may reach."""
