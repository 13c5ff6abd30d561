"""Ledger of credits: reservations, charges and postings, account statements, and a check of rules.

Callers use `port`. Both databases follow the rules of `reservations`.
"""
