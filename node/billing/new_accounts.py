"""Who is told of new accounts."""

from typing import Protocol


class NewAccounts(Protocol):
    """Keeps what the card processor is to know of an account: its e-mail address goes there and nowhere else."""

    async def opened(self, account: int, email: str | None) -> None:
        """Note a new account (master hash); told again: no change. Raises NodeError `billing_unavailable`."""
        ...


class NobodyToTell:
    """NewAccounts of a node without a card processor: the address is not kept."""

    async def opened(self, account: int, email: str | None) -> None:
        """Nothing to do."""
