"""The card processor: what the node asks of one, and Stripe behind it."""
