"""Actions over HTTP: the node beside servers that run the same code with no or other isolation."""
