"""The account contract on a local chain, spoken to with nothing but its ABI: no code of the node in between."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

REPOSITORY: Final = Path(__file__).resolve().parents[2]
ARTIFACT_FILE: Final = REPOSITORY / "node" / "chain" / "contract" / "AccountConfig.json"
ARTIFACT: Final[dict[str, Any]] = json.loads(ARTIFACT_FILE.read_text(encoding="utf-8"))
ERROR_STRING: Final = keccak(b"Error(string)")[:4]
PANIC: Final = keccak(b"Panic(uint256)")[:4]
GAS_LIMIT: Final = 29_000_000
BATCH: Final = 200


class Revert(Exception):  # noqa: N818 - that is what it is
    """The contract refused: its error's name and arguments; "" without data."""

    def __init__(self, name: str, arguments: tuple[Any, ...] = ()) -> None:
        super().__init__(f"{name}{arguments}")
        self.name = name
        self.arguments = arguments


@dataclass(frozen=True)
class Event:
    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Receipt:
    gas_used: int
    events: tuple[Event, ...]
    block_number: int

    def named(self, name: str) -> list[tuple[Any, ...]]:
        """The arguments of every event of that name, in order."""
        return [event.arguments for event in self.events if event.name == name]


def canonical(entry: dict[str, Any]) -> str:
    """An ABI type as it stands in a signature: structs as tuples."""
    if not entry["type"].startswith("tuple"):
        return str(entry["type"])
    return f"({','.join(canonical(each) for each in entry['components'])}){entry['type'][5:]}"


def signature(entry: dict[str, Any]) -> str:
    """Name and argument types, as hashed for selectors and topics."""
    return f"{entry['name']}({','.join(canonical(each) for each in entry['inputs'])})"


def named(entry: dict[str, Any], value: Any) -> Any:
    """A decoded value with structs as dicts by field name and addresses in EIP-55."""
    if entry["type"].endswith("[]"):
        inner = entry | {"type": entry["type"][:-2]}
        return [named(inner, each) for each in value]
    if entry["type"] == "tuple":
        return {each["name"]: named(each, part) for each, part in zip(entry["components"], value, strict=True)}
    return to_checksum_address(value) if entry["type"] == "address" else value


def key_hash(label: str) -> int:
    """The hash of a key, from any text that stands for it."""
    return int.from_bytes(keccak(label.encode()), "big")


def wallet_hash(address: str) -> int:
    """The hash of a wallet as account: keccak256 of its 20 bytes."""
    return int.from_bytes(keccak(bytes.fromhex(address[2:])), "big")


def address_of(label: str) -> str:
    """An address nobody holds a key of, the same for the same label."""
    return str(to_checksum_address(keccak(label.encode())[12:]))


class Rpc:
    """Raw JSON-RPC to one local chain."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url
        self._ids = itertools.count(1)

    async def ask(self, method: str, *parameters: Any) -> Any:
        """One request; raises Revert for a refused execution, AssertionError for any other error."""
        (answer,) = await self.ask_all([(method, parameters)])
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def ask_all(self, requests: Sequence[tuple[str, Sequence[Any]]]) -> list[Any]:
        """Many requests, a few exchanges; refused ones answer with their exception."""
        answers: list[Any] = []
        for start in range(0, len(requests), BATCH):
            answers += await self._exchange(requests[start : start + BATCH])
        return answers

    async def _exchange(self, requests: Sequence[tuple[str, Sequence[Any]]]) -> list[Any]:
        body = [
            {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": list(parameters)}
            for method, parameters in requests
        ]
        async with self._session.post(self._url, json=body) as response:
            answers = {answer["id"]: answer for answer in await response.json()}
        return [_outcome(answers[each["id"]]) for each in body]


def _outcome(answer: dict[str, Any]) -> Any:
    if "error" not in answer:
        return answer["result"]
    data = answer["error"].get("data")
    if "revert" not in answer["error"]["message"]:
        return AssertionError(answer["error"])
    return revert_of(bytes.fromhex(data[2:]) if isinstance(data, str) else b"")


def revert_of(data: bytes) -> Revert:
    """Revert data by the artifact's errors."""
    if not data:
        return Revert("")
    for entry in ARTIFACT["abi"]:
        if entry["type"] == "error" and keccak(signature(entry).encode())[:4] == data[:4]:
            values = decode([canonical(each) for each in entry["inputs"]], data[4:])
            return Revert(entry["name"], tuple(named(e, v) for e, v in zip(entry["inputs"], values, strict=True)))
    if data[:4] == ERROR_STRING:
        return Revert("Error", decode(["string"], data[4:]))
    return Revert("Panic" if data[:4] == PANIC else "unknown", (data.hex(),))


class Contract:
    """A deployed AccountConfig; any address may send, with anvil impersonating it."""

    def __init__(self, rpc: Rpc, address: str) -> None:
        self.rpc = rpc
        self.address = address
        self._functions = {entry["name"]: entry for entry in ARTIFACT["abi"] if entry["type"] == "function"}
        self._events = {
            keccak(signature(entry).encode()): entry for entry in ARTIFACT["abi"] if entry["type"] == "event"
        }

    def encode(self, function: str, *arguments: Any) -> bytes:
        """The calldata of a function."""
        entry = self._functions[function]
        types = [canonical(each) for each in entry["inputs"]]
        return bytes(keccak(signature(entry).encode())[:4] + encode(types, arguments))

    def decode(self, function: str, data: bytes) -> Any:
        """What a function returned: None, the value, or a tuple of values; structs as dicts."""
        outputs = self._functions[function]["outputs"]
        values = decode([canonical(each) for each in outputs], data)
        shown = tuple(named(entry, value) for entry, value in zip(outputs, values, strict=True))
        return shown[0] if len(shown) == 1 else shown or None

    def request(self, sender: str | None, data: bytes) -> dict[str, str]:
        """The transaction object of a call."""
        fields = {"to": self.address, "data": "0x" + data.hex(), "gas": hex(GAS_LIMIT)}
        return fields | ({"from": sender} if sender else {})

    async def call(self, function: str, *arguments: Any, sender: str | None = None) -> Any:
        """Run without a transaction; raises Revert."""
        answer = await self.rpc.ask("eth_call", self.request(sender, self.encode(function, *arguments)), "latest")
        return self.decode(function, bytes.fromhex(answer[2:]))

    async def outcomes(self, calls: Sequence[tuple[str, str, Sequence[Any]]]) -> list[Revert | None]:
        """For each (sender, function, arguments), each on the present state: the revert, None where it goes through."""
        requests = [
            ("eth_call", [self.request(sender, self.encode(function, *arguments)), "latest"])
            for sender, function, arguments in calls
        ]
        answers = await self.rpc.ask_all(requests)
        for answer in answers:
            if isinstance(answer, AssertionError):
                raise answer
        return [answer if isinstance(answer, Revert) else None for answer in answers]

    async def send(self, sender: str, function: str, *arguments: Any) -> Receipt:
        """Send a transaction and wait for it; raises Revert when it would fail."""
        await self.call(function, *arguments, sender=sender)
        return await self.send_data(sender, self.encode(function, *arguments))

    async def send_data(self, sender: str, data: bytes) -> Receipt:
        """Send any calldata and wait; raises Revert without data when it failed."""
        receipt = await self.rpc.ask("eth_sendTransactionSync", self.request(sender, data))
        if receipt["status"] != "0x1":
            raise Revert("")
        events = tuple(self._event(log) for log in receipt["logs"])
        return Receipt(int(receipt["gasUsed"], 16), events, int(receipt["blockNumber"], 16))

    def _event(self, log: dict[str, Any]) -> Event:
        entry = self._events[bytes.fromhex(log["topics"][0][2:])]
        plain = [each for each in entry["inputs"] if not each["indexed"]]
        values = iter(decode([canonical(each) for each in plain], bytes.fromhex(log["data"][2:])))
        topics = iter(log["topics"][1:])
        shown = []
        for each in entry["inputs"]:
            value = decode([each["type"]], bytes.fromhex(next(topics)[2:]))[0] if each["indexed"] else next(values)
            shown.append(named(each, value))
        return Event(entry["name"], tuple(shown))


async def deploy(rpc: Rpc, sender: str, owner: str, admin_payer: str, delay_s: int) -> Contract:
    """Deploy the committed artifact; raises Revert when the constructor refuses."""
    arguments = encode(["address", "address", "uint256"], [owner, admin_payer, delay_s])
    data = ARTIFACT["bytecode"] + arguments.hex()
    request = {"from": sender, "data": data, "gas": hex(GAS_LIMIT)}
    await rpc.ask("eth_call", request, "latest")
    receipt = await rpc.ask("eth_sendTransactionSync", request)
    assert receipt["status"] == "0x1"
    return Contract(rpc, to_checksum_address(receipt["contractAddress"]))
