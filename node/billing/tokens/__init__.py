"""Token payments: prices, what became of each deposit, and the endpoints that tell."""
