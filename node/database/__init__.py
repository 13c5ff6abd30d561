"""Database port, its implementations on SQLite and PostgreSQL, migrations and leases."""
