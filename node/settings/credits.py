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

    usage_export_max_rows: int = _of(100_000, "most charges in one answer of CSV; more are 400", ge=1)
    usage_exports_per_minute_per_account: int = _of(
        6, "answers of CSV to one caller, an account or one of its usage keys; more are 429", ge=1
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
    processor_connect_timeout_s: float = _of(5.0, "until a connection is there", gt=0)
    processor_attempt_timeout_s: float = _of(10.0, "one exchange", gt=0)
    processor_call_timeout_s: float = _of(25.0, "one call with its waits and repetitions", gt=0)
    processor_check_timeout_s: float = _of(10.0, "each question of the look at the start", gt=0)
    processor_repetitions: int = _of(2, "how often a call without an answer is repeated at once", ge=0)
    processor_response_max_bytes: int = _of(16 * 1024 * 1024, "largest answer that is read", ge=1024)
    processor_response_max_values: int = _of(500_000, "JSON values in it", ge=1)
    processor_listed_max: int = _of(1_000_000, "most objects one listing gathers", ge=1)
    processor_concurrent_max: int = _of(8, "calls under way at once", ge=1)
    processor_requests_per_second: float = _of(20.0, "of this node; the processor allows 25 in test mode", gt=0)
    processor_too_many_rest_s: float = _of(1.0, "rest after a 429 that names none", gt=0)
    processor_too_many_rest_max_s: float = _of(30.0, "longest rest a 429 can ask for", gt=0)
    processor_failures_to_open: int = _of(5, "failures in a row after which nothing is asked for a while", ge=1)
    processor_open_s: float = _of(10.0, "that while", gt=0)
    processor_failures_to_degrade: int = _of(3, "failures in a row until /health says so", ge=1)
    processor_successes_to_recover: int = _of(2, "answers in a row until it takes that back", ge=1)
    processor_webhook_max_bytes: int = _of(512 * 1024, "largest webhook call; more is 413", ge=1024)
    processor_webhook_tolerance_s: float = _of(300.0, "how old a webhook call's signature may be", gt=0)
    processor_sweep_s: float = _of(60.0, "pause between two rounds of reconciliation", gt=0)
    processor_sweep_overlap_s: float = _of(3600.0, "events so much older than the last round are asked for again", ge=0)
    processor_sweep_claim_s: float = _of(120.0, "how long one node of several keeps a round to itself", gt=0)
    processor_events_kept_s: float = _of(
        29 * 86_400.0, "after a longer absence payments, refunds and disputes are listed too", gt=0
    )
    processor_reversal_open_s: float = _of(
        120 * 86_400.0, "refunds and disputes so much older than that absence are listed with them", ge=0
    )
    processor_key_life_s: float = _of(3600.0, "how long a failed call is repeated with its idempotency key", gt=0)
    processor_key_rest_s: float = _of(300.0, "the end of that time, in which it is not repeated", gt=0)
    processor_sweep_payments: int = _of(100, "unfinished payments asked for in one round", ge=1)
    processor_sweep_reversals: int = _of(100, "refunds of unknown payments asked for in one round", ge=1)
    processor_sweep_customers: int = _of(20, "customers looked at in one round for credit given by hand", ge=1)
    processor_sweep_changed_customers: int = _of(200, "the same of those whose balance changed", ge=1)
    processor_payment_look_max_s: float = _of(86_400.0, "longest pause between two looks at a payment", gt=0)
    processor_payment_look_for_s: float = _of(90 * 86_400.0, "a payment open for so long is no longer asked for", gt=0)
    processor_payment_open_days: int = _of(7, "a payment nobody paid for so many days is canceled and forgotten", ge=2)
    processor_forgotten_payments: int = _of(1_000, "most payments forgotten in one round", ge=1)
    processor_begun_per_minute_per_account: int = _of(10, "create_payment_intent; more are 429", ge=1)
    processor_confirmed_per_minute_per_account: int = _of(
        60, "confirm_payment of what is not credited yet; more are 429", ge=1
    )
    processor_begun_per_hour_per_address: int = _of(
        30, "create_payment_intent by client address (IPv4, IPv6 /64), of all accounts; more are 429", ge=1
    )
    processor_asked_at_once_max: int = _of(64, "both at once, by all accounts; more are 429", ge=1)


class BalanceSyncSettings(Section):
    """Synchronisation of account balances to the card processor."""

    mirror_every_s: float = _of(10.0, "pause between two rounds", gt=0)
    mirror_accounts: int = _of(20_000, "accounts whose balance is compared in one round", ge=1)
    mirror_rows: int = _of(200, "changes taken at a time", ge=1)
    mirror_per_second: float = _of(20.0, "changes told a second", gt=0)
    mirror_lanes: int = _of(4, "changes told at once", ge=1)
    mirror_refused_wait_s: float = _of(3600.0, "how long a change rests that was refused", gt=0)
    mirror_failed_wait_s: float = _of(30.0, "how long a change rests that failed", gt=0)
    mirror_failures: int = _of(4, "failures in a row that end a round", ge=1)


class TokenPaymentSettings(Section):
    """Payments in tokens by the deposit contract."""

    token_deposit_contract: str = _of(
        "", "address of the CreditDeposit contract; empty: no payment in tokens", pattern="^(0x[0-9a-fA-F]{40})?$"
    )
    token_prices: tuple[str, ...] = _of((), "0xTOKEN:symbol:decimals:micro-dollars of a whole token, for each token")
    token_confirmations: int = _of(30, "blocks it takes, its own counted in, until a deposit is credited", ge=1)
    token_first_block: int = _of(0, "block from which deposits are looked for: the deposit contract's own", ge=0)
    token_poll_s: float = _of(10.0, "longest time between two looks", gt=0)
    token_max_credit_microdollars: int = _of(10**14, "a deposit worth more is left to the operator", ge=1)
