"""How a setting is declared: its unit in its name, its default, its meaning, its bounds."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

PREFIX: Final = "SVC_"
"""Begins the environment variable of a setting: `SVC_HTTP_PORT` for `http_port`."""
MIB: Final = 1024 * 1024
WEI_PER_ETHER: Final = 10**18
WEI_PER_GWEI: Final = 10**9
OWNER_CHANGE_DELAY_MIN_S: Final = 86_400
"""A day: what users need to see that another admin payer is scheduled, and to convert their accounts."""


class Section(BaseModel):
    """The settings of one component, immutable. A wrong value is named in the error, never shown: it may be a secret."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def of(default: Any, meaning: str, **bounds: Any) -> Any:
    """Declare a setting with its default, meaning and bounds."""
    return Field(default=default, description=meaning, **bounds)
