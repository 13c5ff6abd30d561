"""Token payments on the local chain, with a token and its deposit contract."""

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from eth_abi.abi import encode

from devkit.local_chain import FUNDED_KEYS
from devkit.records import write_record
from devkit.settings import DevelopmentSettings
from node.chain.contract.artifacts import deposit_creation_code
from node.chain.deployment import (
    DepositOptions,
    deploy_contract,
    deploy_deposit_contract,
    has_code,
)
from node.chain.rpc import JsonRpc
from node.keyring.signing_key import key_from_hex

RECORD: Final = "tokens.json"
"""File of the record in the data directory."""

SYMBOL: Final = "LUSD"
DECIMALS: Final = 6
MICRODOLLARS_PER_TOKEN: Final = 1_000_000
SUPPLY_OF_EACH: Final = 1_000_000 * 10**DECIMALS
"""Initial balance of each development account of the local chain, in base units."""


@dataclass(frozen=True, slots=True)
class DevelopmentTokens:
    """Addresses (EIP-55) of the local dollar, its deposit contract and the account contract."""

    token: str
    deposit_contract: str
    account_contract: str
    creation_code_sha256: str

    @property
    def price(self) -> str:
        """The entry of `token_prices`, in which a local dollar is a dollar."""
        return f"{self.token}:{SYMBOL}:{DECIMALS}:{MICRODOLLARS_PER_TOKEN}"

    def announcement(self) -> list[str]:
        """Returns the lines for the start with contracts and how to pay."""
        return [
            f"token-deposit-contract {self.deposit_contract}",
            f"token {self.token} ({SYMBOL}: 1 = $1; anybody may mint, the development accounts hold 1,000,000 each)",
            "pay with tokens: examples/token_payment.py",
        ]


async def development_tokens(
    rpc: JsonRpc, settings: DevelopmentSettings
) -> tuple[DevelopmentSettings, DevelopmentTokens | None]:
    """Returns settings with the local deposit contract and its token's price, and the contracts.

    None and unchanged settings if nothing is charged or the settings name a contract. Raises
    StartupRefusedError and errors of the deployment.
    """
    if settings.billing == "off" or settings.token_deposit_contract:
        return settings, None
    made = await deployed_tokens(rpc, settings.data_dir / RECORD, settings.contract_address)
    told = {"token_deposit_contract": made.deposit_contract, "token_prices": (made.price,)}
    return settings.model_copy(update=told), made


async def deployed_tokens(rpc: JsonRpc, record: Path, account_contract: str) -> DevelopmentTokens:
    """Returns the contracts that `record` names, or new ones if the chain or sources differ.

    Credited payments stay credited with any contract. The owner and treasury are the local chain's
    first development account. Raises errors of the deployment.
    """
    version = hashlib.sha256((_token_code() + deposit_creation_code()).encode()).hexdigest()
    known = DevelopmentTokens(**json.loads(record.read_text())) if record.exists() else None
    if known is not None and await _stands(rpc, known, account_contract, version):
        return known
    owner = key_from_hex(FUNDED_KEYS[0])
    holders = [key_from_hex(key).address for key in FUNDED_KEYS]
    token = await deploy_contract(
        rpc, owner, _token_code() + encode(["address[]", "uint256"], [holders, SUPPLY_OF_EACH]).hex()
    )
    options = DepositOptions(owner.address, account_contract, owner.address, [token])
    contract = await deploy_deposit_contract(rpc, owner, options)
    made = DevelopmentTokens(token, contract, account_contract, version)
    write_record(record, asdict(made))
    return made


async def _stands(rpc: JsonRpc, known: DevelopmentTokens, account_contract: str, version: str) -> bool:
    """Whether both are on the chain, for this account contract and of these sources."""
    # The deposit contract is bound to one account contract, whose accounts its deposits name.
    if known.account_contract != account_contract or known.creation_code_sha256 != version:
        return False
    return await has_code(rpc, known.token) and await has_code(rpc, known.deposit_contract)


def _token_code() -> str:
    artifact = resources.files("devkit.token").joinpath("token.json").read_bytes()
    return str(json.loads(artifact)["bytecode"])
