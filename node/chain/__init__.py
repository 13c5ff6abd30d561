"""The account contract as seen from Python: RPC, reads, writes."""
