"""From an endpoint's answer to eth_getLogs to deposits: taken for what was asked, or not at all. Pure but for the artifact."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.artifacts import deposit_contract_abi
from node.chain.deposits.port import Deposit
from node.chain.listener.logs import MalformedLogsError
from node.chain.rpc import parse_quantity

EVENT: Final = "CreditDeposited"
WORD: Final = re.compile(r"0x[0-9a-f]{64}")
ADDRESS_TOPIC: Final = re.compile(r"0x0{24}[0-9a-f]{40}")
NUMBER_MAX: Final = 2**63 - 1
"""What both databases hold in an integer."""


@functools.cache
def credit_deposit_abi() -> ContractAbi:
    """The deposit contract's ABI, made usable."""
    return ContractAbi(list(deposit_contract_abi()))


@dataclass(frozen=True, slots=True)
class DepositEvents:
    """The contract's address and the first topic of its event, lower-case 0x hex."""

    address: str
    topic: str

    @classmethod
    def of(cls, address: str) -> "DepositEvents":
        """Those of the contract at `address`."""
        return cls(address.lower(), "0x" + credit_deposit_abi().events[EVENT].hex())

    def filter(self, first: int, last: int) -> dict[str, JsonValue]:
        """What eth_getLogs is asked for: all deposits from block `first` to `last`."""
        return {"address": self.address, "topics": [self.topic], "fromBlock": hex(first), "toBlock": hex(last)}

    def deposits(self, answer: JsonValue, first: int, last: int) -> tuple[Deposit, ...]:
        """The deposits that an answer to `filter` tells, in the order of the chain.

        Raises MalformedLogsError when any of it is not what was asked for, or told twice.
        """
        if not isinstance(answer, list):
            raise MalformedLogsError("its logs are no list")
        found = sorted((self._deposit(log, first, last) for log in answer), key=_place)
        if len({(each.transaction, each.log_index) for each in found}) < len(found):
            raise MalformedLogsError("it tells one log twice")
        return tuple(found)

    def _deposit(self, log: JsonValue, first: int, last: int) -> Deposit:
        if not isinstance(log, dict):
            raise MalformedLogsError("one of its logs is no object")
        address = log.get("address")
        if not isinstance(address, str) or address.lower() != self.address or log.get("removed", False) is not False:
            raise MalformedLogsError("one of its logs is not of this contract, or taken back")
        account, payer, token = self._indexed(log.get("topics"))
        return Deposit(
            transaction=_word(log, "transactionHash"),
            log_index=_number(log, "logIndex", 0, NUMBER_MAX),
            block_number=_number(log, "blockNumber", first, last),
            block_hash=_word(log, "blockHash"),
            account=account,
            payer=payer,
            token=token,
            amount=int(_word(log, "data"), 16),
        )

    def _indexed(self, topics: JsonValue) -> tuple[int, str, str]:
        match topics:
            case [self.topic, str() as account, str() as payer, str() as token] if WORD.fullmatch(account):
                return int(account, 16), _address(payer), _address(token)
            case _:
                raise MalformedLogsError("one of its logs is of another event")


def _place(deposit: Deposit) -> tuple[int, int]:
    return deposit.block_number, deposit.log_index


def _word(log: Mapping[str, JsonValue], name: str) -> str:
    value = log.get(name)
    if not isinstance(value, str) or not WORD.fullmatch(value.lower()):
        raise MalformedLogsError("one of its logs has not the fields of a log")
    return value.lower()


def _number(log: Mapping[str, JsonValue], name: str, least: int, most: int) -> int:
    number = parse_quantity(log.get(name))
    if number is None or not least <= number <= most:
        raise MalformedLogsError("one of its logs is outside the range")
    return number


def _address(topic: str) -> str:
    if not ADDRESS_TOPIC.fullmatch(topic):
        raise MalformedLogsError("one of its logs names no address")
    return "0x" + topic[-40:]
