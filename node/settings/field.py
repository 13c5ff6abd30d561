"""Declaration of a setting and the constants that bounds share."""

from typing import Final

from attest.settings import Section
from attest.settings import setting as of

__all__ = ["MIB", "OWNER_CHANGE_DELAY_MIN_S", "PREFIX", "WEI_PER_ETHER", "WEI_PER_GWEI", "Section", "of"]

PREFIX: Final = "SVC_"
"""Prefix of environment variables, as in `SVC_HTTP_PORT` for `http_port`."""
MIB: Final = 1024 * 1024
WEI_PER_ETHER: Final = 10**18
WEI_PER_GWEI: Final = 10**9
OWNER_CHANGE_DELAY_MIN_S: Final = 86_400
"""Minimum delay of one day, in which users can notice a scheduled admin payer and convert."""
