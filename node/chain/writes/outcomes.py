"""Reads the outcome of a write from its receipt: the events of the contract, or the reason of a revert."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi
from node.chain.abi.contract import AbiParameter, account_of, codec_of_all
from node.chain.abi.decoder import AbiDecodeError, Codec, decode_all
from node.chain.contract_errors import revert_to_node_error
from node.chain.port import ContractEvent, WriteResult
from node.chain.quorum.tally import agreed, is_agreed
from node.chain.rpc import CallRevertedError, Endpoint, answers, eth_call_of, returned_bytes
from node.chain.writes.model import Attempt, Chain, Failed, JournaledWrite, Mined, OpenWrite, Outcome
from node.errors import ErrorCode, NodeError


@dataclass(frozen=True, slots=True)
class _Event:
    name: str
    indexed: tuple[str, ...]
    topics: Codec
    data_names: tuple[str, ...]
    data: Codec
    account: str | None
    """Name of the argument that is an account's hash."""


class EventDecoder:
    """Decodes the logs that the account contract at `address` left in a receipt; logs of others are skipped.

    Indexed arguments of the contract are all of one word (its ABI says so, and a test).
    """

    def __init__(self, abi: ContractAbi, address: str) -> None:
        self._address = address.lower()
        inputs = abi.event_inputs
        self._events = {"0x" + topic.hex(): _event(name, inputs[name]) for name, topic in abi.events.items()}
        self._accounts = {event.name: event.account for event in self._events.values() if event.account is not None}

    def decode(self, logs: Sequence[JsonValue]) -> tuple[ContractEvent, ...]:
        """Return the known events among `logs` (JSON-RPC log objects), in order. One that does not decode is left out."""
        found = (self._decode(log) for log in logs if isinstance(log, dict))
        return tuple(event for event in found if event is not None)

    def accounts_of(self, events: Iterable[ContractEvent]) -> frozenset[int]:
        """Return the hashes of the accounts that `events` name."""
        named = [event.arguments[self._accounts[event.name]] for event in events if event.name in self._accounts]
        return frozenset(each for each in named if isinstance(each, int))

    def _decode(self, log: Mapping[str, JsonValue]) -> ContractEvent | None:
        topics, data = log.get("topics"), log.get("data")
        if str(log.get("address")).lower() != self._address or not isinstance(topics, list) or not topics:
            return None
        event = self._events.get(str(topics[0]).lower())
        if event is None:
            return None
        try:
            words = bytes.fromhex("".join(str(topic).removeprefix("0x") for topic in topics[1:]))
            indexed = decode_all(event.topics, words)
            rest = decode_all(event.data, bytes.fromhex(str(data).removeprefix("0x")))
        except (AbiDecodeError, ValueError):
            return None
        named = zip((*event.indexed, *event.data_names), (*indexed, *rest), strict=True)
        return ContractEvent(event.name, dict(named))


def _event(name: str, inputs: Sequence[AbiParameter]) -> _Event:
    indexed = [each for each in inputs if each.indexed]
    rest = [each for each in inputs if not each.indexed]
    topics, data, account = codec_of_all(indexed), codec_of_all(rest), account_of(inputs)
    return _Event(name, _names(indexed), topics, _names(rest), data, None if account is None else account.name)


def _names(parameters: Sequence[AbiParameter]) -> tuple[str, ...]:
    return tuple(each.name for each in parameters)


class OutcomeReader:
    """Reads the outcome of a write from its receipt."""

    def __init__(self, chain: Chain) -> None:
        self._witnesses: Final = chain.witnesses
        self._abi: Final = chain.abi
        self._events: Final = EventDecoder(chain.abi, chain.contract)

    async def read(self, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> Outcome:
        """Return success with its events, or the failure with its reason.

        Raises RpcError when the reason of a revert cannot be read just now.
        """
        mined_hash, block = str(receipt.get("transactionHash")), answers.field(receipt, "blockNumber")
        index = answers.field(receipt, "transactionIndex")
        attempt = next((each for each in write.attempts if each.hash == mined_hash), write.latest)
        if attempt.cancels:
            return Failed(retryable_failure("The chain did not take this write in time"), mined_hash, block, index)
        if answers.field(receipt, "status"):
            logs = receipt.get("logs")
            return Mined(mined_hash, block, self._events.decode(logs if isinstance(logs, list) else []), index)
        return Failed(await self._reason(write.row, block), mined_hash, block, index)

    def report_contradictions(self, write: OpenWrite, receipt: Mapping[str, JsonValue]) -> None:
        """Name the providers that show another receipt than this, which a quorum has seen."""
        for endpoint in write.sightings.contradicting(receipt):
            self._witnesses.reputation.disagreed(endpoint, "rpc_endpoint_outvoted", what="receipt")

    def accounts_of(self, outcome: Outcome) -> Collection[int]:
        """Return the master hashes of the accounts that the write changed."""
        return self._events.accounts_of(outcome.events) if isinstance(outcome, Mined) else ()

    async def _reason(self, row: JournaledWrite, block: int) -> NodeError:
        """Find the revert reason: replay the call at its block, then at the parent block."""
        caller, function = (row.intent.caller_hash, row.intent.call.function) if row.intent else (None, "")
        for number in (block, block - 1):
            if (data := await self._revert_at(row, number)) is not None:
                return revert_to_node_error(self._abi, data, caller, function)
        return retryable_failure("The account changed while this write was under way")

    async def _revert_at(self, row: JournaledWrite, block: int) -> bytes | None:
        """Return the revert data after that block; None without a revert, or when the providers contradict each other."""
        call = eth_call_of(row.transaction.to, row.transaction.data, hex(block), sender=row.payer)

        async def question(endpoint: Endpoint, timeout_s: float) -> bytes | None:
            (outcome,) = await endpoint.send([call], timeout_s)
            try:
                returned_bytes(endpoint, outcome)
            except CallRevertedError as reverted:
                return reverted.data
            return None

        quorum = self._witnesses.quorum
        said = await self._witnesses.ask(question, lambda said: is_agreed(said, quorum))
        return agreed(said, quorum) if is_agreed(said, quorum) else None


def is_reverted(outcome: Outcome, attempts: Sequence[Attempt]) -> bool:
    """Whether the write is on chain and failed there. An empty transaction in its place is no reverted write."""
    cancelled = {attempt.hash for attempt in attempts if attempt.cancels}
    return (
        isinstance(outcome, Failed) and outcome.block_number is not None and outcome.transaction_hash not in cancelled
    )


def result_of(row: JournaledWrite, outcome: Outcome) -> WriteResult | None:
    """Return the result that the observer and the caller get; None for a write that failed."""
    if isinstance(outcome, Failed):
        return None
    return WriteResult(
        transaction_hash=outcome.transaction_hash,
        block_number=outcome.block_number,
        events=outcome.events,
        write_id=row.intent.write_id if row.intent else "",
        answer=row.intent.answer if row.intent else {},
    )


def retryable_failure(message: str) -> NodeError:
    """Return the error of a write that will not happen, though another one like it may."""
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        f"{message}; nothing was changed and nothing was charged.",
        fix="Send the request again.",
        retry_after_s=1,
    )
