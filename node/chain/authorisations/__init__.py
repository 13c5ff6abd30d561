"""The execute path's cache of authorisation decisions, which the listener's events void."""
