"""From an account's events to its admins, as one endpoint's logs tell them.

The present admin is known from a view. Each transfer names the admin before, and what an account began its unmanaged life
with names none; so a log that is left out leaves a gap, and what is no link of this chain counts for nothing.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.admins.limits import AdminHistoryLimits
from node.chain.logs import Log, MalformedLogsError, address_of, logs_of
from node.chain.rpc import Endpoint, RpcCall, RpcError, RpcRefusedError, RpcUnavailableError
from node.values import u256_hex

CREATED: Final = "AccountCreated"
CONVERTED: Final = "AccountConvertedToChainSecured"
TRANSFERRED: Final = "ChainSecuredAccountOwnershipTransferred"
EVERY_BLOCK: Final = 2**62
"""More than any chain has."""

FALSE: Final = "0x" + "00" * 32


@dataclass(frozen=True, slots=True)
class NamedAdmin:
    """An event that gave an account its admin wallet, lower-case 0x hex; `previous` is None where it had none with authority."""

    admin: str
    previous: str | None


@dataclass(frozen=True, slots=True)
class AdminEvents:
    """The contract's address (0x hex) and the first topics (0x hex) of the events that name admins."""

    address: str
    created: str
    converted: str
    transferred: str

    @classmethod
    def of(cls, abi: ContractAbi, address: str) -> "AdminEvents":
        """Of the contract at `address`."""
        created, converted, transferred = ("0x" + abi.events[name].hex() for name in (CREATED, CONVERTED, TRANSFERRED))
        return cls(address.lower(), created, converted, transferred)

    def filter(self, account: int, first: int, last: int) -> dict[str, JsonValue]:
        """The eth_getLogs filter for one account's, from block `first` to `last`."""
        kinds: list[JsonValue] = [self.created, self.converted, self.transferred]
        return {
            "address": self.address,
            "topics": [kinds, u256_hex(account)],
            "fromBlock": hex(first),
            "toBlock": hex(last),
        }

    def named(self, answer: JsonValue, account: int) -> list[NamedAdmin]:
        """The admins that an answer to `filter` names. Raises MalformedLogsError for what was not asked for."""
        found = (self._named(log, account) for log in logs_of(answer, self.address))
        return [each for each in found if each is not None]

    def _named(self, log: Log, account: int) -> NamedAdmin | None:
        """None for the admin wallet of a managed account: it has no authority, and whoever is a payer may name any."""
        match log.get("topics"):
            case [self.created, str() as master, str() as admin] if master == u256_hex(account):
                return NamedAdmin(address_of(admin), None) if log.get("data") == FALSE else None
            case [self.converted, str() as master, str() as admin] if master == u256_hex(account):
                return NamedAdmin(address_of(admin), None)
            case [self.transferred, str() as master, str() as before, str() as admin] if master == u256_hex(account):
                return NamedAdmin(address_of(admin), address_of(before))
            case _:
                raise MalformedLogsError("one of its logs is of another event")


def linked(present: str, events: Iterable[NamedAdmin], most: int) -> Sequence[str] | None:
    """The admins from the present one back to the first, at most so many; None when a link is missing."""
    by_admin = {event.admin: event for event in events}
    admins = [present]
    while len(admins) < most:
        # Each once: no wallet is made an admin twice, and made-up events must not lead round in a circle.
        event = by_admin.pop(admins[-1], None)
        if event is None:
            return None
        if event.previous is None:
            break
        admins.append(event.previous)
    return admins


class EndpointHistory:
    """Asks one endpoint; remembers how many blocks' logs it gives at once."""

    def __init__(self, endpoint: Endpoint, events: AdminEvents, limits: AdminHistoryLimits) -> None:
        self._endpoint = endpoint
        self._events = events
        self._limits = limits
        self._blocks = EVERY_BLOCK

    async def admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """The account's admins from the present one back, by the logs up to block `last`.

        Raises RpcUnavailableError when its logs do not tell, or not in time.
        """
        try:
            async with asyncio.timeout(self._limits.endpoint_timeout_s):
                admins = await self._admins(account, present, last)
        except TimeoutError:
            self._blocks = EVERY_BLOCK
            raise RpcUnavailableError(self._endpoint.host, "took too long over its logs") from None
        self._blocks = min(2 * self._blocks, EVERY_BLOCK)  # what was refused once may be given the next time
        return admins

    async def _admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """Backwards, so that nothing is read from before the account's unmanaged life."""
        found: list[NamedAdmin] = []
        while last >= 0:
            ranges = self._ranges(last)
            try:
                found += await self._read(account, ranges)
            except RpcError as refused:
                # The endpoint refuses, or breaks down over so much; which of the two, no error says.
                self._blocks = min(self._blocks, last + 1) // 2
                if self._blocks == 0:
                    self._blocks = EVERY_BLOCK
                    raise RpcUnavailableError(self._endpoint.host, "gives no logs") from refused
                continue
            admins = linked(present, found, self._limits.max_per_account)
            if admins is not None:
                return admins
            last = ranges[-1][0] - 1
        raise RpcUnavailableError(self._endpoint.host, "its logs do not tell who administered an account")

    def _ranges(self, last: int) -> list[tuple[int, int]]:
        """First and last block of each range of the next exchange, the newest first."""
        ends = range(last, -1, -self._blocks)[: self._limits.batch_max_calls]
        return [(max(0, end - self._blocks + 1), end) for end in ends]

    async def _read(self, account: int, ranges: Sequence[tuple[int, int]]) -> list[NamedAdmin]:
        calls = [RpcCall("eth_getLogs", [self._events.filter(account, *each)]) for each in ranges]
        found: list[NamedAdmin] = []
        for outcome in await self._endpoint.send(calls, self._limits.exchange_timeout_s):
            if isinstance(outcome, RpcRefusedError):
                raise outcome
            try:
                found += self._events.named(outcome, account)
            except MalformedLogsError as malformed:
                raise self._endpoint.fault(str(malformed)) from None
        return found
