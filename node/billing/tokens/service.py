"""Token payments of an account. Describes how to pay, and the status of each deposit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, Field, JsonValue

from node.api.calls import Listing
from node.api.errors import ErrorCode, NodeError
from node.billing.tokens.book import Status, TokenBook, TokenPayment
from node.billing.tokens.prices import TokenPrice, TokenPrices
from node.chain.port import Page
from node.ledger.port import MICRODOLLARS_PER_CENT
from node.permissions.grants import Caller
from node.values import checksum_address, u256_hex

MICRODOLLARS_PER_DOLLAR = 100 * MICRODOLLARS_PER_CENT


def dollars(microdollars: int) -> str:
    """Formats an amount like `$2.50`, with up to six decimals as needed."""
    whole, part = divmod(microdollars, MICRODOLLARS_PER_DOLLAR)
    digits = f"{part:06d}".rstrip("0").ljust(2, "0")
    return f"${whole}.{digits}"


def whole_tokens(amount: int, decimals: int) -> str:
    """Formats base units as a decimal number of tokens, without trailing zeros."""
    base: int = 10**decimals
    whole, part = divmod(amount, base)
    digits = f"{part:0{decimals}d}".rstrip("0") if decimals else ""
    return f"{whole}.{digits}" if digits else str(whole)


class TokenItem(BaseModel, frozen=True):
    """An accepted token (EIP-55 address), and the credit for one whole token."""

    address: str
    symbol: str
    decimals: int
    microdollars_per_token: int
    price_display: str

    @classmethod
    def of(cls, price: TokenPrice) -> "TokenItem":
        """Returns the item for a current price."""
        return cls(
            address=price.token,
            symbol=price.symbol,
            decimals=price.decimals,
            microdollars_per_token=price.microdollars_per_token,
            price_display=f"{dollars(price.microdollars_per_token)} for 1 {price.symbol}",
        )


class HowToPay(BaseModel, frozen=True):
    """The two transactions of a payment, first on the token, then on the deposit contract.

    `account_hash` is the `accountHash` of the caller's account. `abi` describes both functions.
    """

    steps: list[str]
    account_hash: str
    approve: str
    deposit: str
    abi: JsonValue


class TokenConfigAnswer(BaseModel, frozen=True):
    """Contract and tokens that pay for credit. A deposit needs this number of `confirmations`."""

    enabled: Literal[True]
    chain_id: int
    deposit_contract: str
    deposit_contract_abi: str = Field(
        default="/core/v1/get_deposit_contract_abi", description="Path on this node at which the contract's ABI is."
    )
    confirmations: int
    tokens: list[TokenItem]
    how_to_pay: HowToPay


EXAMPLE_CONFIG: Final[dict[str, JsonValue]] = {
    "enabled": True, "chain_id": 8453, "deposit_contract": "0xDc64a140Aa3E981100a9becA4E685f962f0cF6C9",
    "deposit_contract_abi": "/core/v1/get_deposit_contract_abi", "confirmations": 12,
    "tokens": [{
        "address": "0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9", "symbol": "LUSD", "decimals": 6,
        "microdollars_per_token": 1000000, "price_display": "$1.00 for 1 LUSD",
    }],
    "how_to_pay": {
        "steps": ["On the token: approve(address,uint256)", "On deposit_contract: deposit(uint256,address,uint256)"],
        "account_hash": "0x36d75f40329b026b52d17c467ef85760b717377e427b7a47e60be7ead27b4559",
        "approve": "approve(address,uint256)", "deposit": "deposit(uint256,address,uint256)", "abi": [],
    },
}  # fmt: skip


class TokenPaymentItem(BaseModel, frozen=True):
    """A deposit for the account. Its `status` is `pending` while its block may still be removed.

    It ends as `credited`, `ignored` (for `reason`) or `dropped` (its block was removed). The count
    of `confirmations` ends at `confirmations_needed`; null if unknown. Symbol, decimals and price
    are current while pending, then fixed; null without a price. `seen_at` is unix milliseconds.
    """

    transaction_hash: str
    log_index: int
    block_number: int
    status: Literal["pending", "credited", "ignored", "dropped"]
    reason: Literal["no_price", "too_small", "too_large", "counted_before"] | None
    confirmations: int | None
    confirmations_needed: int
    payer: str
    token: str
    symbol: str | None
    decimals: int | None
    amount: str
    amount_display: str | None
    microdollars_per_token: int | None
    credited_microdollars: int
    credited_display: str
    seen_at: int

    @classmethod
    def of(cls, payment: TokenPayment, confirmations: int | None, needed: int) -> "TokenPaymentItem":
        """Returns the item for a deposit with this number of confirmations."""
        price = payment.price
        return cls(
            transaction_hash=payment.transaction,
            log_index=payment.log_index,
            block_number=payment.block_number,
            status=payment.status.value,
            reason=None if payment.reason is None else payment.reason.value,
            confirmations=confirmations,
            confirmations_needed=needed,
            payer=checksum_address(payment.payer),
            token=checksum_address(payment.token),
            symbol=None if price is None else price.symbol,
            decimals=None if price is None else price.decimals,
            amount=str(payment.amount),
            amount_display=None if price is None else f"{whole_tokens(payment.amount, price.decimals)} {price.symbol}",
            microdollars_per_token=None if price is None else price.microdollars_per_token,
            credited_microdollars=payment.microdollars,
            credited_display=dollars(payment.microdollars),
            seen_at=payment.seen_at_ms,
        )


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
    """Terms of token payments. `head` returns the number of the chain's newest block, or None."""

    chain_id: int
    deposit_contract: str
    confirmations: int
    prices: TokenPrices
    head: Callable[[], int | None]


class TokenService:
    """Reads deposits from the node's database. Without `terms` the node accepts no tokens."""

    def __init__(self, terms: TokenTerms | None = None, book: TokenBook | None = None) -> None:
        self._open = None if terms is None or book is None else (terms, book)

    async def config(self, caller: Caller) -> TokenConfigAnswer:
        """Returns how to pay for the caller's account. Raises NodeError `billing_disabled`."""
        terms, _ = self._configured()
        return TokenConfigAnswer(
            enabled=True,
            chain_id=terms.chain_id,
            deposit_contract=checksum_address(terms.deposit_contract.lower()),
            confirmations=terms.confirmations,
            tokens=[TokenItem.of(price) for price in terms.prices.by_token.values()],
            how_to_pay=HowToPay(
                steps=[
                    f"On the token: {APPROVE}, with deposit_contract and the amount in base units.",
                    f"On deposit_contract: {DEPOSIT}, with account_hash, the token's address and the same amount.",
                ],
                account_hash=u256_hex(caller.master_hash),
                approve=APPROVE,
                deposit=DEPOSIT,
                abi=ABI,
            ),
        )

    async def payments(self, caller: Caller, page: Page) -> Listing[TokenPaymentItem]:
        """Returns a page of the deposits for the caller's account, oldest first.

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
    """Returns the confirmations of a deposit, its block included, or None if dropped or unknown."""
    if payment.status is Status.DROPPED:
        return None
    if payment.status is not Status.PENDING:
        return terms.confirmations
    head = terms.head()
    # At least 1, since this node's head may be behind that of the node that saw the deposit.
    return None if head is None else max(1, min(terms.confirmations, head - payment.block_number + 1))
