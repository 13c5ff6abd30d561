"""From an endpoint's answer to eth_getLogs to deposits: taken for what was asked, or not at all. Pure but for the artifact."""

import functools
import json
from dataclasses import dataclass
from importlib import resources
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.deposits.port import Deposit
from node.chain.logs import WORD, Log, MalformedLogsError, address_of, logs_of, number_of, word_of

EVENT: Final = "CreditDeposited"
NUMBER_MAX: Final = 2**63 - 1
"""What both databases hold in an integer."""


@functools.cache
def credit_deposit_abi() -> ContractAbi:
    """The committed artifact's ABI (node/chain/deposits/contract/CreditDeposit.json)."""
    text = resources.files("node.chain.deposits.contract").joinpath("CreditDeposit.json").read_text(encoding="utf-8")
    return ContractAbi(json.loads(text)["abi"])


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
        found = sorted((self._deposit(log, first, last) for log in logs_of(answer, self.address)), key=_place)
        if len({(each.transaction, each.log_index) for each in found}) < len(found):
            raise MalformedLogsError("it tells one log twice")
        return tuple(found)

    def _deposit(self, log: Log, first: int, last: int) -> Deposit:
        account, payer, token = self._indexed(log.get("topics"))
        return Deposit(
            transaction=word_of(log, "transactionHash"),
            log_index=number_of(log, "logIndex", 0, NUMBER_MAX),
            block_number=number_of(log, "blockNumber", first, last),
            block_hash=word_of(log, "blockHash"),
            account=account,
            payer=payer,
            token=token,
            amount=int(word_of(log, "data"), 16),
        )

    def _indexed(self, topics: JsonValue) -> tuple[int, str, str]:
        match topics:
            case [self.topic, str() as account, str() as payer, str() as token] if WORD.fullmatch(account):
                return int(account, 16), address_of(payer), address_of(token)
            case _:
                raise MalformedLogsError("one of its logs is of another event")


def _place(deposit: Deposit) -> tuple[int, int]:
    return deposit.block_number, deposit.log_index
