"""Simulates and prices a transaction in one exchange: success or revert, gas, fee and nonce."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.errors import FeesTooHighError, WriteTooLargeError
from node.chain.quorum.client import (
    BEHIND_POLL_S,
    BEHIND_TIMEOUT_S,
    DISAGREE,
    BehindError,
    DisagreementError,
    agreed,
    is_agreed,
)
from node.chain.read_meter import count_reads
from node.chain.rpc import CallRevertedError, Provider, RpcCall, RpcOutcome, RpcRefusedError, answers
from node.chain.rpc.answers import LATEST, TIPS, base_fee_of, suggested_tip
from node.chain.writes.fees import offer
from node.chain.writes.model import Chain, Fees, Transaction
from node.runtime.clock import Clock
from node.settings.chain import WriteSettings

NEAR: Final = 2
"""Clients estimate gas a little differently. Estimates within this factor of each other agree."""

GAS_MARGIN_PERCENT: Final = 30
"""Added to estimated gas: writes before the block may make this one touch a few more slots."""

TIP_MAX_AGE_S: Final = 10.0
"""Longest use of a suggested tip: about a block of Ethereum's."""


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Simulation of a transaction by one provider, with the state that is needed to send it.

    `reverts`: the revert data, or None for success. `gas`: its estimate; `gas_max`: the block's.
    `count`: the payer's next nonce. `tip`: None when not requested.
    """

    provider: Provider
    reverts: bytes | None
    gas: int
    gas_max: int
    base_fee: int
    number: int
    balance: int
    count: int
    tip: int | None


def simulation_calls(payer: str, to: str, data: bytes, value: int) -> list[RpcCall]:
    """Return the calls that simulate a transaction; TIPS may follow."""
    transaction: dict[str, JsonValue] = {"from": payer, "to": to, "data": "0x" + data.hex(), "value": hex(value)}
    return [
        LATEST,
        RpcCall("eth_estimateGas", [transaction, "latest"]),
        RpcCall("eth_getBalance", [payer, "latest"]),
        RpcCall("eth_getTransactionCount", [payer, "latest"]),
    ]


def parse_simulation(provider: Provider, outcomes: Sequence[RpcOutcome]) -> SimulationResult:
    """Reads results of `simulation_calls`. Raises MalformedResultError, or RpcRefusedError."""
    head, gas, balance, count, *tips = outcomes
    block, reverts = answers.record(head), gas.revert_data if isinstance(gas, RpcRefusedError) else None
    base_fee = base_fee_of(block)
    return SimulationResult(
        provider=provider,
        reverts=reverts,
        # A revert has no estimate; `_combined` uses successes alone.
        gas=0 if reverts is not None else answers.quantity(gas),
        gas_max=answers.field(block, "gasLimit"),
        base_fee=base_fee,
        number=answers.field(block, "number"),
        balance=answers.quantity(balance),
        count=answers.quantity(count),
        tip=suggested_tip(tips, base_fee) if tips else None,
    )


@dataclass(frozen=True, slots=True)
class PreparedTransaction:
    """A transaction that would succeed now, with gas limit, offer, and the payer's state then.

    `count` is the payer's next nonce: a quorum counts at least that, and at most `count_at_most`.
    With one provider they are the same.
    """

    transaction: Transaction
    fees: Fees
    block_number: int
    count: int
    count_at_most: int
    balance_wei: int

    @property
    def cost_max(self) -> int:
        """Most that the payer can lose by it, in wei."""
        return self.transaction.gas_limit * self.fees.max_fee + self.transaction.value


class Simulator:
    """Simulates transactions with a quorum of providers, one exchange with each."""

    def __init__(self, chain: Chain, settings: WriteSettings, clock: Clock) -> None:
        self._client = chain.client
        self._floor = chain.floor
        self._settings = settings
        self._clock = clock
        self._tip = 0
        self._tip_until = float("-inf")

    async def simulate(self, payer: str, to: str, data: bytes, value: int, gas_max: int) -> PreparedTransaction:
        """Simulates `data` on `to` as `payer` at the head, with gas up to `gas_max`, and prices it.

        Raises CallRevertedError if a quorum says that it would revert, RpcRefusedError or
        RpcUnavailableError if the providers do not answer, WriteTooLargeError, FeesTooHighError,
        and what the read meter of the request raises.
        """
        # A simulation costs the provider a read, so it counts toward the request's limit of reads.
        count_reads()
        calls = simulation_calls(payer, to, data, value)
        if asks_tip := self._clock.monotonic() >= self._tip_until:
            calls.extend(TIPS)
        results = await self._results(calls)
        if asks_tip:
            self._note_tip([result.tip or 0 for result in results])
        if (reverts := self._revert_data(results)) is not None:
            raise CallRevertedError(reverts)
        able = [result for result in results if result.reverts is None]
        return self._combined(Transaction(to, data, value, self._gas_limit(able, gas_max)), able)

    async def current_offer(self) -> Fees | None:
        """Returns an offer at the head, or None above the cap. Raises RpcError."""

        async def query(provider: Provider, timeout_s: float) -> tuple[int, int]:
            head, *tips = await provider.send([LATEST, *TIPS], timeout_s)
            base_fee = base_fee_of(answers.record(head))
            return base_fee, suggested_tip(tips, base_fee)

        def is_settled(said: Sequence[tuple[int, int]]) -> bool:
            return all(self._are_near(numbers) for numbers in zip(*said, strict=True))

        base_fees, tips = zip(*await self._client.ask(query, is_settled), strict=True)
        self._note_tip(tips)
        return offer(self._client.at_least(base_fees), self._tip, self._settings)

    async def _results(self, calls: Sequence[RpcCall]) -> Sequence[SimulationResult]:
        """Returns the providers' results. Of several, only those at or above the minimum block."""

        async def query(provider: Provider, timeout_s: float) -> SimulationResult:
            result = parse_simulation(provider, await provider.send(calls, timeout_s))
            if self._client.quorum > 1 and result.number < self._floor.value:
                raise BehindError(provider.host)
            return result

        deadline = self._clock.monotonic() + BEHIND_TIMEOUT_S
        while True:
            try:
                return await self._client.ask(query, self._is_settled)
            except BehindError:
                if self._clock.monotonic() >= deadline:
                    raise
            await self._clock.sleep(BEHIND_POLL_S)

    def _revert_data(self, results: Sequence[SimulationResult]) -> bytes | None:
        """Returns the revert data of a quorum, None for success. Raises DisagreementError."""
        try:
            return agreed([result.reverts for result in results], self._client.quorum)
        except DisagreementError:
            for result in results:
                self._client.reputation.disagreed(result.provider, DISAGREE, what="simulation")
            raise

    def _is_settled(self, results: Sequence[SimulationResult]) -> bool:
        """Whether they agree on success or revert, on the nonce, and roughly on the cost."""
        if not is_agreed([result.reverts for result in results], self._client.quorum):
            return False
        able = [result for result in results if result.reverts is None]
        # A quorum agrees on the revert, so there is no cost to compare.
        if len(able) < self._client.quorum:
            return True
        counts = [result.count for result in able]
        amounts = [
            [result.gas for result in able],
            [result.base_fee for result in able],
            [result.balance for result in able],
        ]
        are_same = self._client.at_least(counts) == self._client.at_most(counts)
        return are_same and all(map(self._are_near, amounts))

    def _are_near(self, amounts: Sequence[int]) -> bool:
        return self._client.at_most(amounts) <= NEAR * self._client.at_least(amounts)

    def _combined(self, transaction: Transaction, results: Sequence[SimulationResult]) -> PreparedTransaction:
        """Combines the results, each number so that one liar can only delay the write.

        Too little gas would make it fail, too much is not paid. A fee is paid, but can be raised.
        """
        at_least, at_most = self._client.at_least, self._client.at_most
        # The lower number: a liar that shows a high base fee would make the node overpay.
        fees = offer(at_least([result.base_fee for result in results]), self._tip, self._settings)
        if fees is None:
            raise FeesTooHighError
        counts = [result.count for result in results]
        return PreparedTransaction(
            transaction=transaction,
            fees=fees,
            block_number=at_least([result.number for result in results]),
            count=at_least(counts),
            count_at_most=at_most(counts),
            balance_wei=at_least([result.balance for result in results]),
        )

    def _note_tip(self, tips: Sequence[int]) -> None:
        self._tip = self._client.at_least(tips)
        self._tip_until = self._clock.monotonic() + TIP_MAX_AGE_S

    def _gas_limit(self, results: Sequence[SimulationResult], gas_max: int) -> int:
        needs, block_limits = [result.gas for result in results], [result.gas_max for result in results]
        allowed = min(gas_max, self._client.at_most(block_limits) or gas_max)
        # The lower estimate decides a refusal, so one high estimate cannot make a write fail.
        if (needed := self._client.at_least(needs)) > allowed:
            raise WriteTooLargeError(needed, allowed)
        return min(self._client.at_most(needs) * (100 + GAS_MARGIN_PERCENT) // 100, allowed)
