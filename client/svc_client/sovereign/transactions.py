"""Requests and batch files for the account contract, and the results in receipts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from svc_client.chain.providers import RevertData
from svc_client.chain.receipts import Log, Receipt
from svc_client.chain.safe_batch import NamedCall, batch_file
from svc_client.chain.sending import Request
from svc_client.errors import InvalidAnswer
from svc_client.sovereign import contract_abi
from svc_client.sovereign.calls import Call, batch_of
from svc_client.sovereign.contract_abi import Value

_BATCH: Final = "multicall"


@dataclass(frozen=True, slots=True)
class Sent:
    """A confirmed transaction. `fee_wei` is its price; None if the providers do not say it."""

    transaction_hash: str
    block_number: int
    fee_wei: int | None
    contract: bytes = field(repr=False)
    logs: tuple[Log, ...] = field(repr=False)

    def events(self, name: str) -> list[dict[str, Value]]:
        """Returns the arguments, by name, of each of the contract's events of this name."""
        return contract_abi.event(self.logs, self.contract, name)


def request_of(calls: Sequence[Call], contract: str) -> Request:
    """Returns the calls as one request; `contract` is in EIP-55 form. Raises InvalidArgument."""
    call = batch_of(calls)
    return Request(contract, call.data, partial(_require_all, calls, call.function))


def sent_of(calls: Sequence[Call], contract: str, receipt: Receipt) -> Sent:
    """Returns the result of a transaction. Raises Reverted if a call of a batch failed alone."""
    sent = Sent(receipt.shown, receipt.block_number, receipt.fee_wei, bytes.fromhex(contract[2:]), receipt.logs)
    for failed in sent.events("CallFailed"):
        place, reason = failed["index"], failed["reason"]
        if isinstance(place, int) and place < len(calls) and isinstance(reason, bytes):
            function = f"{calls[place].function} (others of the batch took effect)"
            raise contract_abi.refusal(function, reason, receipt.shown)
    return sent


def _require_all(calls: Sequence[Call], function: str, answer: bytes | RevertData) -> None:
    """Raises Reverted if the simulation failed, or for its first failed call."""
    if isinstance(answer, RevertData):
        raise contract_abi.refusal(function, answer.data)
    if function != _BATCH:
        return
    returned = contract_abi.result(_BATCH, answer)
    ok, results = returned["ok"], returned["results"]
    if not isinstance(ok, list) or not isinstance(results, list) or not len(ok) == len(results) == len(calls):
        raise InvalidAnswer("multicall did not return what the ABI promises.")
    for call, is_ok, data in zip(calls, ok, results, strict=True):
        if not is_ok:
            raise contract_abi.refusal(call.function, data if isinstance(data, bytes) else b"")


def batch_file_of(calls: Sequence[Call], contract: str, chain_id: int, safe: str) -> str:
    """Returns the file for a Safe's Transaction Builder; both addresses are in EIP-55 form."""
    name, description = ", ".join(call.function for call in calls), "; ".join(call.words for call in calls)
    return batch_file([_named(call, contract) for call in calls], chain_id, safe, name, description)


def _named(call: Call, contract: str) -> NamedCall:
    call.data  # noqa: B018 - refuses values that the builder could not encode either
    inputs = contract_abi.functions()[call.function].inputs
    values = zip(inputs, call.arguments, strict=True)
    return NamedCall(contract, call.function, tuple((each.name, each.kind, _shown(value)) for each, value in values))


def _shown(value: object) -> str:
    """Returns a value as the builder parses it: lists are in brackets, items without quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value)
