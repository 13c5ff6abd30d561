"""Databases of the node: SQLite and PostgreSQL connections, migrations, leases."""
