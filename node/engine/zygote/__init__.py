"""The process that workers are forked from. It knows no secret, has no thread, and imports little more than the engine.

What is imported here costs every worker memory: no dataclasses, typing, signal, socket or platform.
"""
