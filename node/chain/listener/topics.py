"""Which events speak of an account: by construction from the ABI, so that a new one cannot be forgotten."""

from node.chain.abi import ContractAbi
from node.chain.abi.types import account_of


def account_event_topics(abi: ContractAbi) -> frozenset[str]:
    """The first topics (0x hex) of all events that name an account."""
    return frozenset(
        "0x" + topic.hex() for name, topic in abi.events.items() if account_of(abi.event_inputs[name]) is not None
    )
