"""Interface of the card processor, and Stripe behind it.

Billing uses `port`. `events` checks webhook signatures; `exchange` and `transport` bound calls.
"""
