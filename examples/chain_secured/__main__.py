"""Runs the reference flow of ChainSecured accounts against a development node (`make run`).

.venv/bin/python examples/chain_secured [--first wallet] [--second multisig]
    [--api http://127.0.0.1:8000/core/v1] [--chain http://127.0.0.1:8545]
"""

import argparse

from administrators import ADMINISTRATORS
from chain import Chain, RevertedError
from flow import run
from service import RefusedError, Service


def main() -> None:
    """Parse the arguments, make the two administrators, and go."""
    parser = argparse.ArgumentParser(
        description="A ChainSecured account, from its opening to its second administrator."
    )
    parser.add_argument(
        "--api", default="http://127.0.0.1:8000/core/v1", help="the node's API, with /core/v1 at its end"
    )
    parser.add_argument("--chain", default="http://127.0.0.1:8545", help="JSON-RPC of the node's chain")
    parser.add_argument("--first", choices=ADMINISTRATORS, default="wallet", help="who opens the account")
    parser.add_argument("--second", choices=ADMINISTRATORS, default="multisig", help="to whom it is handed on")
    arguments = parser.parse_args()
    try:
        _go(arguments)
    except (RefusedError, RevertedError) as refused:
        raise SystemExit(f"refused: {refused}") from None
    except OSError as silent:
        raise SystemExit(f"{arguments.api} or {arguments.chain} does not answer: {silent}") from None


def _go(arguments: argparse.Namespace) -> None:
    service = Service(arguments.api)
    config = service.get("get_node_chain_config")
    chain = Chain(arguments.chain, config["contract_address"])
    if chain.chain_id != config["chain_id"]:
        raise SystemExit(f"{arguments.chain} is chain {chain.chain_id}; the node's is {config['chain_id']}")
    run(service, chain, ADMINISTRATORS[arguments.first](chain), ADMINISTRATORS[arguments.second](chain))


if __name__ == "__main__":
    main()
