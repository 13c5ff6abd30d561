"""Token payments: prices, the state of each deposit, and the service for its endpoints."""
