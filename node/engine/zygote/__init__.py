"""The process that workers are forked from. It knows no secret, has no thread, and imports little more than the engine.

What is imported here costs every worker memory, a little even where it is shared: no dataclasses, signal, socket or platform.
OpenSSL comes through `cryptography`, which brings typing, enum and re: 8 MB of the zygote, shared by all workers.
"""
