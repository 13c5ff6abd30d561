"""Writes to the account contract. Each happens once, even if the node is killed at any step.

`writer.ChainWrites` puts the package together; `writer.AccountWriter` is its public interface.

1. `payer_accounts` chooses a payer. `simulation` simulates and prices. A revert ends it here, free.
2. `journal` takes the payer's next nonce under its lease. `transactor` signs, and `journal` stores
   nonce, signature and intent in one commit, before anything is sent (tables in `journal_rows`).
3. `broadcast` sends to every provider and polls for the receipt, which counts if a quorum shows it.
4. `finaliser` reads the receipt and ends the write: observer, journal, caller, in this order.

`tracker` resends, replaces or cancels unfinished writes, ends superseded ones, and restores what a
reorganisation lost. `payers` keeps the payers registered and in gas money.
"""
