"""Credit bought through the card processor, and balances synced back to it."""
