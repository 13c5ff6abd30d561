"""Actions over HTTP: the node beside servers that run the same code without its isolation, or with another."""
