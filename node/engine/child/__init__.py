"""The process an action runs in. Started with no environment and one descriptor; imports nothing but the engine."""
