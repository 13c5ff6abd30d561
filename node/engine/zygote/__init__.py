"""The process the children are forked from. It knows no secret, has no thread, and imports little more than the engine.

What is imported here is paid by every action: no dataclasses, typing, signal, socket or platform.
"""
