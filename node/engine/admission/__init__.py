"""Who may start an action now: turns by account, memory as measured, and priority that falls with age (ADR 0012)."""
