"""Cases made from a fixed seed: the same on every run, so that a difference can be looked at again."""

from random import Random

from pydantic import JsonValue

from tests.engine.ethers.worlds import Case

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
PHRASE = "test test test test test test test test test test test junk"

Json = JsonValue


class Source:
    """Values of Ethereum's kinds."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def hex(self, count: int) -> str:
        return "0x" + self.random.randbytes(count).hex()

    def key(self) -> str:
        return f"0x{self.random.randrange(1, ORDER):064x}"

    def number(self, bits: int = 256) -> str:
        return str(self.random.getrandbits(self.random.randrange(1, bits + 1)))

    def text(self) -> str:
        letters = "abc XYZ0189é\u00df中文🚀\n\t\"'\\\u2028"
        return "".join(self.random.choices(letters, k=self.random.choice((0, 1, 5, 31, 32, 33, 200))))

    def value(self, kind: str) -> Json:
        """A value of an ABI type without tuples."""
        if kind.endswith("]"):
            inner, _, count = kind[:-1].rpartition("[")
            return [self.value(inner) for _ in range(int(count) if count else self.random.randrange(4))]
        if kind.startswith("uint"):
            return self.number(int(kind[4:]))
        if kind.startswith("int"):
            return str(int(self.number(int(kind[3:]) - 1)) * self.random.choice((1, -1)))
        simple: dict[str, Json] = {
            "address": self.hex(20),
            "bool": self.random.random() < 0.5,
            "bytes": self.hex(self.random.randrange(100)),
            "string": self.text(),
        }
        return simple[kind] if kind in simple else self.hex(int(kind.removeprefix("bytes")))

    def kind(self, depth: int = 2) -> str:
        """An ABI type without tuples."""
        sizes = [f"uint{bits}" for bits in (8, 24, 128, 256)] + [f"int{bits}" for bits in (8, 64, 256)]
        kind = self.random.choice([*sizes, "address", "bool", "bytes", "string", "bytes1", "bytes4", "bytes32"])
        if depth and self.random.random() < 0.4:
            return self.kind(depth - 1) + self.random.choice(("[]", "[2]", "[3]"))
        return kind

    def tuple(self, depth: int = 2) -> tuple[str, Json]:
        """A tuple type and a value of it, tuples inside tuples included."""
        parts: list[tuple[str, Json]] = []
        for _ in range(self.random.randrange(1, 4)):
            if depth and self.random.random() < 0.5:
                parts.append(self.tuple(depth - 1))
            else:
                kind = self.kind()
                parts.append((kind, self.value(kind)))
        return f"tuple({','.join(kind for kind, _ in parts)})", [value for _, value in parts]


def signing(seed: int) -> list[Case]:
    """Keys, messages, typed data, digests."""
    source, cases = Source(seed), []
    for _ in range(30):
        key, digest = source.key(), source.hex(32)
        octets: Json = {"$bytes": source.hex(33)[2:]}
        message = source.text() if source.random.random() < 0.5 else octets
        types, value = typed_data(source)
        domain: Json = {"name": source.text(), "version": "1", "chainId": source.number(32), "salt": source.hex(32)}
        cases += [
            Case("wallet", (key,)),
            Case("signMessage", (key, message)),
            Case("signTypedData", (key, domain, types, value)),
            Case("signDigest", (key, digest)),
        ]
    edge = [f"0x{number:064x}" for number in (1, 2, ORDER - 1, ORDER // 2)]
    cases += [Case("signDigest", (key, "0x" + digit * 64)) for key in edge for digit in "0f8"]
    cases += [Case("signDigest", (edge[0], f"0x{ORDER + offset:064x}")) for offset in (-1, 0, 1)]
    cases += [Case("sharedSecret", (source.key(), source.key())) for _ in range(5)]
    return cases


def typed_data(source: Source) -> tuple[Json, Json]:
    """Types with a struct inside a struct and an array of them, and a value."""
    flat = [source.kind(1) for _ in range(3)]
    inner: list[Json] = [{"name": f"field{index}", "type": kind} for index, kind in enumerate(flat)]

    def one() -> Json:
        return {f"field{index}": source.value(kind) for index, kind in enumerate(flat)}

    outer: list[Json] = [
        {"name": "one", "type": "Inner"},
        {"name": "many", "type": "Inner[]"},
        {"name": "note", "type": "string"},
    ]
    return {"Outer": outer, "Inner": inner}, {"one": one(), "many": [one(), one()], "note": source.text()}


def transactions(seed: int) -> list[Case]:
    """Legacy with and without replay protection, EIP-2930, EIP-1559, creations included."""
    source, cases = Source(seed), []
    for index in range(40):
        kind = index % 4
        transaction: dict[str, Json] = {
            "nonce": source.random.randrange(1 << 20),
            "gasLimit": source.number(24),
            "value": source.number(90),
            "data": source.hex(source.random.choice((0, 1, 4, 100))),
        }
        if index % 5:
            transaction["to"] = source.value("address")
        if kind:
            transaction["chainId"] = source.random.choice([1, 137, 31337, 2**31])
        if kind >= 2:
            access: Json = [{"address": source.hex(20), "storageKeys": [source.hex(32), source.hex(32)]}]
            transaction |= {"type": kind - 1, "accessList": access}
        if kind == 3:
            transaction |= {"maxFeePerGas": source.number(40), "maxPriorityFeePerGas": "0"}
        else:
            transaction["gasPrice"] = source.number(40)
        key = source.key()
        cases += [Case("signTransaction", (key, transaction)), Case("signAndParse", (key, transaction))]
    return cases


def abi(seed: int) -> list[Case]:
    """Coding of values, tuples in tuples among them, and what does not decode."""
    source, cases = Source(seed), []
    for _ in range(25):
        kinds = [source.kind() for _ in range(source.random.randrange(1, 4))]
        cases.append(Case("encode", (list[Json](kinds), [source.value(kind) for kind in kinds])))
        kind, value = source.tuple()
        cases.append(Case("encode", ([kind], [value])))
        cases.append(Case("roundTrip", ([kind, f"{kind}[]"], [value, [value, value]])))
    function: Json = ["function transfer((address to, uint256 amount)[] calls, bytes note) returns (bool)"]
    calls: Json = [[[source.hex(20), source.number()] for _ in range(3)], source.hex(9)]
    cases.append(Case("call", (function, "transfer", calls)))
    wrong: list[tuple[list[Json], str]] = [
        (["uint256"], "0x"),
        (["string"], source.hex(32)),
        (["bytes[]"], source.hex(96)),
    ]
    cases += [Case("decode", (kinds, data)) for kinds, data in wrong]
    cases.append(Case("encode", (["uint8"], [256])))
    cases.append(Case("encode", (["address"], ["0x12"])))
    return cases


def wallets_of_a_phrase(seed: int) -> list[Case]:
    """BIP-39 and BIP-32, private and public derivation."""
    source, cases = Source(seed), []
    for _ in range(4):
        path = f"m/44'/60'/{source.random.randrange(9)}'/0/{source.random.randrange(1 << 31)}"
        cases.append(Case("derive", (PHRASE, path)))
    cases.append(Case("derivePublic", (PHRASE, "m/44'/60'/0'", "0/7")))
    cases.append(Case("fromMnemonic", (PHRASE,)))
    cases.append(Case("fromMnemonic", (PHRASE.replace("junk", "test"),)))
    cases.append(Case("keystore", (source.key(), "a password")))
    return cases
