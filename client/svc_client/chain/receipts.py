"""Finds receipts that enough providers show, deep enough in the chain.

A receipt counts only if it is complete. Providers also show receipts of pending blocks or without
a field. Such a receipt counts neither as present nor as absent.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from svc_client.chain.providers import Failure, Providers, octets, quantity
from svc_client.errors import InvalidAnswer, ProvidersDisagree
from svc_verifier.chain.abi import WORD
from svc_verifier.formats.strict_json import Json

_LOGS_MAX = 4_096
_TOPICS_MAX = 4

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Log:
    """An event of a receipt, not decoded."""

    address: bytes
    topics: tuple[bytes, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Receipt:
    """A mined transaction. `fee_wei` is the fee paid; None if the provider does not say it."""

    transaction_hash: bytes
    block_number: int
    block_hash: bytes
    place: int
    is_success: bool
    fee_wei: int | None
    logs: tuple[Log, ...]

    @property
    def shown(self) -> str:
        """Hash of the transaction in 0x hex."""
        return f"0x{self.transaction_hash.hex()}"


@dataclass(frozen=True, slots=True)
class Found:
    """Receipts of one look at all providers: the confirmed one, if any is shown, if it is absent.

    `incomplete` names providers whose receipt does not count; `is_absent` is then false.
    """

    confirmed: Receipt | None
    is_shown: bool
    is_absent: bool
    incomplete: tuple[str, ...] = ()


async def look_for(providers: Providers, hashes: Sequence[bytes]) -> Found:
    """Looks for a receipt of these transactions. They share a nonce, so at most one is mined.

    Raises ProvidersDisagree when two providers show different receipts of one block, and
    Unreachable when too few give their block number.
    """
    shown: dict[str, Receipt] = {}
    incomplete: list[str] = []
    absent: Counter[str] = Counter()
    for transaction_hash in hashes:
        said = await providers.each("eth_getTransactionReceipt", [f"0x{transaction_hash.hex()}"])
        for host, answer in said.items():
            if answer is None:
                absent[host] += 1
            elif isinstance(answer, dict):
                try:
                    shown[host] = _receipt(answer, transaction_hash)
                except InvalidAnswer as error:
                    incomplete.append(f"{host} {error}")
    for host in await _ahead(providers, shown):
        del shown[host]
        incomplete.append(f"{host} {_incomplete('blockNumber')}")
    _require_no_contradiction(shown)
    confirmed = await _confirmed(providers, shown)
    is_absent = not incomplete and sum(count == len(hashes) for count in absent.values()) >= providers.least
    return Found(confirmed, bool(shown), is_absent, tuple(dict.fromkeys(incomplete)))


async def _ahead(providers: Providers, shown: dict[str, Receipt]) -> list[str]:
    """Returns the hosts whose receipt is of a block that they do not have."""
    # Asked after the receipts: an earlier head may be older than a receipt's block.
    heads = await providers.numbers("eth_blockNumber") if shown else {}
    return [host for host, receipt in shown.items() if receipt.block_number > heads.get(host, -1)]


async def _confirmed(providers: Providers, shown: dict[str, Receipt]) -> Receipt | None:
    for receipt, count in Counter(shown.values()).items():
        if count < providers.least:
            continue
        hosts = [host for host, each in shown.items() if each == receipt]
        deep = await asyncio.gather(*(_is_deep(providers, host, receipt) for host in hosts))
        if sum(deep) >= providers.least:
            return receipt
    return None


async def _is_deep(providers: Providers, host: str, receipt: Receipt) -> bool:
    head, block = await asyncio.gather(
        providers.block(host, "latest"), providers.block(host, hex(receipt.block_number))
    )
    # Ask for the block too: a provider may keep the receipt of a block that a fork removed.
    if isinstance(head, Failure) or isinstance(block, Failure):
        return False
    return block.hash == receipt.block_hash and head.number >= receipt.block_number + providers.confirmations - 1


def _require_no_contradiction(shown: dict[str, Receipt]) -> None:
    listed = list(shown.items())
    for place, (host, receipt) in enumerate(listed):
        for other_host, other in listed[place + 1 :]:
            if receipt.block_hash == other.block_hash and receipt != other:
                number = receipt.block_number
                raise ProvidersDisagree(
                    f"{host} and {other_host} contradict each other about block {number}: the receipt."
                )


def _receipt(read: dict[str, Json], transaction_hash: bytes) -> Receipt:
    """Returns the receipt. Raises InvalidAnswer, which names the field that does not count."""
    if _field(read, "transactionHash", octets) != transaction_hash:
        raise _incomplete("transactionHash")
    block_hash = _field(read, "blockHash", octets)
    # Some providers give the receipt of a pending block a hash of zeros.
    if len(block_hash) != WORD or not any(block_hash):
        raise _incomplete("blockHash")
    block_number, place = _field(read, "blockNumber", quantity), _field(read, "transactionIndex", quantity)
    status = _field(read, "status", quantity)
    if status not in {0, 1}:
        raise _incomplete("status")
    return Receipt(
        transaction_hash, block_number, block_hash, place, status == 1, _fee_wei(read), _field(read, "logs", _logs)
    )


def _field(read: dict[str, Json], name: str, reader: Callable[[Json], Read]) -> Read:
    try:
        return reader(read.get(name))
    except InvalidAnswer:
        raise _incomplete(name) from None


def _incomplete(name: str) -> InvalidAnswer:
    return InvalidAnswer(f"shows a receipt that does not count by its {name}")


def _fee_wei(read: dict[str, Json]) -> int | None:
    try:
        return quantity(read.get("gasUsed")) * quantity(read.get("effectiveGasPrice"))
    except InvalidAnswer:
        return None


def _logs(read: Json) -> tuple[Log, ...]:
    if not isinstance(read, list) or len(read) > _LOGS_MAX:
        raise InvalidAnswer("answers no list of events")
    return tuple(_log(each) for each in read)


def _log(read: Json) -> Log:
    topics = read.get("topics") if isinstance(read, dict) else None
    if not isinstance(read, dict) or not isinstance(topics, list) or len(topics) > _TOPICS_MAX:
        raise InvalidAnswer("answers an event of another form")
    return Log(octets(read.get("address")), tuple(octets(each) for each in topics), octets(read.get("data")))
