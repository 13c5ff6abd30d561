"""The card processor: what the node asks of one, and Stripe behind it.

`port` is what billing sees, `events` checks webhook signatures, `exchange` and `transport` bound and repeat calls.
"""
