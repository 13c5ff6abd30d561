"""Reads what a TD runs: app-compose, docker compose file, and what the host may change."""
