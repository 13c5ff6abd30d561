"""Receipts, until enough providers show the same one deep enough in the chain."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from svc_client.errors import InvalidAnswer, ProvidersDisagree
from svc_client.sovereign.contract_abi import Log
from svc_client.sovereign.providers import Failure, Providers, octets, quantity
from svc_verifier.formats.strict_json import Json

_LOGS_MAX = 4_096
_TOPICS_MAX = 4


@dataclass(frozen=True, slots=True)
class Receipt:
    """A mined transaction. `fee_wei` was paid for a unit of gas."""

    transaction_hash: bytes
    block_number: int
    block_hash: bytes
    is_success: bool
    gas_used: int
    fee_wei: int
    logs: tuple[Log, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Receipts at one look: the confirmed one, whether any provider shows one, and whether enough show none."""

    confirmed: Receipt | None
    is_shown: bool
    is_absent: bool


async def look_for(providers: Providers, hashes: Sequence[bytes], confirmations: int) -> Found:
    """Ask all providers for the receipt of one of these transactions, which have one nonce: one at most is mined.

    Raises ProvidersDisagree when two show different receipts of one block.
    """
    shown: dict[str, Receipt] = {}
    absent: Counter[str] = Counter()
    for transaction_hash in hashes:
        said = await providers.each("eth_getTransactionReceipt", [f"0x{transaction_hash.hex()}"])
        for host, answer in said.items():
            receipt = _read(answer, transaction_hash)
            if receipt is not None:
                shown[host] = receipt
            elif answer is None:
                absent[host] += 1
    _require_no_contradiction(shown)
    is_absent = sum(count == len(hashes) for count in absent.values()) >= providers.least
    return Found(await _confirmed(providers, shown, confirmations), bool(shown), is_absent)


async def _confirmed(providers: Providers, shown: dict[str, Receipt], confirmations: int) -> Receipt | None:
    for receipt, count in Counter(shown.values()).items():
        if count < providers.least:
            continue
        hosts = [host for host, each in shown.items() if each == receipt]
        deep = await asyncio.gather(*(_is_deep(providers, host, receipt, confirmations) for host in hosts))
        if sum(deep) >= providers.least:
            return receipt
    return None


async def _is_deep(providers: Providers, host: str, receipt: Receipt, confirmations: int) -> bool:
    head, block = await asyncio.gather(
        providers.block(host, "latest"), providers.block(host, hex(receipt.block_number))
    )
    # The block is asked for as well: a provider may keep the receipt of a block that it has left.
    if isinstance(head, Failure) or isinstance(block, Failure):
        return False
    return block.hash == receipt.block_hash and head.number >= receipt.block_number + confirmations - 1


def _require_no_contradiction(shown: dict[str, Receipt]) -> None:
    listed = list(shown.items())
    for place, (host, receipt) in enumerate(listed):
        for other_host, other in listed[place + 1 :]:
            if receipt.block_hash == other.block_hash and receipt != other:
                number = receipt.block_number
                raise ProvidersDisagree(
                    f"{host} and {other_host} contradict each other about block {number}: the receipt."
                )


def _read(answer: "Json | Failure", transaction_hash: bytes) -> Receipt | None:
    if not isinstance(answer, dict):
        return None
    try:
        receipt = _receipt(answer)
    except InvalidAnswer:
        return None
    return receipt if receipt.transaction_hash == transaction_hash else None


def _receipt(read: dict[str, Json]) -> Receipt:
    logs = read.get("logs")
    if not isinstance(logs, list) or len(logs) > _LOGS_MAX:
        raise InvalidAnswer("answers a receipt without events")
    return Receipt(
        transaction_hash=octets(read.get("transactionHash")),
        block_number=quantity(read.get("blockNumber")),
        block_hash=octets(read.get("blockHash")),
        is_success=quantity(read.get("status")) == 1,
        gas_used=quantity(read.get("gasUsed")),
        fee_wei=quantity(read.get("effectiveGasPrice", "0x0")),
        logs=tuple(_log(each) for each in logs),
    )


def _log(read: Json) -> Log:
    topics = read.get("topics") if isinstance(read, dict) else None
    if not isinstance(read, dict) or not isinstance(topics, list) or len(topics) > _TOPICS_MAX:
        raise InvalidAnswer("answers an event of another form")
    return Log(octets(read.get("address")), tuple(octets(each) for each in topics), octets(read.get("data")))
