"""Answers about token payments. Amounts of tokens are base units as decimal strings: they are 256 bits wide."""

from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from node.billing.tokens.prices import TokenPrice
from node.billing.tokens.tables import TokenPayment
from node.ledger.port import MICRODOLLARS_PER_CENT
from node.values import checksum_address

MICRODOLLARS_PER_DOLLAR = 100 * MICRODOLLARS_PER_CENT


def dollars(microdollars: int) -> str:
    """`$2.50`; as many further digits as it takes, six at most."""
    whole, part = divmod(microdollars, MICRODOLLARS_PER_DOLLAR)
    digits = f"{part:06d}".rstrip("0").ljust(2, "0")
    return f"${whole}.{digits}"


def whole_tokens(amount: int, decimals: int) -> str:
    """Format base units as a decimal number of tokens, without trailing zeros."""
    base: int = 10**decimals
    whole, part = divmod(amount, base)
    digits = f"{part:0{decimals}d}".rstrip("0") if decimals else ""
    return f"{whole}.{digits}" if digits else str(whole)


class TokenItem(BaseModel, frozen=True):
    """A token that is taken (EIP-55 address), and what one whole token credits."""

    address: str
    symbol: str
    decimals: int
    microdollars_per_token: int
    price_display: str

    @classmethod
    def of(cls, price: TokenPrice) -> "TokenItem":
        """Of a price in force."""
        return cls(
            address=price.token,
            symbol=price.symbol,
            decimals=price.decimals,
            microdollars_per_token=price.microdollars_per_token,
            price_display=f"{dollars(price.microdollars_per_token)} for 1 {price.symbol}",
        )


class HowToPay(BaseModel, frozen=True):
    """The two transactions of a payment, in order: the first on the token, the second on the deposit contract.

    `account_hash` is the `accountHash` that the caller's own account is paid for by; `abi` describes both functions.
    """

    steps: list[str]
    account_hash: str
    approve: str
    deposit: str
    abi: JsonValue


class TokenConfigAnswer(BaseModel, frozen=True):
    """Contract and tokens that pay for credit. A deposit is credited once it has so many `confirmations`."""

    enabled: Literal[True]
    chain_id: int
    deposit_contract: str
    deposit_contract_abi: str = Field(
        default="/core/v1/get_deposit_contract_abi", description="Path on this node at which the contract's ABI is."
    )
    confirmations: int
    tokens: list[TokenItem]
    how_to_pay: HowToPay


class TokenPaymentItem(BaseModel, frozen=True):
    """A deposit for the account.

    `status`: `pending` (its block may still go), `credited`, `ignored` (for `reason`), `dropped` (its block is gone).
    `confirmations` counts up to `confirmations_needed`; null where nobody knows. Symbol, decimals and price are those it
    was credited at, or those in force while it is pending; null for a token without a price. `seen_at` is unix milliseconds.
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
        """Of a deposit, so many blocks deep."""
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
