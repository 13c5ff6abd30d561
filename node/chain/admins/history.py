"""From an account's events to its admins: pure.

The present admin is known from a view. Each transfer names the admin before, and what an account began its unmanaged life
with names none; so a log that is left out leaves a gap, and what is no link of this chain counts for nothing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.listener.logs import MalformedLogsError
from node.values import u256_hex

CREATED: Final = "AccountCreated"
CONVERTED: Final = "AccountConvertedToChainSecured"
TRANSFERRED: Final = "ChainSecuredAccountOwnershipTransferred"
ADDRESS_TOPIC: Final = re.compile(r"0x0{24}[0-9a-f]{40}")
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
        """Those of the contract at `address`."""
        created, converted, transferred = ("0x" + abi.events[name].hex() for name in (CREATED, CONVERTED, TRANSFERRED))
        return cls(address.lower(), created, converted, transferred)

    def filter(self, account: int, first: int, last: int) -> dict[str, JsonValue]:
        """What eth_getLogs is asked for: one account's, from block `first` to `last`."""
        kinds: list[JsonValue] = [self.created, self.converted, self.transferred]
        return {
            "address": self.address,
            "topics": [kinds, u256_hex(account)],
            "fromBlock": hex(first),
            "toBlock": hex(last),
        }

    def named(self, answer: JsonValue, account: int) -> list[NamedAdmin]:
        """The admins that an answer to `filter` names. Raises MalformedLogsError for what was not asked for."""
        if not isinstance(answer, list):
            raise MalformedLogsError("its logs are no list")
        found = (self._named(log, account) for log in answer)
        return [each for each in found if each is not None]

    def _named(self, log: JsonValue, account: int) -> NamedAdmin | None:
        """None for the admin wallet of a managed account: it has no authority, and whoever is a payer may name any."""
        if not isinstance(log, dict) or str(log.get("address")).lower() != self.address or log.get("removed"):
            raise MalformedLogsError("one of its logs is not of this contract")
        match log.get("topics"):
            case [self.created, str() as master, str() as admin] if master == u256_hex(account):
                return NamedAdmin(_address(admin), None) if log.get("data") == FALSE else None
            case [self.converted, str() as master, str() as admin] if master == u256_hex(account):
                return NamedAdmin(_address(admin), None)
            case [self.transferred, str() as master, str() as before, str() as admin] if master == u256_hex(account):
                return NamedAdmin(_address(admin), _address(before))
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


def _address(topic: str) -> str:
    if not ADDRESS_TOPIC.fullmatch(topic):
        raise MalformedLogsError("one of its logs names no address")
    return "0x" + topic[-40:]
