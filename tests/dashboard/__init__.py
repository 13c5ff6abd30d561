"""The dashboard's page and its modules."""
