"""The process that actions run in: one descriptor, no environment, one WebAssembly instance for each action.

A worker is forked from the zygote and bound for life to one program of one account. What is imported here costs every
worker memory: no dataclasses, typing, signal or socket.
"""
