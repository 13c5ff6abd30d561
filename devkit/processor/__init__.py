r"""A development stand-in for the card processor, with the part of Stripe's HTTP API in use.

No money moves, and test cards decide what happens (`behaviours`). Start it with
`server.local_processor`; `control_routes` lists its controls. A payment is confirmed by:

    curl -u pk_test_local: -d client_secret=SECRET -d payment_method=pm_card_visa \
      http://127.0.0.1:8420/v1/payment_intents/ID/confirm

Unlike the real one it has US dollars, cards and crypto alone, no fees, no limit of requests but
an injected one, and requires a return URL only if the customer is redirected.
"""
