"""One look at the chain before a write: would it succeed, what gas, at what price, has the payer the money and the nonce."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from node.chain.rpc import CallRevertedError, JsonRpc, RpcCall, RpcOutcome, RpcRefusedError
from node.chain.writes import answers
from node.chain.writes.fees import offer
from node.chain.writes.limits import WriteLimits
from node.chain.writes.model import Fees, Transaction
from node.errors import ErrorCode, NodeError


@dataclass(frozen=True, slots=True)
class Flight:
    """A transaction that would succeed now: with its gas limit, an offer, and the payer's state at about that block.

    `count` is the payer's next nonce by the chain's count.
    """

    transaction: Transaction
    fees: Fees
    block_number: int
    count: int
    balance_wei: int

    @property
    def cost_max(self) -> int:
        """The most the payer can lose by it, in wei."""
        return self.transaction.gas_limit * self.fees.max_fee + self.transaction.value


class Preflight:
    """Asks everything a write needs in one exchange with one endpoint."""

    def __init__(self, rpc: JsonRpc, limits: WriteLimits, clock: Callable[[], float]) -> None:
        self._rpc = rpc
        self._limits = limits
        self._clock = clock
        self._tip = 0
        self._tip_until = float("-inf")

    async def check(self, payer: str, to: str, data: bytes, value: int) -> Flight:
        """Simulate `data` on `to` as `payer` at the head, and price it.

        Raises CallRevertedError when it would revert, RpcRefusedError or RpcUnavailableError when the chain does not
        say, NodeError when it needs more gas than is allowed or fees are above the cap.
        """
        calls = _calls(payer, to, data, value)
        if asks_tip := self._clock() >= self._tip_until:
            calls.append(RpcCall("eth_maxPriorityFeePerGas"))
        head, gas, balance, count, *tip = await self._rpc.batch(calls)
        if asks_tip:
            self._note_tip(tip[0])
        block = answers.record(head)
        limit = self._gas_limit(_estimated(gas), answers.field(block, "gasLimit"))
        fees = offer(answers.field(block, "baseFeePerGas"), self._tip, self._limits.fees)
        if fees is None:
            raise _too_expensive()
        number, nonce, money = answers.field(block, "number"), answers.quantity(count), answers.quantity(balance)
        return Flight(Transaction(to, data, value, limit), fees, number, nonce, money)

    async def price(self) -> Fees | None:
        """What is to be offered now; None when that is above the cap. Raises RpcRefusedError, RpcUnavailableError."""
        head, tip = await self._rpc.batch(
            [RpcCall("eth_getBlockByNumber", ["latest", False]), RpcCall("eth_maxPriorityFeePerGas")]
        )
        self._note_tip(tip)
        return offer(answers.field(answers.record(head), "baseFeePerGas"), self._tip, self._limits.fees)

    def _note_tip(self, outcome: RpcOutcome) -> None:
        # A chain without this method is served at the minimum.
        self._tip = 0 if isinstance(outcome, RpcRefusedError) else answers.quantity(outcome)
        self._tip_until = self._clock() + self._limits.fees.suggestion_age_s

    def _gas_limit(self, estimated: int, block_limit: int) -> int:
        allowed = min(self._limits.gas_limit_max, block_limit or self._limits.gas_limit_max)
        if estimated > allowed:
            raise NodeError(
                ErrorCode.BAD_REQUEST,
                f"This write needs {estimated} gas, more than the {allowed} one transaction may use.",
                fix="Split it: fewer entries, shorter texts.",
            )
        return min(estimated * (100 + self._limits.gas_margin_percent) // 100, allowed)


def _calls(payer: str, to: str, data: bytes, value: int) -> list[RpcCall]:
    transaction: dict[str, JsonValue] = {"from": payer, "to": to, "data": "0x" + data.hex(), "value": hex(value)}
    return [
        RpcCall("eth_getBlockByNumber", ["latest", False]),
        RpcCall("eth_estimateGas", [transaction, "latest"]),
        RpcCall("eth_getBalance", [payer, "latest"]),
        RpcCall("eth_getTransactionCount", [payer, "latest"]),
    ]


def _estimated(outcome: RpcOutcome) -> int:
    if isinstance(outcome, RpcRefusedError) and (data := outcome.revert_data) is not None:
        raise CallRevertedError(data)
    return answers.quantity(outcome)


def _too_expensive() -> NodeError:
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        "The chain's fees are above what this node offers; nothing was changed and nothing was charged.",
        fix="Try again later.",
        retry_after_s=60,
    )
