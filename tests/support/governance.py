"""The governance contracts on a local chain, spoken to with nothing but their ABI."""

import json
from dataclasses import dataclass
from typing import Any

from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from tests.support.contract import REPOSITORY, Revert, Rpc, canonical, named, signature

ARTIFACT_FILE = REPOSITORY / "devkit" / "governance" / "governance.json"
ARTIFACT: dict[str, Any] = json.loads(ARTIFACT_FILE.read_text())
CONTRACTS: dict[str, Any] = ARTIFACT["contracts"]


@dataclass(frozen=True)
class Deployed:
    """One of them; any address may send, with anvil impersonating it."""

    rpc: Rpc
    name: str
    address: str

    def _entry(self, kind: str, name: str) -> dict[str, Any]:
        return next(e for e in CONTRACTS[self.name]["abi"] if e["type"] == kind and e.get("name") == name)

    def calldata(self, function: str, *arguments: Any) -> str:
        entry = self._entry("function", function)
        types = [canonical(each) for each in entry["inputs"]]
        return "0x" + (keccak(signature(entry).encode())[:4] + encode(types, arguments)).hex()

    async def call(self, function: str, *arguments: Any, sender: str | None = None) -> Any:
        """Run without a transaction; raises Revert by its name."""
        request = {"to": self.address, "data": self.calldata(function, *arguments)} | (
            {"from": sender} if sender else {}
        )
        try:
            answer = await self.rpc.ask("eth_call", request, "latest")
        except Revert as revert:
            raise self._named(revert) from None
        outputs = self._entry("function", function)["outputs"]
        values = decode([canonical(each) for each in outputs], bytes.fromhex(answer[2:]))
        shown = tuple(named(entry, value) for entry, value in zip(outputs, values, strict=True))
        return shown[0] if len(shown) == 1 else shown or None

    async def send(self, sender: str, function: str, *arguments: Any) -> list[tuple[str, tuple[Any, ...]]]:
        """Send and wait; the events. Raises Revert when it would fail."""
        await self.call(function, *arguments, sender=sender)
        request = {"from": sender, "to": self.address, "data": self.calldata(function, *arguments)}
        receipt = await self.rpc.ask("eth_sendTransactionSync", request)
        assert receipt["status"] == "0x1"
        return [self.event(log) for log in receipt["logs"]]

    def event(self, log: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
        """Name and unindexed arguments."""
        for entry in CONTRACTS[self.name]["abi"]:
            if entry["type"] == "event" and "0x" + keccak(signature(entry).encode()).hex() == log["topics"][0]:
                plain = [each["type"] for each in entry["inputs"] if not each["indexed"]]
                return entry["name"], decode(plain, bytes.fromhex(log["data"][2:]))
        raise AssertionError(log)

    def _named(self, revert: Revert) -> Revert:
        if revert.name != "unknown":
            return revert
        data = bytes.fromhex(revert.arguments[0])
        for entry in CONTRACTS[self.name]["abi"]:
            if entry["type"] == "error" and keccak(signature(entry).encode())[:4] == data[:4]:
                return Revert(entry["name"], decode([canonical(each) for each in entry["inputs"]], data[4:]))
        return revert


async def deploy(rpc: Rpc, name: str, sender: str, *arguments: Any) -> Deployed:
    """Deploy the committed artifact."""
    constructor = next(e for e in CONTRACTS[name]["abi"] if e["type"] == "constructor")
    data = CONTRACTS[name]["bytecode"] + encode([canonical(each) for each in constructor["inputs"]], arguments).hex()
    probe = Deployed(rpc, name, sender)
    try:
        await rpc.ask("eth_call", {"from": sender, "data": data}, "latest")
    except Revert as revert:
        raise probe._named(revert) from None
    receipt = await rpc.ask("eth_sendTransactionSync", {"from": sender, "data": data})
    assert receipt["status"] == "0x1"
    return Deployed(rpc, name, receipt["contractAddress"])
