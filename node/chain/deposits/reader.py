"""The deposits of a range of blocks: a quorum of endpoints must give the same logs, up to the same last block."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.artifacts import deposit_contract_abi
from node.chain.deposits.limits import TokenLimits
from node.chain.deposits.port import Deposit
from node.chain.logs import WORD, Log, MalformedLogsError, address_of, logs_of, number_of, word_of
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.heads import header_at, reported_head
from node.chain.quorum.refusals import contradicted, too_few_answer
from node.chain.quorum.reputation import DISAGREE, OUTVOTED
from node.chain.quorum.tally import Tally
from node.chain.rpc import Endpoint, RpcCall, RpcOutcome, RpcRefusedError, RpcUnavailableError
from node.errors import NodeError

EVENT: Final = "CreditDeposited"
NUMBER_MAX: Final = 2**63 - 1
"""Largest integer that both databases hold."""


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
        """Of the contract at `address`."""
        return cls(address.lower(), "0x" + credit_deposit_abi().events[EVENT].hex())

    def filter(self, first: int, last: int) -> dict[str, JsonValue]:
        """The eth_getLogs filter for all deposits from block `first` to `last`."""
        return {"address": self.address, "topics": [self.topic], "fromBlock": hex(first), "toBlock": hex(last)}

    def deposits(self, answer: JsonValue, first: int, last: int) -> tuple[Deposit, ...]:
        """The deposits in an answer to `filter`, in the order of the chain.

        Raises MalformedLogsError when any of it is not what was asked for, or is given twice.
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


class RangeRefusedError(Exception):
    """Too few endpoints give the logs of this range; they may give those of a smaller one. `error` is what to raise else."""

    def __init__(self, error: NodeError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Range:
    """Blocks `first` to `last`; `mark` is a block up to `last` whose hash is asked with them."""

    first: int
    last: int
    mark: int


@dataclass(frozen=True, slots=True)
class RangeDeposits:
    """The deposits of a range, the hash of its last block, and of its mark: empty where an endpoint has no such block."""

    deposits: tuple[Deposit, ...]
    last_hash: str
    mark_hash: str


class DepositReader:
    """Asks the endpoints of `client`, of which a quorum must give the same deposits."""

    def __init__(self, client: QuorumClient, events: DepositEvents, limits: TokenLimits) -> None:
        self._client = client
        self._events = events
        self._limits = limits

    async def agreed(self, wanted: Range) -> RangeDeposits:
        """The deposits of this range that a quorum gives.

        Raises RangeRefusedError when too few endpoints give any, NodeError `chain_unavailable` when they
        contradict one another.
        """

        async def question(endpoint: Endpoint, _: float) -> RangeDeposits:
            return await self._deposits_of(endpoint, wanted)

        tally = await self._client.vote(question, self._limits.token_hedge_delay_s)
        if tally.agreed is None:
            raise self._without_agreement(tally, wanted)
        (agreed,) = tally.agreed
        # An endpoint whose last block is another one is on another branch: it may well be honest.
        lying = (
            each for each in tally.contradicting(tally.agreed) if tally.votes[each][0].last_hash == agreed.last_hash
        )
        self._blame(lying, OUTVOTED, wanted)
        return agreed

    def _without_agreement(self, tally: Tally[Endpoint, RangeDeposits], wanted: Range) -> NodeError | RangeRefusedError:
        # More endpoints may give a smaller range: while fewer than a quorum answer, that is tried first.
        if tally.is_divided and len(tally.votes) >= tally.quorum:
            self._blame(tally.votes, DISAGREE, wanted)
            return contradicted()
        return RangeRefusedError(too_few_answer())

    def _blame(self, endpoints: Iterable[Endpoint], event: str, wanted: Range) -> None:
        for endpoint in endpoints:
            self._client.reputation.disagreed(endpoint, event, what="deposits", first=wanted.first, last=wanted.last)

    async def _deposits_of(self, endpoint: Endpoint, wanted: Range) -> RangeDeposits:
        """The deposits that one endpoint gives. Raises RpcUnavailableError."""
        asked: JsonValue = self._events.filter(wanted.first, wanted.last)
        # The last block goes with the logs: an endpoint that has it not, or not yet, would leave out logs without a word.
        calls = [RpcCall("eth_getLogs", [asked]), header_at(wanted.last), header_at(wanted.mark)]
        logs, last, mark = await endpoint.send(calls, self._limits.token_exchange_timeout_s)
        head = reported_head(endpoint, last)
        if head is None or head.number != wanted.last:
            raise RpcUnavailableError(endpoint.host, "has not the last block of the range")
        return RangeDeposits(self._deposits(endpoint, logs, wanted), head.hash, _hash(endpoint, mark, wanted.mark))

    def _deposits(self, endpoint: Endpoint, logs: RpcOutcome, wanted: Range) -> tuple[Deposit, ...]:
        if isinstance(logs, RpcRefusedError):
            raise RpcUnavailableError(endpoint.host, f"refused the logs of a range with error {logs.code}")
        if isinstance(logs, list) and len(logs) > self._limits.token_logs_max:
            raise RpcUnavailableError(endpoint.host, "gave more logs than are taken at once")
        try:
            return self._events.deposits(logs, wanted.first, wanted.last)
        except MalformedLogsError as malformed:
            raise endpoint.fault(str(malformed)) from None


def _hash(endpoint: Endpoint, outcome: RpcOutcome, number: int) -> str:
    head = reported_head(endpoint, outcome)
    return head.hash if head is not None and head.number == number else ""
