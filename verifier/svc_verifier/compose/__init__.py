"""Reads what a TD was told to run: app-compose, its docker compose file, and what the host may still change."""
