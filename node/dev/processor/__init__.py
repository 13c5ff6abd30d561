"""A development stand-in for the card processor: the part of Stripe's HTTP API that the node uses, on loopback.

No money moves here, and no card is looked at: test cards decide what happens. Start it with
`node.dev.processor.server.local_processor`.
"""
