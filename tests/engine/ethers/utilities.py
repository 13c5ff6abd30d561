"""Cases of the libraries' functions outside signing, and of keys that are none."""

from pydantic import JsonValue

from tests.engine.ethers.generated import ORDER, PHRASE, Source
from tests.engine.ethers.worlds import Case

Json = JsonValue


def keys(seed: int) -> list[Case]:
    """Keys of every bad kind, and points in every form; each fails or works as it does in the stock package."""
    source = Source(seed)
    bad: list[Json] = ["", "0x", "0x" + "00" * 32, "0x" + "11" * 31, "0x" + "11" * 33, "11" * 32, "no key", None, 7]
    bad += [
        f"0x{ORDER:064x}",
        f"0x{ORDER + 5:064x}",
        "0x" + "ff" * 32,
        source.key().upper(),
        {"$bytes": "22" * 32},
        {"$bytes": "22" * 31},
    ]
    cases = [Case("wallet", (key,)) for key in bad]
    cases += [Case("signDigest", (source.key(), digest)) for digest in ("0x", "0x11", None, "0x" + "11" * 33)]
    cases += [Case("signDigest", (key, source.hex(32))) for key in (f"0x{ORDER + 5:064x}", f"0x{ORDER:064x}")]
    points = ["0x02" + "11" * 32, "0x04" + "11" * 64, "0x05" + "11" * 32, "0x02", source.hex(64)]
    cases += [Case("sharedSecret", (source.key(), point)) for point in points[:3]]
    generator = "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    cases += [Case("addPoint", (source.key(), generator)), Case("addPoint", ("0x" + "00" * 31 + "01", generator))]
    return cases


def of_v5(seed: int) -> list[Case]:
    """Hashes, addresses, units, names, encodings, numbers of ethers v5."""
    source = Source(seed)
    cases = [Case(f"utils.{name}", tuple(arguments)) for name, *arguments in _shared(source)]
    cases += [Case(f"utils.{name}", tuple(arguments)) for name, *arguments in _v5_only(source)]
    for operation in (
        "add",
        "sub",
        "mul",
        "div",
        "mod",
        "pow",
        "eq",
        "lt",
        "gte",
        "and",
        "xor",
        "shl",
        "toTwos",
        "mask",
    ):
        right = 7 if operation in ("pow", "shl") else 250 if operation in ("toTwos", "mask") else source.number(200)
        cases += [Case("big", (source.number(), operation, right)) for _ in range(3)]
    cases += _bytes()
    cases += [Case("big", ("1", "div", 0)), Case("BigNumber.from", ("0x",)), Case("BigNumber.from", (2**53 + 1,))]
    cases += [Case("fixed", ("1.5", name, "0.25")) for name in ("addUnsafe", "mulUnsafe", "divUnsafe")]
    erc20: Json = [
        "function transfer(address to, uint256 amount)",
        "event Transfer(address indexed from, uint256 amount)",
    ]
    topics: Json = ["0x5548c837ab068cf56a2c2479df0882a4922fd203edb7517321831d95078c5f62", "0x" + "00" * 12 + "11" * 20]
    cases += [Case("abi", (erc20,)), Case("log", (erc20, {"topics": topics, "data": source.hex(32)}))]
    cases += [Case("read", (erc20, "0xa9059cbb" + "00" * 12 + "22" * 20 + "00" * 31 + "05"))]
    signed = "0x02c0"
    cases += [Case("utils.parseTransaction", (text,)) for text in (signed, "0x", "0x01c0", "0xc0")]
    return cases


def of_v6(seed: int) -> list[Case]:
    """The same of ethers v6, where they stand at the top of the namespace."""
    source = Source(seed)
    renamed = {"solidityKeccak256": "solidityPackedKeccak256", "solidityPack": "solidityPacked"}
    shared = [Case(renamed.get(str(name), str(name)), tuple(arguments)) for name, *arguments in _shared(source)]
    only = [
        Case("encodeBase58", (source.hex(25),)),
        Case("decodeBase58", ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",)),
        Case("encodeRlp", (["0x", ["0x11", [source.hex(60)]]],)),
        Case("decodeRlp", ("0xc88363617483646f67",)),
        Case("encodeBytes32String", ("text",)),
        Case("Mnemonic.entropyToPhrase", (source.hex(16),)),
    ]
    return shared + only


def _shared(source: Source) -> list[tuple[Json, ...]]:
    address, key = source.hex(20), source.key()
    signature = "0x" + "11" * 32 + "22" * 32
    many: list[tuple[Json, ...]] = []
    for size in (0, 1, 55, 56, 63, 64, 65, 135, 136, 137, 5000):
        data = source.hex(size)
        many += [(name, data) for name in ("keccak256", "sha256", "sha512", "ripemd160")]
        many += [("computeHmac", name, source.hex(size % 200), data) for name in ("sha256", "sha512")]
    many += [("id", source.text()) for _ in range(5)] + [("hashMessage", source.text()) for _ in range(5)]
    many += [("keccak256", "text"), ("keccak256", None), ("sha256", "0x1")]
    many += [("parseUnits", text, units) for text in ("1.5", "-0.000001", "1.2345678") for units in (6, 18, "gwei")]
    many += [("formatUnits", source.number(100), units) for units in (0, 6, 18, "ether")]
    many += [("parseEther", "1000000.000000000000000001"), ("parseEther", "a"), ("formatEther", source.number(90))]
    many += [("getAddress", address), ("getAddress", address.upper()), ("getAddress", "0x12"), ("getAddress", None)]
    many += [("getAddress", "XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36"), ("getIcapAddress", address)]
    many += [("computeAddress", key), ("computeAddress", "0x" + "00" * 32), ("computeAddress", "0x12")]
    many += [
        ("namehash", name)
        for name in ("", "eth", "vitalik.eth", "\uff4eick.eth", "Ünï.eth", "a..b", "👍.eth", "_a.eth")
    ]
    many += [("verifyMessage", "text", signature + end) for end in ("1b", "1c")]
    many += [("recoverAddress", source.hex(32), signature + end) for end in ("1b", "1c", "00", "25")]
    many += [("verifyMessage", "text", wrong) for wrong in ("0x", "0x" + "11" * 64, None)]
    many += [("solidityKeccak256", ["address", "uint96", "string"], [address, source.number(96), source.text()])]
    many += [("solidityPack", ["bool[]", "bytes3", "int8"], [[True, False], source.hex(3), -5])]
    many += [("toUtf8Bytes", source.text()), ("toUtf8String", "0xf09f9a80"), ("toUtf8String", "0xff")]
    many += [("getCreate2Address", address, source.hex(32), source.hex(32))]
    many += [("pbkdf2", source.hex(9), source.hex(8), 3, length, "sha512") for length in (1, 64, 65, 200)]
    return many


def _bytes() -> list[Case]:
    values: list[Json] = ["0x", "0x1", "0xAb", "ab", "0xzz", "0x12\n", 0, 300, -1, 1.5, 2**53, None, True]
    values += [[1, 2, 255], [256], [], {"$bytes": ""}, {"$bytes": "00ff"}, {"length": 2, "0": 1, "1": 2}]
    options: list[Json] = [{"hexPad": "left"}, {"hexPad": "right"}, {"allowMissingPrefix": True}]
    both = [f"utils.{name}" for name in ("arrayify", "hexlify")]
    bare = [Case(name, (value,)) for name in both for value in values]
    return bare + [Case(name, (value, option)) for name in both for value in values for option in options]


def _v5_only(source: Source) -> list[tuple[Json, ...]]:
    key = source.key()
    compressed = "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    many: list[tuple[Json, ...]] = [
        ("base58.encode", source.hex(25)),
        ("base58.decode", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"),
        ("base64.encode", source.hex(25)),
        ("base64.decode", "c29tZQ=="),
        ("RLP.encode", ["0x", ["0x11", [source.hex(60)]]]),
        ("RLP.decode", "0xc88363617483646f67"),
        ("RLP.decode", "0xc883"),
        ("formatBytes32String", "text"),
        ("parseBytes32String", "0x" + b"text".ljust(32, b"\0").hex()),
        ("entropyToMnemonic", source.hex(16)),
        ("mnemonicToSeed", PHRASE, "password"),
        ("mnemonicToEntropy", PHRASE),
        ("isValidMnemonic", PHRASE.replace("junk", "junk junk")),
        ("computePublicKey", key),
        ("computePublicKey", key, True),
        ("computePublicKey", compressed),
        ("computePublicKey", compressed, True),
        ("computePublicKey", "0x12"),
        ("splitSignature", "0x" + "11" * 64 + "1b"),
        ("splitSignature", "0x" + "11" * 64 + "05"),
        ("getContractAddress", {"from": source.hex(20), "nonce": 77}),
        ("hexZeroPad", "0x12", 4),
        ("hexZeroPad", "0x1234", 1),
        ("commify", "-1234567.10"),
        ("nameprep", "Ünï"),
        ("dnsEncode", "vitalik.eth"),
        ("isValidName", "a..b"),
        ("hexConcat", ["0x12", {"$bytes": "3456"}, [7, 255]]),
        ("hexDataSlice", source.hex(40), 3, 20),
    ]
    return many
