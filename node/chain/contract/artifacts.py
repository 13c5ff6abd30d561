"""Committed artifacts of the contracts: ABI, creation code, deployment identity, and bounds.

Two hashes identify a deployment of the account contract.

`code_hash` is keccak256 of the runtime code with all immutables set to zero. Immutables differ
between deployments; solc gives their places in the artifact's `immutableReferences`.
`views_code_hash` is the same of the views module, whose address is one of them.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from node.values import keccak256

_ACCOUNT_CONTRACT: Final = ("node.chain.contract", "AccountConfig.json")
_DEPOSIT_CONTRACT: Final = ("node.chain.deposits.contract", "CreditDeposit.json")


class CodePlace(BaseModel, frozen=True):
    """Place of an immutable in the runtime code, in bytes."""

    start: int
    length: int


class ContractArtifact(BaseModel):
    """Part of the committed artifact that identifies a deployment."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel)

    deployed_bytecode: str = Field(pattern="^0x([0-9a-f]{2})+$")
    immutable_references: dict[str, tuple[CodePlace, ...]]
    views_deployed_bytecode: str = Field(pattern="^0x([0-9a-f]{2})+$")

    @property
    def immutables(self) -> tuple[CodePlace, ...]:
        """Places of every immutable, over all syntax-tree nodes by which solc lists them."""
        return tuple(place for places in self.immutable_references.values() for place in places)


@dataclass(frozen=True, slots=True)
class ContractIdentity:
    """Published identity of the account contract; each hash is 0x and 64 lower-case hex digits."""

    code_hash: str
    views_code_hash: str


@functools.cache
def account_contract_artifact() -> ContractArtifact:
    """Returns the identifying part of the account contract's artifact."""
    return ContractArtifact.model_validate(_artifact(_ACCOUNT_CONTRACT))


def code_hash(code: bytes, immutables: Sequence[CodePlace]) -> str:
    """Returns keccak256 of runtime code of any length, with zeroed immutables, as 0x hex."""
    masked = bytearray(code)
    for place in immutables:
        # The code may be another contract's, and shorter than ours.
        end = min(place.start + place.length, len(masked))
        masked[place.start : end] = bytes(max(0, end - place.start))
    return "0x" + keccak256(bytes(masked)).hex()


def contract_code_hash(code: bytes) -> str:
    """Returns the `code_hash` of the code at an address, by the places of the artifact."""
    return code_hash(code, account_contract_artifact().immutables)


def immutables_agree(code: bytes) -> bool:
    """Whether each immutable holds one value at all of its places in the runtime code.

    A constructor writes one value. Code written by hand may let the getter return another value
    than the one that is delegated to, or compared.
    """
    references = account_contract_artifact().immutable_references.values()
    return all(len({code[each.start : each.start + each.length] for each in places}) == 1 for places in references)


def views_code_hash(code: bytes) -> str:
    """Returns the `views_code_hash` of the code at an address, which has no immutables."""
    return code_hash(code, ())


@functools.cache
def published_identity() -> ContractIdentity:
    """Returns the identity of the committed artifact."""
    artifact = account_contract_artifact()
    return ContractIdentity(
        contract_code_hash(bytes.fromhex(artifact.deployed_bytecode[2:])),
        views_code_hash(bytes.fromhex(artifact.views_deployed_bytecode[2:])),
    )


@functools.cache
def account_contract_abi() -> Sequence[JsonValue]:
    """Returns the account contract's ABI."""
    return _abi(_ACCOUNT_CONTRACT)


@functools.cache
def deposit_contract_abi() -> Sequence[JsonValue]:
    """Returns the deposit contract's ABI."""
    return _abi(_DEPOSIT_CONTRACT)


def account_creation_code() -> str:
    """Returns the account contract's creation code, 0x hex, without constructor arguments."""
    return str(_artifact(_ACCOUNT_CONTRACT)["bytecode"])


def deposit_creation_code() -> str:
    """Returns the deposit contract's creation code, 0x hex, without constructor arguments."""
    return str(_artifact(_DEPOSIT_CONTRACT)["bytecode"])


def _abi(place: tuple[str, str]) -> Sequence[JsonValue]:
    abi: list[JsonValue] = _artifact(place)["abi"]
    return abi


def _artifact(place: tuple[str, str]) -> dict[str, Any]:
    package, name = place
    artifact: dict[str, Any] = json.loads(resources.files(package).joinpath(name).read_bytes())
    return artifact


GROUPS_MAX_PER_ACCOUNT: Final = 512
"""A bound that the contract enforces (docs/contract.md, "Bounds"), which a test reads back. The
worst decision over this many groups takes 8.7 M gas; geth computes an eth_call of 50 M."""

GROUPS_RESERVED_FOR_ACCOUNT_KEY: Final = 64
"""Of them, those that no usage key can add."""
