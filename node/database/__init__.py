"""Databases of the node: one port, SQLite and PostgreSQL behind it, migrations, leases of nodes that share one."""
