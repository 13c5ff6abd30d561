"""Which events speak of an account: by construction from the ABI, so that a new one cannot be forgotten."""

from node.chain.abi import ContractAbi


def account_event_topics(abi: ContractAbi) -> frozenset[str]:
    """The first topics (0x hex) of all events whose first input is an indexed uint256: the account's master hash."""
    return frozenset(
        "0x" + topic.hex()
        for name, topic in abi.events.items()
        if (first := abi.event_inputs[name][:1]) and first[0].indexed and first[0].type == "uint256"
    )
