"""Writes to the account contract, each of which happens once, also when the node is killed at any step.

`writer.ChainWrites` puts the package together, `writer.AccountWriter` is its public interface. The life of a write:

1. `payer_accounts` chooses a payer. `simulation` simulates and prices. A revert ends the write here, free.
2. `journal` takes the payer's next nonce under its lease. `transactor` signs, and `journal` stores nonce, signature and
   intent in one commit, before anything is sent. `journal_rows` has the tables.
3. `broadcast` sends the bytes to every provider and polls for the receipt. A receipt counts once a quorum shows it.
4. `finaliser` reads the receipt and ends the write: observer, journal, caller, in this order.

`tracker` resends, replaces or cancels unfinished writes, ends superseded ones, and sends again what a reorganisation
lost. `payers` keeps the payers registered and in gas money.
"""
