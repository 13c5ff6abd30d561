"""Writes to the account contract that happen exactly once: journal, payers, sending, following, recovery.

`assembly.ChainWrites` puts it together, `writer.AccountWriter` is the door. A write goes through preflight (simulate
and price), journal (nonce, signature and intent in one durable commit), sending, receipts and conclusion; follower
and restoration see to what does not go that way. None of them believes a single endpoint where there are several:
the quorum client asks them together, sightings counts their receipts, and sending goes to all of them. Upkeep and payers
keep the senders registered and in gas money.
"""
