"""The process that runs actions, with one descriptor, no environment, and an instance for each.

A worker is forked from the zygote and bound to one program of one account. Imports cost every
worker memory, so avoid dataclasses, signal and socket.
"""
