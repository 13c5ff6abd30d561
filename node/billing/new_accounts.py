"""Port through which new accounts reach the card processor."""

from typing import Protocol


class NewAccounts(Protocol):
    """Makes a customer of a new account. Its e-mail address goes to the card processor and nowhere else."""

    async def opened(self, account: int, email: str | None) -> None:
        """Note a new account (master hash). A repetition changes nothing. Raises LedgerUnavailableError."""
        ...


class IgnoredAccounts:
    """NewAccounts of a node without a card processor: the address is not stored."""

    async def opened(self, account: int, email: str | None) -> None:
        """Do nothing."""
