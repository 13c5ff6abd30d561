"""The ledger of a node with the explicit setting `billing = off`: nothing is charged, nothing is refused."""

from node.ledger.port import Balance, Spender, Usage


class UnbilledLedger:
    """The Ledger port where everything is free: every balance is zero and every reservation succeeds.

    Usage keys' lifetime caps never bind, since no key ever spends anything.
    """

    async def balance(self, account: int) -> Balance:
        """Zero, always."""
        del account
        return Balance(credit_microdollars=0, reserved_microdollars=0)

    async def reserve(self, spender: Spender, cause: str, amount_microdollars: int) -> None:
        """Always possible."""

    async def extend(self, cause: str, amount_microdollars: int) -> None:
        """Always possible."""

    async def settle(self, cause: str, amount_microdollars: int, usage: Usage) -> int:
        """Takes nothing."""
        del cause, amount_microdollars, usage
        return 0

    async def release(self, cause: str) -> None:
        """Nothing was set aside."""
