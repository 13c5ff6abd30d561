"""The voting engine: every question to the RPC providers is put to several, and a quorum of them answers.

`client.QuorumClient` asks the best providers first and keeps their reputation; `client.Tally` counts the answers. A caller
brings a question and a way to count: identical answers (`vote`: deposits, admin histories), numbers and receipts (`ask`:
writes), or views at one block (`reader.QuorumReader`, which also agrees on that block).
"""
