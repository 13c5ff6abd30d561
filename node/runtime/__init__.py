"""Shared asyncio primitives: tasks, back-off, clocks, caches, queues, cancellation."""
