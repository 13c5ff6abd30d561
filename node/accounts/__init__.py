"""Accounts: opened by `new_account`, and looked up by their key."""
