"""Settings of prices, payments and usage."""

from typing import Literal

from pydantic import SecretStr

from node.settings.field import Section
from node.settings.field import of as _of


class PriceSettings(Section):
    """Prices."""

    billing: Literal["", "off"] = _of("", "`off`: nothing is charged, and /health says so; empty: credits are kept")
    price_write_cents: int = _of(1, "an API-mode administrative write, in US cents", ge=0)
    price_execution_cents_per_second: int = _of(1, "a started second of an action, in US cents", ge=0)


class UsageSettings(Section):
    """Exports of the usage records."""

    usage_export_max_rows: int = _of(100_000, "maximum charges in one CSV response; more are 400", ge=1)
    usage_exports_per_minute_per_account: int = _of(
        6, "CSV responses to one caller, an account or one of its usage keys; more are 429", ge=1
    )


class ProcessorSettings(Section):
    """The card processor."""

    processor_secret_key: SecretStr = _of(SecretStr(""), "secret key of the card processor; empty: there is none")
    processor_webhook_secret: SecretStr = _of(
        SecretStr(""), "signing secret of its webhook calls; two with a comma while they are exchanged"
    )
    processor_publishable_key: str = _of("", "what a browser needs to pay")
    processor_url: str = _of("https://api.stripe.com", "where the card processor is")
    processor_payment_methods: str = _of("card,crypto", "what a customer may pay with, with commas")
    processor_sweep_s: float = _of(60.0, "pause between two rounds of reconciliation", gt=0)
    # Against card testing, since each new payment tries a possibly stolen card.
    processor_begun_per_minute_per_account: int = _of(10, "create_payment_intent; more are 429", ge=1)
    processor_begun_per_hour_per_address: int = _of(
        30, "create_payment_intent by client address (IPv4, IPv6 /64), of all accounts; more are 429", ge=1
    )


class TokenPaymentSettings(Section):
    """Payments in tokens by the deposit contract."""

    token_deposit_contract: str = _of(
        "", "address of the CreditDeposit contract; empty: no payment in tokens", pattern="^(0x[0-9a-fA-F]{40})?$"
    )
    token_prices: tuple[str, ...] = _of((), "0xTOKEN:symbol:decimals:micro-dollars of a whole token, for each token")
    # Credit is spent at once, so a reorganisation must not undo its deposit.
    token_confirmations: int = _of(30, "blocks until a deposit is credited, its own included", ge=1)
    token_first_block: int = _of(0, "block from which deposits are looked for: the deposit contract's own", ge=0)
    token_poll_s: float = _of(10.0, "maximum time between two looks for deposits", gt=0)
    # 100 million dollars. A larger deposit suggests a wrong price or number of decimals.
    token_max_credit_microdollars: int = _of(10**14, "a deposit worth more is left to the operator", ge=1)
