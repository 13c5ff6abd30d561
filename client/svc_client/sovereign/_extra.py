"""Imports the extra's packages before other modules; MissingExtra names the command to install."""

import sys

from svc_client.errors import MissingExtra

_limit = sys.getrecursionlimit()
try:
    import eth_account  # noqa: F401 - for what its import does
except ImportError as error:
    raise MissingExtra(
        f"Sovereign mode needs {error.name}: pip install 'svc-client[sovereign]' (from a checkout: pip install"
        " ./verifier './client[sovereign]')."
    ) from None
finally:
    # A library raises the limit to 100,000, and a provider's nested JSON could overflow the stack.
    sys.setrecursionlimit(_limit)
