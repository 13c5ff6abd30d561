"""How much is read and waited for: the files come from operators, the answers from endpoints nobody vouches for."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ComposeLimits:
    """Sizes are bytes, times seconds."""

    app_compose_bytes: int = 1_048_576
    """As much as the verifier reads of one."""
    settings_bytes: int = 65_536
    """An argument of a program may have 128 KiB on Linux."""
    telemetry_config_bytes: int = 32_768
    key_file_bytes: int = 4_096
    receipt_timeout_s: float = 180.0
    """How long a sent transaction may take to be mined; then it is said, and not sent again."""
    receipt_poll_s: float = 0.5
    effect_timeout_s: float = 60.0
    """How long the endpoints may take to show what a mined transaction did; then it is said that they do not."""
    head_max_age_s: int = 3_600
    """A newest block that is older says nothing of now; as the verifier takes it."""
    gas_margin_percent: int = 30
    """Added to what the endpoint estimates."""
    fee_per_gas_max_wei: int = 500 * 10**9
    """No more is ever offered for a unit of gas, whatever an endpoint suggests."""


DEFAULT_LIMITS: Final = ComposeLimits()
