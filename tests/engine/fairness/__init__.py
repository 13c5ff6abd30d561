"""Actions of many accounts on one node: turns, memory, priority."""
