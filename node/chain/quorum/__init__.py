"""The voting engine: puts every query to several RPC providers and accepts the result of a quorum.

`client.QuorumClient` asks the best providers first and keeps their reputation; `client.Tally`
counts. A caller brings a query and a way to count: identical results (`vote`: deposits, admin
histories), numbers and receipts (`ask`: writes), or views at one block (`reader.QuorumReader`).
"""
