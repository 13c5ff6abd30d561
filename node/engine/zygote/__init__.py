"""The process that workers are forked from. It has no secret, no thread and few imports.

Each import costs every worker memory, even if shared, so avoid dataclasses, signal, socket and
platform. Cryptography (`cryptography`, hashlib, coincurve) with typing, collections, enum and re is
here before the fork, 10 MB shared by all workers.
"""
