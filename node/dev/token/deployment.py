"""Token payments on the local chain: a token, and the deposit contract that takes it; deployed once to a data directory."""

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from eth_abi.abi import encode
from pydantic import JsonValue

from node.chain.deploying import deploy_contract, has_code
from node.chain.deposits.logs import credit_deposit_abi
from node.chain.rpc import JsonRpc, RpcCall, RpcError, eth_call_of
from node.dev.local_chain import FUNDED_KEYS
from node.dev.records import write_record
from node.dev.settings import DevelopmentSettings
from node.errors import StartupRefusedError
from node.keyring.signing_key import key_from_hex

RECORD: Final = "tokens.json"
"""In the data directory."""

SYMBOL: Final = "LUSD"
DECIMALS: Final = 6
MICRODOLLARS_PER_TOKEN: Final = 1_000_000
SUPPLY_OF_EACH: Final = 1_000_000 * 10**DECIMALS
"""What each of the local chain's development accounts begins with, in base units."""
CALL_GAS: Final = 1_000_000
"""More than the owner's call takes."""


@dataclass(frozen=True, slots=True)
class DevelopmentTokens:
    """Addresses, EIP-55: the local dollar, the contract that takes it, and the account contract it is for."""

    token: str
    deposit_contract: str
    account_contract: str
    creation_code_sha256: str

    @property
    def price(self) -> str:
        """The entry of `token_prices`: a local dollar is a dollar."""
        return f"{self.token}:{SYMBOL}:{DECIMALS}:{MICRODOLLARS_PER_TOKEN}"

    def announcement(self) -> list[str]:
        """What to say at the start: where, and how to pay."""
        return [
            f"token-deposit-contract {self.deposit_contract}",
            f"token {self.token} ({SYMBOL}: 1 = $1; anybody may mint, the development accounts hold 1,000,000 each)",
            "pay with tokens: examples/token_payment.py",
        ]


async def development_tokens(
    rpc: JsonRpc, settings: DevelopmentSettings
) -> tuple[DevelopmentSettings, DevelopmentTokens | None]:
    """The settings with a deposit contract of the local chain and the price of its token, and those.

    None, and the settings as they are, where nothing is charged or they name a contract themselves. Raises
    StartupRefusedError as deploying does.
    """
    if settings.billing == "off" or settings.token_deposit_contract:
        return settings, None
    made = await deployed_tokens(rpc, settings.data_dir / RECORD, settings.contract_address)
    told = {"token_deposit_contract": made.deposit_contract, "token_prices": (made.price,)}
    return settings.model_copy(update=told), made


async def deployed_tokens(rpc: JsonRpc, record: Path, account_contract: str) -> DevelopmentTokens:
    """Those that `record` names, or new ones where the chain does not have them (yet, or any more), or of other sources.

    Payments that were credited stay so whichever contract took them. The owner and treasury are the local chain's
    first development account. Raises StartupRefusedError as deploying does.
    """
    version = hashlib.sha256((_code("node.dev.token", "token") + _deposit_code()).encode()).hexdigest()
    known = DevelopmentTokens(**json.loads(record.read_text())) if record.exists() else None
    if known is not None and await _stands(rpc, known, account_contract, version):
        return known
    owner = key_from_hex(FUNDED_KEYS[0])
    holders = [key_from_hex(key).address for key in FUNDED_KEYS]
    token = await deploy_contract(
        rpc, owner, _code("node.dev.token", "token") + encode(["address[]", "uint256"], [holders, SUPPLY_OF_EACH]).hex()
    )
    arguments = encode(["address"] * 3, [owner.address, account_contract, owner.address]).hex()
    contract = await deploy_contract(rpc, owner, _deposit_code() + arguments)
    made = DevelopmentTokens(token, contract, account_contract, version)
    await _accept(rpc, owner.address, made)
    write_record(record, asdict(made))
    return made


async def _stands(rpc: JsonRpc, known: DevelopmentTokens, account_contract: str, version: str) -> bool:
    """Whether both are on the chain, for this account contract, of these sources, and the one takes the other."""
    if known.account_contract != account_contract or known.creation_code_sha256 != version:
        return False
    if not (await has_code(rpc, known.token) and await has_code(rpc, known.deposit_contract)):
        return False
    data = credit_deposit_abi().encode_call("acceptedTokens", (known.token,))
    call = eth_call_of(known.deposit_contract, data)
    return await _asked(rpc, call) == "0x" + (1).to_bytes(32).hex()


async def _accept(rpc: JsonRpc, owner: str, made: DevelopmentTokens) -> None:
    """The owner is one of anvil's own accounts, so anvil signs."""
    data = credit_deposit_abi().encode_call("acceptToken", (made.token,))
    transaction: dict[str, JsonValue] = {
        "from": owner,
        "to": made.deposit_contract,
        "data": "0x" + data.hex(),
        "gas": hex(CALL_GAS),
    }
    receipt = await _asked(rpc, RpcCall("eth_sendTransactionSync", [transaction]))
    if not isinstance(receipt, dict) or receipt.get("status") != "0x1":
        raise StartupRefusedError("dev_chain_port", "the local chain's token was not accepted by the deposit contract.")


async def _asked(rpc: JsonRpc, call: RpcCall) -> JsonValue:
    try:
        return await rpc.call(call.method, call.params)
    except RpcError as error:
        raise StartupRefusedError("dev_chain_port", f"the deposit contract could not be made: {error}") from None


def _deposit_code() -> str:
    return _code("node.chain.deposits.contract", "CreditDeposit")


def _code(package: str, name: str) -> str:
    """The creation code of a committed artifact."""
    return str(json.loads(resources.files(package).joinpath(f"{name}.json").read_bytes())["bytecode"])
