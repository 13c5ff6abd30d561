"""The action runtime: JavaScript of strangers in sandboxed worker processes, an instance for each action."""
