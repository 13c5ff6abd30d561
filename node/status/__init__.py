"""Node information and health."""
