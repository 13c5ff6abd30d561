"""The settlement chain: RPC providers and their quorum, the account contract, reads and writes."""
