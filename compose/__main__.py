"""`python -m compose`, and the script `svc-compose`."""

import importlib.util
import sys


def main() -> None:
    """Run it; where the verifier is not installed, say so."""
    if importlib.util.find_spec("svc_verifier") is None or importlib.util.find_spec("yaml") is None:
        sys.exit("svc-compose: it reads files with the verifier's readers: install svc-verifier beside it.")
    from compose.cli import main as run  # noqa: PLC0415 - imports the verifier

    run()


if __name__ == "__main__":
    main()
