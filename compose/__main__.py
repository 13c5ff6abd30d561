"""`python -m compose`, and the script `svc-compose`."""

import importlib.util
import sys


def main() -> None:
    """Runs svc-compose, or exits with a message if verifier or client are not installed."""
    if not all(map(importlib.util.find_spec, ("svc_verifier", "svc_client", "yaml"))):
        sys.exit(
            "svc-compose: it reads files as the verifier does, and the chain as the client does:"
            " install svc-verifier and svc-client beside it."
        )
    from compose.cli import main as run  # noqa: PLC0415 - imports both

    run()


if __name__ == "__main__":
    main()
