"""Outbound requests of actions, made by the node, and only to addresses that an untrusted script may reach."""
