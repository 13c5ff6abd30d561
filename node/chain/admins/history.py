"""Admins of an account, derived from its events in one endpoint's logs.

The present admin is known from a view. Each transfer event names the previous admin; the event that began the account's
unmanaged life names none. So a missing log leaves a gap, and an event that is no link of this chain is ignored.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.logs import Log, MalformedLogsError, address_of, logs_of
from node.chain.rpc import Endpoint, RpcCall, RpcError, RpcRefusedError, RpcUnavailableError
from node.values import u256_hex

ENDPOINT_TIMEOUT_S: Final = 20.0
"""Longest time for one endpoint's logs of one account: an endpoint that gives few blocks at once needs many requests."""

EXCHANGE_TIMEOUT_S: Final = 5.0
"""Limit of one request for such logs."""

BATCH_MAX_CALLS: Final = 10
"""Log ranges in one request, once an endpoint has refused to give all blocks' logs at once."""

ADMINS_PER_ACCOUNT_MAX: Final = 64
"""Admins of one account that count, the latest first: each one costs a key derivation to try."""

CREATED: Final = "AccountCreated"
CONVERTED: Final = "AccountConvertedToChainSecured"
TRANSFERRED: Final = "ChainSecuredAccountOwnershipTransferred"
EVERY_BLOCK: Final = 2**62
"""More blocks than any chain has."""

FALSE: Final = "0x" + "00" * 32


@dataclass(frozen=True, slots=True)
class NamedAdmin:
    """Event that gave an account its admin wallet, lower-case 0x hex; `previous` is None if none had authority before."""

    admin: str
    previous: str | None


@dataclass(frozen=True, slots=True)
class AdminEvents:
    """Address of the contract (0x hex) and the first topics (0x hex) of the events that name admins."""

    address: str
    created: str
    converted: str
    transferred: str

    @classmethod
    def of(cls, abi: ContractAbi, address: str) -> "AdminEvents":
        """Return the events of the contract at `address`."""
        created, converted, transferred = ("0x" + abi.events[name].hex() for name in (CREATED, CONVERTED, TRANSFERRED))
        return cls(address.lower(), created, converted, transferred)

    def filter(self, account: int, first: int, last: int) -> dict[str, JsonValue]:
        """Return the eth_getLogs filter for one account's events from block `first` to `last`."""
        kinds: list[JsonValue] = [self.created, self.converted, self.transferred]
        return {
            "address": self.address,
            "topics": [kinds, u256_hex(account)],
            "fromBlock": hex(first),
            "toBlock": hex(last),
        }

    def named(self, answer: JsonValue, account: int) -> list[NamedAdmin]:
        """Return the admins that an answer to `filter` names. Raises MalformedLogsError for logs not asked for."""
        found = (self._named(log, account) for log in logs_of(answer, self.address))
        return [each for each in found if each is not None]

    def _named(self, log: Log, account: int) -> NamedAdmin | None:
        """Return the named admin; None for that of a managed account, which has no authority: payers may name any."""
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
    """Return the admins from the present one back to the first, at most `most`; None when a link is missing."""
    by_admin = {event.admin: event for event in events}
    admins = [present]
    while len(admins) < most:
        # Each event counts once: no wallet becomes an admin twice, and invented events must not form a cycle.
        event = by_admin.pop(admins[-1], None)
        if event is None:
            return None
        if event.previous is None:
            break
        admins.append(event.previous)
    return admins


class EndpointHistory:
    """Admin histories by one endpoint. Remembers how many blocks' logs the endpoint gives at once."""

    def __init__(self, endpoint: Endpoint, events: AdminEvents) -> None:
        self._endpoint = endpoint
        self._events = events
        self._blocks = EVERY_BLOCK

    async def admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """Return the account's admins from the present one back, by the logs up to block `last`.

        Raises RpcUnavailableError when the logs lack a link, or come too late.
        """
        try:
            async with asyncio.timeout(ENDPOINT_TIMEOUT_S):
                admins = await self._admins(account, present, last)
        except TimeoutError:
            self._blocks = EVERY_BLOCK
            raise RpcUnavailableError(self._endpoint.host, "took too long over its logs") from None
        # A range that was refused once may be given the next time.
        self._blocks = min(2 * self._blocks, EVERY_BLOCK)
        return admins

    async def _admins(self, account: int, present: str, last: int) -> Sequence[str]:
        """Read backwards, so that nothing from before the account's unmanaged life is read."""
        found: list[NamedAdmin] = []
        while last >= 0:
            ranges = self._ranges(last)
            try:
                found += await self._read(account, ranges)
            except RpcError as refused:
                # The endpoint refuses the range or fails on it; the error does not tell which.
                self._blocks = min(self._blocks, last + 1) // 2
                if self._blocks == 0:
                    self._blocks = EVERY_BLOCK
                    raise RpcUnavailableError(self._endpoint.host, "gives no logs") from refused
                continue
            admins = linked(present, found, ADMINS_PER_ACCOUNT_MAX)
            if admins is not None:
                return admins
            last = ranges[-1][0] - 1
        raise RpcUnavailableError(self._endpoint.host, "its logs do not tell who administered an account")

    def _ranges(self, last: int) -> list[tuple[int, int]]:
        """Return the first and last block of each range of the next exchange, the newest first."""
        ends = range(last, -1, -self._blocks)[:BATCH_MAX_CALLS]
        return [(max(0, end - self._blocks + 1), end) for end in ends]

    async def _read(self, account: int, ranges: Sequence[tuple[int, int]]) -> list[NamedAdmin]:
        calls = [RpcCall("eth_getLogs", [self._events.filter(account, *each)]) for each in ranges]
        found: list[NamedAdmin] = []
        for outcome in await self._endpoint.send(calls, EXCHANGE_TIMEOUT_S):
            if isinstance(outcome, RpcRefusedError):
                raise outcome
            try:
                found += self._events.named(outcome, account)
            except MalformedLogsError as malformed:
                raise self._endpoint.fault(str(malformed)) from None
        return found
