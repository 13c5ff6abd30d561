"""The one voting engine: every question to the RPC endpoints is put to several, and a quorum of them answers.

`client.QuorumClient` asks the best endpoints first, the next one where one fails or is late; `tally.Tally` counts what
they answer; `reputation.EndpointReputation` keeps which endpoint dissented. Whoever asks brings a question and a way to
count: identical answers (`vote`: deposits, admin histories), numbers and receipts (`ask`: writes), or views at one block
(`reader.QuorumReader`, which also agrees on that block).
"""
