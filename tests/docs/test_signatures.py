"""Signatures that the documents show have the types and names of the contracts' ABIs."""

import re
from collections.abc import Mapping, Sequence

import pytest
from pydantic import JsonValue, TypeAdapter

from node.chain.abi import AbiEntry
from node.chain.contract.artifacts import account_contract_abi, deposit_contract_abi
from tests.support.node import REPOSITORY

SHOWN = re.compile(r"\b([a-z]\w+)\(([^()`;]*)\)")
ENTRIES = TypeAdapter(tuple[AbiEntry, ...])
PAGES = ("contract.md", "chain-secured.md", "billing.md", "api.md")


def functions(abi: Sequence[JsonValue]) -> Mapping[str, str]:
    """Each function's inputs as `type name, type name`."""
    entries = ENTRIES.validate_python(abi)
    inputs = {
        entry.name: [f"{each.type} {each.name}" for each in entry.inputs]
        for entry in entries
        if entry.type == "function"
    }
    return {name: ", ".join(each) for name, each in inputs.items()}


@pytest.mark.parametrize("page", PAGES)
def test_typed_signatures_are_those_of_the_abi(page: str) -> None:
    known = {**functions(deposit_contract_abi()), **functions(account_contract_abi())}
    text = (REPOSITORY / "docs" / page).read_text()
    typed = [
        (name, " ".join(shown.split()))
        for name, shown in SHOWN.findall(text)
        if re.match(r"\s*(u?int|address|string|bytes)", shown)
    ]
    typed = [(name, shown) for name, shown in typed if name in known]
    assert typed
    for name, shown in typed:
        assert shown == known[name], name


def test_every_function_of_an_account_is_shown_with_its_types() -> None:
    text = (REPOSITORY / "docs" / "contract.md").read_text()
    shown = {
        name for block in re.findall(r"```solidity\n(.*?)```", text, re.DOTALL) for name, _ in SHOWN.findall(block)
    }
    hashes = ("uint256 accountHash", "uint256 apiKeyHash", "uint256 hash", "uint256 key")
    of_accounts = {name for name, inputs in functions(account_contract_abi()).items() if inputs.startswith(hashes)}
    assert of_accounts <= shown
    assert shown <= functions(account_contract_abi()).keys()
