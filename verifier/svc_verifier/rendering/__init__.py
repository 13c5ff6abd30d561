"""Reports for people and for machines. Everything a server said is hostile text here: nothing of it is ever markup."""
