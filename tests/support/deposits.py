"""Token payments on a local chain: the deposit contract, tokens honest and hostile, and whoever pays."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.account_chain import AccountChain
from tests.support.contract import GAS_LIMIT, REPOSITORY, Revert, Rpc, address_of, canonical, named, signature


def _artifact(*path: str) -> Any:
    return json.loads(REPOSITORY.joinpath(*path).read_text(encoding="utf-8"))


CREDIT_DEPOSIT: Final = _artifact("node", "chain", "deposits", "contract", "CreditDeposit.json")
LOCAL_DOLLAR: Final = _artifact("devkit", "token", "token.json")
TOKENS: Final = json.loads((Path(__file__).parent / "tokens" / "tokens.json").read_text())["contracts"]
DEPOSITED: Final = "0x" + keccak(b"CreditDeposited(uint256,address,address,uint256)").hex()
TREASURY: Final = address_of("treasury")
PLENTY: Final = 10**30


@dataclass(frozen=True)
class Deployed:
    """A contract by its ABI alone; whoever sends is unlocked at anvil."""

    rpc: Rpc
    address: str
    abi: Any

    def data(self, function: str, *arguments: object) -> str:
        """Calldata, 0x hex."""
        entry = self._entry(function)
        types = [canonical(each) for each in entry["inputs"]]
        return "0x" + (keccak(signature(entry).encode())[:4] + encode(types, arguments)).hex()

    async def call(self, function: str, *arguments: object, sender: str | None = None) -> Any:
        """Run without a transaction; raises Revert with the contract's own error."""
        asked = {"to": self.address, "data": self.data(function, *arguments), "gas": hex(GAS_LIMIT)}
        asked |= {"from": sender} if sender else {}
        answer = await self._asked("eth_call", asked, "latest")
        outputs = self._entry(function)["outputs"]
        values = decode([canonical(each) for each in outputs], bytes.fromhex(answer[2:]))
        shown = [named(entry, value) for entry, value in zip(outputs, values, strict=True)]
        return shown[0] if len(shown) == 1 else shown

    async def send(self, sender: str, function: str, *arguments: object, value: int = 0) -> Any:
        """Send and wait; the receipt. Raises Revert when it would fail."""
        asked = {"from": sender, "to": self.address, "data": self.data(function, *arguments), "gas": hex(GAS_LIMIT)}
        asked |= {"value": hex(value)} if value else {}
        await self._asked("eth_call", asked, "latest")
        receipt = await self.rpc.ask("eth_sendTransactionSync", asked)
        assert receipt["status"] == "0x1"
        return receipt

    async def _asked(self, method: str, *parameters: object) -> Any:
        try:
            return await self.rpc.ask(method, *parameters)
        except Revert as refused:
            raise self._named(refused) from None

    def _named(self, refused: Revert) -> Revert:
        """By this contract's own errors, where the account contract's know it not."""
        if refused.name != "unknown":
            return refused
        data = bytes.fromhex(refused.arguments[0])
        for entry in self.abi:
            if entry["type"] == "error" and keccak(signature(entry).encode())[:4] == data[:4]:
                values = decode([canonical(each) for each in entry["inputs"]], data[4:])
                return Revert(entry["name"], tuple(named(e, v) for e, v in zip(entry["inputs"], values, strict=True)))
        return refused

    def _entry(self, function: str) -> Any:
        return next(each for each in self.abi if each["type"] == "function" and each["name"] == function)


async def deploy(rpc: Rpc, sender: str, artifact: Any, *arguments: object) -> Deployed:
    """A new contract of an artifact; raises Revert when its constructor refuses."""
    constructors = [entry for entry in artifact["abi"] if entry["type"] == "constructor"]
    types = [canonical(each) for entry in constructors for each in entry["inputs"]]
    asked = {"from": sender, "data": artifact["bytecode"] + encode(types, arguments).hex(), "gas": hex(GAS_LIMIT)}
    unplaced = Deployed(rpc, "", artifact["abi"])
    await unplaced._asked("eth_call", asked, "latest")
    receipt = await rpc.ask("eth_sendTransactionSync", asked)
    assert receipt["status"] == "0x1"
    return Deployed(rpc, str(to_checksum_address(receipt["contractAddress"])), artifact["abi"])


@dataclass(frozen=True)
class Payments:
    """A deposit contract that takes `token` (six decimals), of which `payer` has plenty and lets it have all."""

    chain: AccountChain
    contract: Deployed
    token: Deployed
    payer: str

    async def pay(self, account: int, amount: int, token: Deployed | None = None) -> Any:
        """One payment; its receipt."""
        return await self.contract.send(self.payer, "deposit", account, (token or self.token).address, amount)

    async def funded(self, token: Deployed, *, accepted: bool = True) -> Deployed:
        """Another token, of which the payer has plenty and lets the contract have all."""
        await token.send(self.payer, "mint", self.payer, PLENTY)
        await token.send(self.payer, "approve", self.contract.address, PLENTY)
        if accepted:
            await self.contract.send(self.chain.owner, "acceptToken", token.address)
        return token

    async def hostile(self, decimals: int = 6) -> Deployed:
        """A fresh token that does what it is told."""
        return await self.funded(await deploy(self.chain.rpc, self.chain.owner, TOKENS["HostileToken"], decimals))

    async def account(self, label: str) -> int:
        """A managed account; its master hash."""
        account = int.from_bytes(keccak(label.encode()))
        await self.chain.write("createManagedAccount", account, label, "", address_of(f"wallet of {label}"), 1)
        return account


async def payments_on(chain: AccountChain) -> Payments:
    """Deployed on this chain, with the local dollar accepted."""
    rpc, owner, payer = chain.rpc, chain.owner, str(to_checksum_address(chain.stranger))
    contract = await deploy(rpc, owner, CREDIT_DEPOSIT, owner, chain.contract.address, TREASURY, [])
    made = Payments(chain, contract, await deploy(rpc, owner, LOCAL_DOLLAR, [owner], 0), payer)
    await made.funded(made.token)
    return made


def deposited(receipt: Any) -> list[tuple[int, str, str, int]]:
    """(account hash, payer, token, amount) of every CreditDeposited event of a receipt."""
    return [
        (
            int(log["topics"][1], 16),
            to_checksum_address("0x" + log["topics"][2][-40:]),
            to_checksum_address("0x" + log["topics"][3][-40:]),
            int(log["data"], 16),
        )
        for log in receipt["logs"]
        if log["topics"][0] == DEPOSITED
    ]
