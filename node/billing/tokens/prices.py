"""Fixed prices of tokens. Values are rounded down to whole micro-dollars. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from node.errors import StartupRefusedError
from node.values import checksum_address

ENTRY: Final = re.compile(r"(0x[0-9a-fA-F]{40}):([A-Za-z0-9.+_-]{1,16}):([0-9]{1,2}):([0-9]{1,18})")
DECIMALS_MAX: Final = 77
"""Maximum decimals. 10**77 is the largest power of ten that fits 256 bits."""
SETTING: Final = "token_prices"


class Ignored(StrEnum):
    """Reason why a deposit credits nothing, shown to its account."""

    NO_PRICE = "no_price"
    """This node has no price for the token."""
    TOO_SMALL = "too_small"
    """Its value is below a micro-dollar."""
    TOO_LARGE = "too_large"
    """Its value is above what one deposit may credit without the operator."""
    COUNTED_BEFORE = "counted_before"
    """The transaction was credited in another block, before a deep reorganisation."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Price in micro-dollars for one whole token (EIP-55 address), 10**decimals base units."""

    token: str
    symbol: str
    decimals: int
    microdollars_per_token: int

    def microdollars(self, amount: int) -> int:
        """Returns the value of `amount` base units, rounded down."""
        base_units: int = 10**self.decimals
        # Exact integers, so this is the only rounding, of less than a micro-dollar.
        return amount * self.microdollars_per_token // base_units


@dataclass(frozen=True, slots=True)
class Quote:
    """Credit of a deposit, and its price."""

    microdollars: int
    price: TokenPrice


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """Current prices by token, lower-case 0x hex, and the maximum credit of a deposit."""

    by_token: Mapping[str, TokenPrice]
    max_credit_microdollars: int

    @classmethod
    def of(cls, entries: Iterable[str], max_credit_microdollars: int) -> "TokenPrices":
        """Returns the prices of entries `0xTOKEN:symbol:decimals:microdollars_per_token`.

        Raises StartupRefusedError (`token_prices`) for a malformed, free or repeated one.
        """
        by_token: dict[str, TokenPrice] = {}
        for entry in entries:
            price = _price(entry)
            if price.token.lower() in by_token:
                raise StartupRefusedError(SETTING, f"{price.token} has two prices.")
            by_token[price.token.lower()] = price
        return cls(by_token, max_credit_microdollars)

    def quote(self, token: str, amount: int) -> Quote | Ignored:
        """Returns the credit of `amount` base units of `token` (0x hex), or why it has none."""
        price = self.by_token.get(token.lower())
        if price is None:
            return Ignored.NO_PRICE
        microdollars = price.microdollars(amount)
        if microdollars == 0:
            return Ignored.TOO_SMALL
        if microdollars > self.max_credit_microdollars:
            return Ignored.TOO_LARGE
        return Quote(microdollars, price)


def _price(entry: str) -> TokenPrice:
    parts = ENTRY.fullmatch(entry)
    if parts is None:
        raise StartupRefusedError(SETTING, "each entry reads 0xTOKEN:symbol:decimals:microdollars_per_token.")
    token, symbol, decimals, microdollars = parts[1], parts[2], int(parts[3]), int(parts[4])
    # A price under a mistyped address would give another token a value.
    if token not in {token.lower(), checksum_address(token.lower())}:
        raise StartupRefusedError(SETTING, f"{token} has a slip in it: its capitals do not fit (EIP-55).")
    if decimals > DECIMALS_MAX or microdollars == 0:
        raise StartupRefusedError(SETTING, f"{symbol} needs 0 to {DECIMALS_MAX} decimals and a price above zero.")
    return TokenPrice(checksum_address(token.lower()), symbol, decimals, microdollars)
