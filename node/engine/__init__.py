"""The action runtime: JavaScript of strangers in a sandboxed process of its own."""
