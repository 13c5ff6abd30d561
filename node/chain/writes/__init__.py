"""Writes to the account contract that happen exactly once: journal, payers, sending, following, recovery.

`AccountWriter` is the door; the order of reading is model, journal, lane, preflight, sending, conclusion, follower,
restoration, transactor, payers, writer.
"""
