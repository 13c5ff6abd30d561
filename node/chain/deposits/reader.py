"""Reads of the deposit contract: deposits in a block range, and the start's check of tokens.

A quorum of providers must give the same logs, up to the same last block.
"""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.contract.artifacts import deposit_contract_abi
from node.chain.deposits.port import Deposit
from node.chain.errors import ChainUnavailableError, contradicted, too_few_answer
from node.chain.quorum.client import DISAGREE, OUTVOTED, QuorumClient
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Answer, Returned, ViewCall, any_bytes
from node.chain.rpc import Provider, RpcCall, RpcOutcome, RpcRefusedError, RpcUnavailableError
from node.chain.rpc.answers import (
    WORD,
    Log,
    MalformedLogsError,
    address_of,
    header_at,
    logs_of,
    number_of,
    reported_head,
    word_of,
)
from node.errors import StartupRefusedError
from node.values import keccak256

EXCHANGE_TIMEOUT_S: Final = 10.0
"""Limit of one request to a provider: logs take longer than views."""

HEDGE_DELAY_S: Final = 2.0
"""Time after which a provider is not waited for alone; deposits are not urgent."""

LOGS_MAX: Final = 20_000
"""Logs taken from one answer; with more the range counts as not given."""

EVENT: Final = "CreditDeposited"
NUMBER_MAX: Final = 2**63 - 1
"""Largest integer of both databases."""

DECIMALS: Final = keccak256(b"decimals()")[:4]
"""Selector of ERC-20's optional view."""
WORD_BYTES: Final = 32


@functools.cache
def credit_deposit_abi() -> ContractAbi:
    """Returns the typed ABI of the deposit contract."""
    return ContractAbi(list(deposit_contract_abi()))


@dataclass(frozen=True, slots=True)
class DepositEvents:
    """Address of the contract and the first topic of its event, lower-case 0x hex."""

    address: str
    topic: str

    @classmethod
    def of(cls, address: str) -> "DepositEvents":
        """Returns the events of the contract at `address`."""
        return cls(address.lower(), "0x" + credit_deposit_abi().events[EVENT].hex())

    def filter(self, first: int, last: int) -> dict[str, JsonValue]:
        """Returns the eth_getLogs filter for all deposits from block `first` to `last`."""
        return {"address": self.address, "topics": [self.topic], "fromBlock": hex(first), "toBlock": hex(last)}

    def deposits(self, answer: JsonValue, first: int, last: int) -> tuple[Deposit, ...]:
        """Returns the deposits in an answer to `filter`, in the order of the chain.

        Raises MalformedLogsError for a log that was not asked for, or is given twice.
        """
        found = sorted((self._deposit(log, first, last) for log in logs_of(answer, self.address)), key=_place)
        # Causes would catch a second credit; a repeated log also shows a broken provider.
        if len({(each.transaction, each.log_index) for each in found}) < len(found):
            raise MalformedLogsError("it tells one log twice")
        return tuple(found)

    def _deposit(self, log: Log, first: int, last: int) -> Deposit:
        match log.get("topics"):
            case [self.topic, str() as account, str() as payer, str() as token] if WORD.fullmatch(account):
                return Deposit(
                    account=int(account, 16),
                    payer=address_of(payer),
                    token=address_of(token),
                    transaction=word_of(log, "transactionHash"),
                    log_index=number_of(log, "logIndex", 0, NUMBER_MAX),
                    # Within the range that was asked: a log from elsewhere may not be final.
                    block_number=number_of(log, "blockNumber", first, last),
                    block_hash=word_of(log, "blockHash"),
                    amount=int(word_of(log, "data"), 16),
                )
            case _:
                raise MalformedLogsError("one of its logs is of another event")


def _place(deposit: Deposit) -> tuple[int, int]:
    return deposit.block_number, deposit.log_index


class RangeRefusedError(Exception):
    """Too few providers give the logs of this range. `error` applies if no smaller one succeeds."""

    def __init__(self, error: ChainUnavailableError) -> None:
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
    """Deposits of a range, and the hashes of its last block and mark, empty if one is missing."""

    deposits: tuple[Deposit, ...]
    last_hash: str
    mark_hash: str


class DepositReader:
    """Reads deposits from the providers of `client`, of which a quorum must give the same ones."""

    def __init__(self, client: QuorumClient, events: DepositEvents) -> None:
        self._client = client
        self._events = events

    async def agreed(self, wanted: Range) -> RangeDeposits:
        """Returns the deposits of this range that a quorum gives.

        Raises RangeRefusedError when too few providers give any, ChainUnavailableError when they
        contradict one another.
        """

        async def question(provider: Provider, _: float) -> RangeDeposits:
            return await self._deposits_of(provider, wanted)

        tally = await self._client.vote(question, HEDGE_DELAY_S)
        if tally.agreed is None:
            # More providers may give a smaller range, so fewer answers than a quorum lead to one.
            if tally.is_divided and len(tally.votes) >= tally.quorum:
                self._blame(tally.votes, DISAGREE, wanted)
                raise contradicted()
            raise RangeRefusedError(too_few_answer())
        (agreed,) = tally.agreed
        # A provider with another last block is on another branch, and may be honest.
        lying = (
            each for each in tally.contradicting(tally.agreed) if tally.votes[each][0].last_hash == agreed.last_hash
        )
        self._blame(lying, OUTVOTED, wanted)
        return agreed

    def _blame(self, providers: Iterable[Provider], event: str, wanted: Range) -> None:
        for provider in providers:
            self._client.reputation.disagreed(provider, event, what="deposits", first=wanted.first, last=wanted.last)

    async def _deposits_of(self, provider: Provider, wanted: Range) -> RangeDeposits:
        """Returns the deposits that one provider gives. Raises RpcUnavailableError."""
        asked: JsonValue = self._events.filter(wanted.first, wanted.last)
        # The last block is asked with the logs: a provider without it would silently omit logs.
        calls = [RpcCall("eth_getLogs", [asked]), header_at(wanted.last), header_at(wanted.mark)]
        logs, last, mark = await provider.send(calls, EXCHANGE_TIMEOUT_S)
        head = reported_head(provider, last)
        if head is None or head.number != wanted.last:
            raise RpcUnavailableError(provider.host, "has not the last block of the range")
        return RangeDeposits(self._deposits(provider, logs, wanted), head.hash, _hash(provider, mark, wanted.mark))

    def _deposits(self, provider: Provider, logs: RpcOutcome, wanted: Range) -> tuple[Deposit, ...]:
        if isinstance(logs, RpcRefusedError):
            raise RpcUnavailableError(provider.host, f"refused the logs of a range with error {logs.code}")
        if isinstance(logs, list) and len(logs) > LOGS_MAX:
            raise RpcUnavailableError(provider.host, "gave more logs than are taken at once")
        try:
            return self._events.deposits(logs, wanted.first, wanted.last)
        except MalformedLogsError as malformed:
            raise provider.fault(str(malformed)) from None


def _hash(provider: Provider, outcome: RpcOutcome, number: int) -> str:
    head = reported_head(provider, outcome)
    return head.hash if head is not None and head.number == number else ""


def _word(answer: Answer) -> int | None:
    """Return the one word that a view returned; None for anything else."""
    if isinstance(answer, Returned) and len(answer.data) == WORD_BYTES:
        return int.from_bytes(answer.data)
    return None


async def verify_deposit_contract(quorum: QuorumReader, contract: str, account_contract: str) -> None:
    """Check that `contract` is a deposit contract for the accounts of `account_contract`.

    Raises StartupRefusedError (`token_deposit_contract`), ChainUnavailableError.
    """
    call = ViewCall(contract, credit_deposit_abi().encode_call("accountConfig", ()), any_bytes)
    _, (answer,) = await quorum.read([call])
    found = _word(answer)
    if found is None:
        raise StartupRefusedError("token_deposit_contract", f"there is no deposit contract at {contract}.")
    # A deposit names an account of the other contract, which this node does not serve.
    if found != int(account_contract, 16):
        raise StartupRefusedError(
            "token_deposit_contract",
            f"the deposit contract at {contract} takes payments for the accounts of 0x{found:040x}, "
            f"not of {account_contract}.",
        )


async def verify_token_decimals(quorum: QuorumReader, decimals: Mapping[str, int]) -> None:
    """Checks that each token (0x hex) has these decimals on chain.

    Raises StartupRefusedError (`token_prices`), ChainUnavailableError.
    """
    calls = [ViewCall(token, DECIMALS, any_bytes) for token in decimals]
    _, answers = await quorum.read(calls, of_strangers=True)
    for (token, expected), answer in zip(decimals.items(), answers, strict=True):
        # A wrong number of decimals would credit a power of ten too much.
        found = _word(answer)
        if found is None:
            raise StartupRefusedError("token_prices", f"there is no token that tells its decimals at {token}.")
        if found != expected:
            raise StartupRefusedError("token_prices", f"the token {token} has {found} decimals, not {expected}.")
