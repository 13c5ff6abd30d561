"""Tokens for tests, honest and hostile, compiled from the Solidity beside this file."""
