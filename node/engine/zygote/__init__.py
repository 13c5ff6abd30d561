"""The process that workers are forked from. It has no secret, no thread and few imports.

Each import costs every worker memory, even if shared, so avoid dataclasses, signal, socket and
platform. OpenSSL needs `cryptography` with typing, enum and re, 8 MB shared by all workers.
"""
