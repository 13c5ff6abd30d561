"""Token payments of an account: how to pay, and the state of each deposit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.billing.tokens.book import TokenBook
from node.billing.tokens.models import HowToPay, TokenConfigAnswer, TokenItem, TokenPaymentItem
from node.billing.tokens.prices import TokenPrices
from node.billing.tokens.tables import Status, TokenPayment
from node.chain.port import Page
from node.http.endpoint import Listing
from node.http.errors import ErrorCode, NodeError
from node.permissions.grants import Caller
from node.values import checksum_address, u256_hex

APPROVE: Final = "approve(address,uint256)"
DEPOSIT: Final = "deposit(uint256,address,uint256)"
RETRY_AFTER_S: Final = 3600


def _function(name: str, inputs: dict[str, str], returns: str) -> JsonValue:
    arguments: list[JsonValue] = [{"name": each, "type": kind} for each, kind in inputs.items()]
    outputs: list[JsonValue] = [{"name": "", "type": returns}]
    shown: dict[str, JsonValue] = {"type": "function", "name": name, "inputs": arguments, "outputs": outputs}
    return {**shown, "stateMutability": "nonpayable"}


ABI: Final[JsonValue] = [
    _function("approve", {"spender": "address", "amount": "uint256"}, "bool"),
    _function("deposit", {"accountHash": "uint256", "token": "address", "amount": "uint256"}, "uint256"),
]


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """Deposit contract, prices, and the confirmations that a deposit needs. `head` gives the head's number, None before it is known."""

    chain_id: int
    deposit_contract: str
    confirmations: int
    prices: TokenPrices
    head: Callable[[], int | None]


class TokenService:
    """Answers from the node's own books. Without `terms` this node takes no tokens, and says so."""

    def __init__(self, terms: TokenTerms | None = None, book: TokenBook | None = None) -> None:
        self._open = None if terms is None or book is None else (terms, book)

    async def config(self, caller: Caller) -> TokenConfigAnswer:
        """Return how to pay for the caller's account. Raises NodeError `billing_disabled`."""
        terms, _ = self._configured()
        return TokenConfigAnswer(
            enabled=True,
            chain_id=terms.chain_id,
            deposit_contract=checksum_address(terms.deposit_contract.lower()),
            confirmations=terms.confirmations,
            tokens=[TokenItem.of(price) for price in terms.prices.by_token.values()],
            how_to_pay=_how_to_pay(caller),
        )

    async def payments(self, caller: Caller, page: Page) -> Listing[TokenPaymentItem]:
        """Return a page of the deposits for the caller's account, the oldest first.

        Raises NodeError `billing_disabled`, `billing_unavailable`.
        """
        terms, book = self._configured()
        found = await book.payments(caller.master_hash, page)
        items = [TokenPaymentItem.of(each, _confirmations(each, terms), terms.confirmations) for each in found.items]
        return Listing(items, found.total)

    def _configured(self) -> tuple[TokenTerms, TokenBook]:
        if self._open is None:
            raise NodeError(
                ErrorCode.BILLING_DISABLED,
                "This node takes no payments in tokens.",
                fix="Pay by card, or ask the node's operator how credit is added.",
                retry_after_s=RETRY_AFTER_S,
            )
        return self._open


def _confirmations(payment: TokenPayment, terms: TokenTerms) -> int | None:
    """Blocks on top of a deposit, its own counted in, as far as they matter; None for one whose block is gone."""
    if payment.status is Status.DROPPED:
        return None
    if payment.status is not Status.PENDING:
        return terms.confirmations
    head = terms.head()
    return None if head is None else max(1, min(terms.confirmations, head - payment.block_number + 1))


def _how_to_pay(caller: Caller) -> HowToPay:
    return HowToPay(
        steps=[
            f"On the token: {APPROVE}, with deposit_contract and the amount in base units.",
            f"On deposit_contract: {DEPOSIT}, with account_hash, the token's address and the same amount.",
        ],
        account_hash=u256_hex(caller.master_hash),
        approve=APPROVE,
        deposit=DEPOSIT,
        abi=ABI,
    )
