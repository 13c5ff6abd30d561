"""Copies the account contract's ABI into the client: `python -m tools.client_abi [--check]`."""

import json
import sys
from pathlib import Path
from typing import Final

ARTIFACT: Final = Path("node/chain/contract/AccountConfig.json")
COPY: Final = Path("client/svc_client/sovereign/account_contract.json")


def main() -> None:
    """Write the copy, or with `--check` end with status 1 where it differs."""
    abi = json.loads(ARTIFACT.read_text(encoding="utf-8"))["abi"]
    text = json.dumps({"abi": abi}, separators=(",", ":")) + "\n"
    if "--check" in sys.argv[1:]:
        same = COPY.read_text(encoding="utf-8") == text
        sys.exit(0 if same else f"{COPY} is not of {ARTIFACT}: run make contract")
    COPY.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
