r"""A development stand-in for the card processor: the part of Stripe's HTTP API that the node uses, on loopback.

No money moves here, and no card is looked at: test cards decide what happens (`behaviours`). Start it with
`server.local_processor`; `control_routes` tells what a developer can do to it. A payment is confirmed as on the real one:

    curl -u pk_test_local: -d client_secret=SECRET -d payment_method=pm_card_visa \
      http://127.0.0.1:8420/v1/payment_intents/ID/confirm

What is not as on the real one: US dollars, cards and crypto alone; no fees; no limit of requests but an injected
one; a return URL is asked for only where the customer is sent away.
"""
