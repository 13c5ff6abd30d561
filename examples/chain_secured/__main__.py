"""Runs the reference flow of ChainSecured accounts against a development node (`make run`).

.venv/bin/python examples/chain_secured [--first wallet] [--second multisig]
    [--node https://localhost:8443] [--chain http://127.0.0.1:8545] [--trust FILE]
"""

import argparse
from pathlib import Path
from typing import Any

from administrators import ADMINISTRATORS
from chain import Chain, RevertedError
from flow import run
from service import Service

from svc_client import Client, SvcError

APP_ID = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
ACCOUNT_CONTRACT = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0"
"""The application and the account contract of every `make run`."""


def main() -> None:
    """Parse the arguments, make the two administrators, and go."""
    parser = argparse.ArgumentParser(
        description="A ChainSecured account, from its opening to its second administrator."
    )
    parser.add_argument("--node", default="https://localhost:8443", help="the node")
    parser.add_argument("--chain", default="http://127.0.0.1:8545", help="JSON-RPC provider of the node's chain")
    parser.add_argument(
        "--trust", type=Path, help="trust file of svc-verify init; without it a node of make run is expected"
    )
    parser.add_argument(
        "--dev-root", type=Path, default=".data/tee-simulator/root.pem", help="the root that make run prints"
    )
    parser.add_argument("--first", choices=ADMINISTRATORS, default="wallet", help="who opens the account")
    parser.add_argument("--second", choices=ADMINISTRATORS, default="multisig", help="to whom it is transferred")
    arguments = parser.parse_args()
    try:
        _go(arguments)
    except (SvcError, RevertedError) as refused:
        raise SystemExit(f"refused: {refused}") from None
    except OSError as silent:
        raise SystemExit(f"{arguments.chain} does not answer: {silent}") from None


def _go(arguments: argparse.Namespace) -> None:
    trusted: dict[str, Any] = {"trust": arguments.trust}
    if arguments.trust is None:
        trusted = {"app_id": APP_ID, "account_contract": ACCOUNT_CONTRACT, "rpc_urls": [arguments.chain]}
        trusted["insecure_dev_root"] = arguments.dev_root
    with Client(arguments.node, **trusted) as svc:
        config = svc.node.chain()
    chain = Chain(arguments.chain, config.contract_address)
    if chain.chain_id != config.chain_id:
        raise SystemExit(f"{arguments.chain} is chain {chain.chain_id}; the node's is {config.chain_id}")
    with Service(arguments.node, chain.chain_id, trusted) as service:
        run(service, chain, ADMINISTRATORS[arguments.first](chain), ADMINISTRATORS[arguments.second](chain))


if __name__ == "__main__":
    main()
