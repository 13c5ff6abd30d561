"""Credit bought through the card processor, and the balances that are synced back to it."""
