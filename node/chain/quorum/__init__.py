"""Reads of the contract that rest on no single endpoint: what a quorum answers at one block hash, or nothing."""
