"""Dashboard of the node: its files, their manifest, and the routes that serve them."""
