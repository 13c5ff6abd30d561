"""Arguments of a client of a development node."""

from typing import TypedDict

from tests.support.verifying import VerifiableNode


class ClientArguments(TypedDict):
    url: str
    app_id: str
    rpc_urls: list[str]
    account_contract: str
    insecure_dev_root: str


def arguments_for(node: VerifiableNode) -> ClientArguments:
    return {
        "url": node.address.origin,
        "app_id": f"0x{node.app_id.hex()}",
        "rpc_urls": [node.chain],
        "account_contract": f"0x{node.account_contract.hex()}",
        "insecure_dev_root": str(node.root),
    }
