"""Shared asyncio primitives, each once: tasks, back-off, clocks, caches, queues, cancellation."""
