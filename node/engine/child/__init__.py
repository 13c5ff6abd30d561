"""The process an action runs in, forked from the zygote: one descriptor, no environment, nothing but the engine."""
