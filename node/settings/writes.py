"""Settings of the transactions the node sends."""

from node.settings.field import WEI_PER_ETHER, WEI_PER_GWEI, Section
from node.settings.field import of as _of


class FeeSettings(Section):
    """Gas fees offered for transactions (EIP-1559)."""

    fee_max_fee_cap_wei: int = _of(500 * WEI_PER_GWEI, "most that is ever offered per gas", ge=1)
    fee_priority_fee_min_wei: int = _of(WEI_PER_GWEI // 10_000, "smallest tip per gas", ge=0)


class WriteSettings(FeeSettings):
    """Transactions the node sends: deadlines, resending, gas, fees."""

    write_receipt_timeout_s: float = _of(30.0, "how long a caller waits for a write before 504", gt=0)
    write_replace_after_s: float = _of(30.0, "a higher fee is offered after so long", gt=0)
    write_cancel_after_s: float = _of(600.0, "a write still not on chain is cancelled after so long", gt=0)
    write_stop_timeout_s: float = _of(5.0, "how long a stopping node waits for the writes it sent", gt=0)
    write_gas_limit_max: int = _of(
        3_000_000, "most gas a user's write may take; more is 400 (docs/operators.md: what one cent covers)", ge=600_000
    )


class PayerSettings(Section):
    """The payer accounts that send transactions, and the budget of free writes."""

    free_writes_per_hour_wei: int = _of(
        WEI_PER_ETHER // 50,
        "gas money an hour for writes nobody pays for, half of it for new accounts; more are 429 (docs/operators.md)",
        ge=0,
    )
    payer_count: int = _of(4, "payers of this instance", ge=1, le=64)
    payer_low_balance_wei: int = _of(WEI_PER_ETHER // 5, "below it a payer is topped up by the admin payer", ge=0)
    payer_target_balance_wei: int = _of(
        WEI_PER_ETHER // 2, "what a payer is topped up to; it keeps a tenth of it for writes that are paid for", ge=0
    )
    payer_rebalance_interval_s: float = _of(60.0, "how often payers' balances are read", gt=0)


class ChainWriteSettings(WriteSettings, PayerSettings):
    """All settings of chain writes."""
