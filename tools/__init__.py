"""Tools that `make lint` runs over the source."""
