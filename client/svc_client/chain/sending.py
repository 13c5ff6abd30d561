"""Transactions of a wallet: simulated, signed once for each nonce, sent to all providers, and followed until they are final.

One thing is signed under one nonce. A replacement with a higher fee carries the same call under the same nonce, and what a
fork threw out is sent again as the same bytes; so at most one of them is ever carried out.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from svc_client.chain.providers import Agreed, Failure, Providers, Question, RevertData
from svc_client.chain.receipts import Found, Receipt, look_for
from svc_client.errors import (
    InvalidAnswer,
    InvalidArgument,
    NonceTaken,
    NotSent,
    ProvidersDisagree,
    Reverted,
    SvcError,
    Unconfirmed,
    Unreachable,
)
from svc_verifier.chain.abi import keccak
from svc_verifier.formats.strict_json import Json

GWEI: Final = 10**9
GAS_MAX: Final = 1 << 24
"""Gas of a transaction that every chain still takes (EIP-7825)."""
_GAS_MARGIN_PERCENT: Final = 25
"""Added to the middle estimate, which is of the state of now. Estimates further apart are a contradiction: one of two providers
could otherwise set the gas limit."""
_GAS_MIN: Final = 21_000
"""Gas of every transaction; a smaller estimate is none."""
_RAISE_PERCENT: Final = 25
"""More than the tenth by which pools of nodes want a replacement to be better."""
_ORDINARY_TIP_WEI: Final = GWEI
"""Tip that blocks of any chain take on an ordinary day. One of two providers can raise a tip to it and no further; and a transaction
that waits is raised to it at once, since a quarter more of a tiny tip stays a tiny one."""
_RESEND_POLLS: Final = 5
_RAISE_POLLS: Final = 45
"""Looks in vain after which the same bytes are sent again, and after which more is paid for the same call."""
_TAKEN_LOOKS: Final = 10
"""Looks that show another transaction under the nonce, and none of ours, before that is said, with none between them that shows
otherwise (one that fails shows nothing): a provider may count a transaction a moment before it shows the receipt, and one host
may answer from several machines."""
_KNOWN: Final = ("already known", "already imported", "known transaction", "nonce too low", "underpriced")
"""Refusals after which the transaction, or another one of its nonce, is on its way all the same."""


@dataclass(frozen=True, slots=True)
class Fees:
    """Gas limit, and wei for a unit of gas (EIP-1559)."""

    gas: int
    max_fee_wei: int
    priority_fee_wei: int

    @property
    def most_wei(self) -> int:
        """Highest price of the transaction."""
        return self.gas * self.max_fee_wei


@dataclass(frozen=True, slots=True)
class Request:
    """A call of the contract at the 0x address `to`, without value.

    `check` is given the result of a simulation, and raises Reverted where the call would fail.
    """

    to: str
    data: bytes
    check: Callable[[bytes | RevertData], None]


@dataclass(frozen=True, slots=True)
class Sender:
    """Account that pays and signs.

    `sign` returns the raw bytes of exactly the EIP-1559 transaction that it is given, or raises
    InvalidArgument. It runs in a thread, since a hardware wallet or a signing node is slow.
    """

    address: str
    sign: Callable[[Mapping[str, Any]], bytes]


@dataclass(slots=True)
class _Flight:
    """A call on its way: every signed form of it, all under one nonce."""

    request: Request
    sender: Sender
    transaction: Mapping[str, Any]
    """Without its fees, which differ by form."""
    most_wei: int
    """Highest price of every form."""
    raws: list[bytes] = field(default_factory=list)
    taken_looks: int = 0

    @property
    def hashes(self) -> list[bytes]:
        """Hashes of all forms, the newest last. Computed here: a lying provider could name another transaction's."""
        return [keccak(raw) for raw in self.raws]

    @property
    def shown(self) -> str:
        """Hash of the newest form."""
        return f"0x{self.hashes[-1].hex()}"


class Sending:
    """Sends transactions over `providers`. `tell` is given each hash before it is sent."""

    def __init__(self, providers: Providers, *, max_fee_wei: int, tell: Callable[[str], None]) -> None:
        self._providers = providers
        self._max_fee_wei = max_fee_wei
        self._tell = tell
        # One at a time: two threads would read the same nonce, and one transaction would take the other's.
        self._sending = asyncio.Lock()

    async def simulate(self, request: Request, sender: str) -> Agreed:
        """Run a call at the newest block; return that block, and nonce and balance of the sender.

        Raises Reverted, ProvidersDisagree and Unreachable.
        """
        asked = [
            Question("eth_call", (_message(request, sender),)),
            Question("eth_getTransactionCount", (sender,), is_quantity=True),
            Question("eth_getBalance", (sender,), is_quantity=True),
        ]
        agreed = await self._providers.at_head(asked)
        request.check(agreed.answers[0])
        return agreed

    async def fees(self, request: Request, sender: str, block_fee_wei: int) -> Fees:
        """Return gas and fees by the providers' estimates, within the limits.

        Raises NotSent, ProvidersDisagree and Unreachable.
        """
        gas = _gas_limit(await self._providers.numbers("eth_estimateGas", [_message(request, sender)]))
        if gas > GAS_MAX:
            raise NotSent(f"This would take {gas} gas; a transaction has {GAS_MAX} at most. Split it.")
        tip_wei = _tip(await self._providers.tips(), self._max_fee_wei - block_fee_wei)
        if block_fee_wei + tip_wei > self._max_fee_wei:
            needed = (block_fee_wei + tip_wei) / GWEI
            raise NotSent(
                f"A unit of gas costs {needed:.3f} gwei now; no more than {self._max_fee_wei / GWEI:g} is paid."
            )
        # Twice the base fee: it grows by an eighth a block at most (EIP-1559), so five full blocks may come before.
        return Fees(gas, min(2 * block_fee_wei + tip_wei, self._max_fee_wei), tip_wei)

    async def send(self, request: Request, sender: Sender, deadline: float, most_wei: int | None = None) -> Receipt:
        """Simulate, sign and send a call, and wait for its confirmation until `deadline` (monotonic).

        `most_wei` is the most that it may cost, also when it is signed again with a higher fee; without it the limits decide.
        Raises Reverted, NotSent, ProvidersDisagree and Unreachable before anything is sent; NonceTaken, Unconfirmed and Reverted
        after that, with the hash.
        """
        async with self._sending:
            agreed = await self._when_nothing_waits(request, sender.address, deadline)
            fees = await self.fees(request, sender.address, agreed.block.base_fee_wei)
            most_wei = fees.gas * self._max_fee_wei if most_wei is None else most_wei
            fees = _capped(fees, most_wei, agreed.block.base_fee_wei)
            if agreed.number(2) < fees.most_wei:
                held = f"{sender.address} holds {agreed.number(2)} wei, and this may cost {fees.most_wei}"
                raise NotSent(f"{held}: send it some ether.")
            flight = _Flight(request, sender, self._without_fees(request, agreed.number(1)), most_wei)
            await self._sign(flight, fees)
            await self._broadcast(flight, is_first=True)
            return await self._follow(flight, fees, deadline)

    def _without_fees(self, request: Request, nonce: int) -> dict[str, Any]:
        return {
            "type": 2,
            "chainId": self._providers.chain_id,
            "nonce": nonce,
            "to": request.to,
            "value": 0,
            "data": request.data,
        }

    async def _when_nothing_waits(self, request: Request, sender: str, deadline: float) -> Agreed:
        """Simulate once no transaction of the sender waits: a nonce after theirs would wait with them, and theirs is taken."""
        while True:
            agreed = await self.simulate(request, sender)
            pending = await self._providers.numbers("eth_getTransactionCount", [sender, "pending"])
            # The middle: a provider that makes transactions up would stop every send.
            waiting = _middle(pending) - agreed.number(1)
            if waiting <= 0:
                return agreed
            if time.monotonic() >= deadline:
                raise NotSent(f"{waiting} transactions of {sender} still wait to be mined; this one was not sent.")
            await asyncio.sleep(self._providers.poll_s)

    async def _sign(self, flight: _Flight, fees: Fees) -> None:
        asked = {**flight.transaction, **_fee_fields(fees)}
        flight.raws.append(await asyncio.to_thread(flight.sender.sign, asked))
        self._tell(flight.shown)

    async def _broadcast(self, flight: _Flight, *, is_first: bool = False) -> None:
        """Send every form to all providers.

        Of the first one: raises Unconfirmed when all of them refuse it, and ProvidersDisagree before any of them has it.
        """
        for raw in flight.raws:
            try:
                said = await self._providers.each("eth_sendRawTransaction", [f"0x{raw.hex()}"])
            except ProvidersDisagree:
                if is_first:
                    raise
                # It is on its way. Who is of another chain only now is named by the next look.
                return
            if is_first and all(isinstance(each, Failure) and _is_refusal(each) for each in said.values()):
                # A refusal may come after it was passed on: whether it was is not known.
                hosts = ", ".join(said)
                raise Unconfirmed(
                    f"{hosts} refused the transaction {flight.shown}: look for it before the next one.", flight.shown
                )

    async def _follow(self, flight: _Flight, fees: Fees, deadline: float) -> Receipt:
        was_shown, polls, why = False, 0, "it is not mined yet"
        while time.monotonic() < deadline:
            try:
                found = await look_for(self._providers, flight.hashes)
                if found.confirmed is not None:
                    return await self._outcome(flight, found.confirmed)
                await self._require_nonce(flight, found)
                why = "providers do not show the same receipt, deep enough" if found.is_shown else "it is not mined yet"
                why = "; ".join((why, *found.incomplete))
            except (ProvidersDisagree, Unreachable, InvalidAnswer) as error:
                # It is on its way already: a provider that is out, or lies, is waited for and then named.
                found, why = Found(None, is_shown=True, is_absent=False), str(error)
            if not found.is_shown:
                # A receipt that is gone was thrown out by a fork: the same bytes may be mined again.
                if was_shown or polls % _RESEND_POLLS == _RESEND_POLLS - 1:
                    await self._broadcast(flight)
                if polls % _RAISE_POLLS == _RAISE_POLLS - 1:
                    fees = await self._raise(flight, fees)
                polls += 1
            was_shown = found.is_shown
            await asyncio.sleep(self._providers.poll_s)
        raise Unconfirmed(
            f"The transaction {flight.shown} (nonce {flight.transaction['nonce']}) was sent and is not confirmed: {why}. It may"
            " still be carried out: look for it before the next one.",
            flight.shown,
        )

    async def _require_nonce(self, flight: _Flight, found: Found) -> None:
        """Raise NonceTaken when another transaction of the nonce is confirmed."""
        if not found.is_absent or not await self._is_nonce_used(flight):
            flight.taken_looks = 0
            return
        flight.taken_looks += 1
        if flight.taken_looks == _TAKEN_LOOKS:
            raise NonceTaken(
                f"Another transaction of {flight.sender.address} took nonce {flight.transaction['nonce']}: {flight.shown} was not"
                " carried out and cannot be any more.",
                flight.shown,
            )

    async def _is_nonce_used(self, flight: _Flight) -> bool:
        count = Question("eth_getTransactionCount", (flight.sender.address,), is_quantity=True)
        agreed = await self._providers.at_head([count], depth=self._providers.confirmations - 1)
        return agreed.number(0) > int(flight.transaction["nonce"])

    async def _raise(self, flight: _Flight, fees: Fees) -> Fees:
        """Pay more for the same call under the same nonce, as far as the limits allow."""
        limit_wei = min(self._max_fee_wei, flight.most_wei // fees.gas)
        max_fee_wei = min(_raised(fees.max_fee_wei), limit_wei)
        # Less than a tenth more is refused by pools of nodes, and would be signed for nothing.
        if max_fee_wei * 10 < fees.max_fee_wei * 11:
            return fees
        tip_wei = min(max(_raised(fees.priority_fee_wei), _ORDINARY_TIP_WEI), max_fee_wei)
        more = replace(fees, max_fee_wei=max_fee_wei, priority_fee_wei=tip_wei)
        try:
            await self._sign(flight, more)
        except InvalidArgument:
            # Its owner declined to pay more, or is away. What was sent stays on its way, and is still followed.
            return fees
        await self._broadcast(flight)
        return more

    async def _outcome(self, flight: _Flight, receipt: Receipt) -> Receipt:
        if receipt.is_success:
            return receipt
        shown = receipt.shown
        try:
            # What the contract refuses now is most likely why it failed.
            await self.simulate(flight.request, flight.sender.address)
        except Reverted as error:
            raise Reverted(f"{error} (transaction {shown})", error.name, error.arguments, shown) from None
        except SvcError:
            pass
        raise Reverted(f"The transaction {shown} was mined and failed: nothing changed.", "", {}, shown)


def _middle(numbers: Mapping[str, int]) -> int:
    """Return the middle number, of two the lower one: one provider alone cannot raise it."""
    return sorted(numbers.values())[(len(numbers) - 1) // 2]


def _tip(tips: Mapping[str, int], room_wei: int) -> int:
    """Return the middle tip; of two the higher one up to an ordinary tip that there is room for, or else the lower one.

    Neither liar of two gains: a transaction without a tip would wait for ever, and keep all later ones waiting.
    """
    by_size = sorted(tips.values())
    low, high = _middle(tips), by_size[len(by_size) // 2]
    return min(high, max(low, min(_ORDINARY_TIP_WEI, room_wei)))


def _raised(wei: int) -> int:
    return wei + wei * _RAISE_PERCENT // 100 + 1


def _gas_limit(estimates: Mapping[str, int]) -> int:
    """Return the middle estimate and a margin. Raises ProvidersDisagree where that is too little for the upper middle one.

    Between two estimates nobody knows which one is a lie: the lower one would fail on chain, the higher one is any price.
    """
    limit = max(_GAS_MIN, _middle(estimates) * (100 + _GAS_MARGIN_PERCENT) // 100)
    by_size = sorted(estimates.items(), key=lambda item: item[1])
    (low_host, low), (high_host, high) = by_size[(len(by_size) - 1) // 2], by_size[len(by_size) // 2]
    if high > limit:
        raise ProvidersDisagree(
            f"{low_host} and {high_host} contradict each other about the gas of this transaction: {low} and {high}."
        )
    return limit


def _capped(fees: Fees, most_wei: int, block_fee_wei: int) -> Fees:
    """Return the fees with a price of at most `most_wei`. Raises NotSent where no block would take them at that."""
    max_fee_wei = min(fees.max_fee_wei, most_wei // fees.gas)
    if max_fee_wei < block_fee_wei + fees.priority_fee_wei:
        needed = fees.gas * (block_fee_wei + fees.priority_fee_wei)
        raise NotSent(f"This would cost {needed} wei now, and was to cost {most_wei} at most.")
    return replace(fees, max_fee_wei=max_fee_wei)


def _message(request: Request, sender: str) -> dict[str, Json]:
    return {"from": sender, "to": request.to, "data": f"0x{request.data.hex()}"}


def _fee_fields(fees: Fees) -> dict[str, int]:
    return {"gas": fees.gas, "maxFeePerGas": fees.max_fee_wei, "maxPriorityFeePerGas": fees.priority_fee_wei}


def _is_refusal(failure: Failure) -> bool:
    """Whether a provider refused the transaction for good, and does not merely have it, or another of its nonce, already."""
    said = failure.error.get("message") if isinstance(failure.error, dict) else None
    return isinstance(said, str) and not any(known in said.lower() for known in _KNOWN)
