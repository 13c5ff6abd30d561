"""Accounts: made, looked up."""
