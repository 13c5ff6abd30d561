"""Reports for people and for machines. No text of a server ever becomes markup."""
