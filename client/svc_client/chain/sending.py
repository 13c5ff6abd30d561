"""Sends a wallet's transactions: simulates, signs, broadcasts and follows each until it is final.

One call is signed under one nonce. A replacement pays a higher fee for the same call and nonce, and
after a fork the same bytes are sent again. So at most one of them is ever carried out.
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
"""Most gas of a transaction that every chain accepts (EIP-7825)."""
_GAS_MARGIN_PERCENT: Final = 25
"""Margin over the middle estimate, since the state may change. Estimates further apart disagree:
otherwise one of two providers could set the gas limit."""
_GAS_MIN: Final = 21_000
"""Gas of the cheapest transaction; a smaller limit is raised to it."""
_RAISE_PERCENT: Final = 25
"""Raise of a replacement's fee. Transaction pools require a tenth more."""
_ORDINARY_TIP_WEI: Final = GWEI
"""Tip in wei that any chain accepts on an ordinary day. One of two providers can raise a tip only
up to it. A waiting transaction is raised to it, since a quarter more of a tiny tip is tiny."""
_RESEND_POLLS: Final = 5
_RAISE_POLLS: Final = 45
"""Looks without a receipt between two broadcasts, and between two raises of the fee."""
_TAKEN_LOOKS: Final = 10
"""Looks in a row that must show the nonce used and none of our receipts before NonceTaken; a look
that fails does not count. A provider may count a transaction before it shows its receipt, and
one host may answer from several machines."""
_KNOWN: Final = ("already known", "already imported", "known transaction", "nonce too low", "underpriced")
"""Parts of refusals that mean a provider has the transaction, or another one of its nonce."""


@dataclass(frozen=True, slots=True)
class Fees:
    """Gas limit, and wei for a unit of gas (EIP-1559)."""

    gas: int
    max_fee_wei: int
    priority_fee_wei: int

    @property
    def most_wei(self) -> int:
        """Most wei that the transaction can cost."""
        return self.gas * self.max_fee_wei


@dataclass(frozen=True, slots=True)
class Request:
    """A call of the contract at the 0x address `to`, without value.

    `check` gets the result of a simulation, and raises Reverted if the call would fail.
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
    """A call in progress, with every signed form of it under one nonce."""

    request: Request
    sender: Sender
    transaction: Mapping[str, Any]
    """Fields without the fees, which differ by form."""
    most_wei: int
    """Limit in wei for the cost of every form."""
    raws: list[bytes] = field(default_factory=list)
    taken_looks: int = 0

    @property
    def hashes(self) -> list[bytes]:
        """Hashes of all forms, newest last. Computed, since a provider may lie about them."""
        return [keccak(raw) for raw in self.raws]

    @property
    def shown(self) -> str:
        """Hash of the newest form."""
        return f"0x{self.hashes[-1].hex()}"


class Sending:
    """Sends transactions over `providers`. `tell` gets each hash before it is sent."""

    def __init__(self, providers: Providers, *, max_fee_wei: int, tell: Callable[[str], None]) -> None:
        self._providers = providers
        self._max_fee_wei = max_fee_wei
        self._tell = tell
        # One send at a time: two threads would read one nonce, and one transaction would be lost.
        self._sending = asyncio.Lock()

    async def simulate(self, request: Request, sender: str) -> Agreed:
        """Runs a call at the newest block. Returns the block, and the sender's nonce and balance.

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
        """Returns gas and fees from the providers' estimates, within the limits.

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
        # The base fee grows by at most an eighth a block (EIP-1559): twice it lasts five blocks.
        return Fees(gas, min(2 * block_fee_wei + tip_wei, self._max_fee_wei), tip_wei)

    async def send(self, request: Request, sender: Sender, deadline: float, most_wei: int | None = None) -> Receipt:
        """Simulates, signs and sends a call; waits until `deadline` (monotonic) for confirmation.

        `most_wei` limits the cost of every form; None leaves the fee limits. Raises Reverted,
        NotSent, ProvidersDisagree and Unreachable before anything is sent; afterwards
        NonceTaken, Unconfirmed and Reverted, with the hash.
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
        """Simulates when no transaction of the sender is pending; this one would wait for it."""
        while True:
            agreed = await self.simulate(request, sender)
            pending = await self._providers.numbers("eth_getTransactionCount", [sender, "pending"])
            # The middle count: one lying provider must not block every send.
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
        """Sends every form to all providers.

        The first time raises Unconfirmed if all refuse, and ProvidersDisagree if none has it.
        """
        for raw in flight.raws:
            try:
                said = await self._providers.each("eth_sendRawTransaction", [f"0x{raw.hex()}"])
            except ProvidersDisagree:
                if is_first:
                    raise
                # It is sent already. The next look names a provider that has changed its chain.
                return
            if is_first and all(isinstance(each, Failure) and _is_refusal(each) for each in said.values()):
                # A provider may refuse after passing the transaction on: its fate is unknown.
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
                # It is sent already. Keep waiting if a provider is down or lies; name it later.
                found, why = Found(None, is_shown=True, is_absent=False), str(error)
            if not found.is_shown:
                # A fork removed the receipt, and the same bytes may be mined again.
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
        """Raises NonceTaken when another transaction of the nonce is confirmed."""
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
        """Pays more for the same call under the same nonce, within the limits."""
        limit_wei = min(self._max_fee_wei, flight.most_wei // fees.gas)
        max_fee_wei = min(_raised(fees.max_fee_wei), limit_wei)
        # Transaction pools refuse a raise of less than a tenth.
        if max_fee_wei * 10 < fees.max_fee_wei * 11:
            return fees
        tip_wei = min(max(_raised(fees.priority_fee_wei), _ORDINARY_TIP_WEI), max_fee_wei)
        more = replace(fees, max_fee_wei=max_fee_wei, priority_fee_wei=tip_wei)
        try:
            await self._sign(flight, more)
        except InvalidArgument:
            # The owner declined or is away. The transaction that was sent is still followed.
            return fees
        await self._broadcast(flight)
        return more

    async def _outcome(self, flight: _Flight, receipt: Receipt) -> Receipt:
        if receipt.is_success:
            return receipt
        shown = receipt.shown
        try:
            # The contract's refusal now is most likely the reason of the failure.
            await self.simulate(flight.request, flight.sender.address)
        except Reverted as error:
            raise Reverted(f"{error} (transaction {shown})", error.name, error.arguments, shown) from None
        except SvcError:
            pass
        raise Reverted(f"The transaction {shown} was mined and failed: nothing changed.", "", {}, shown)


def _middle(numbers: Mapping[str, int]) -> int:
    """Returns the lower middle number, which one of two providers cannot raise."""
    return sorted(numbers.values())[(len(numbers) - 1) // 2]


def _tip(tips: Mapping[str, int], room_wei: int) -> int:
    """Returns the middle tip. Of two it is the higher one up to an ordinary tip that fits.

    A lying one of two gains nothing. Without a tip this and later transactions would wait.
    """
    by_size = sorted(tips.values())
    low, high = _middle(tips), by_size[len(by_size) // 2]
    return min(high, max(low, min(_ORDINARY_TIP_WEI, room_wei)))


def _raised(wei: int) -> int:
    return wei + wei * _RAISE_PERCENT // 100 + 1


def _gas_limit(estimates: Mapping[str, int]) -> int:
    """Returns the middle estimate plus a margin, if it covers the upper middle estimate.

    Raises ProvidersDisagree otherwise: too little gas fails on chain, too much costs any price.
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
    """Limits the fees to a cost of `most_wei`. Raises NotSent if no block would take that."""
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
    """Whether a provider refused for good, without having it or another one of its nonce."""
    said = failure.error.get("message") if isinstance(failure.error, dict) else None
    return isinstance(said, str) and not any(known in said.lower() for known in _KNOWN)
