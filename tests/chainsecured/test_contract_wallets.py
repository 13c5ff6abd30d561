"""Contract wallets through HTTP, honest and hostile: each gives one of three answers, and none ends in a 500 or a 503."""

from typing import Any

import pytest

from node.keyring.signing_key import key_from_hex
from tests.chainsecured.conftest import Secured
from tests.support.contract_wallets.deployed import MultisigWallet, OwnerWallet, deploy_wallet, magic_answer
from tests.support.envelopes import Eoa, digest_of, envelope

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEYS = [key_from_hex(f"{number:064x}") for number in (21, 22, 23)]
STRANGER = Eoa.of("no wallet of these")
REJECTED = "signature_rejected"
NO_CODE = "signature_no_code"
MAGIC = magic_answer()


async def sender(secured: Secured) -> str:
    return str((await secured.rpc.ask("eth_accounts"))[0])


async def asked(secured: Secured, wallet: str, signature: bytes) -> str | None:
    """The reason for which a mint by this wallet is refused; None when it is not."""
    return await reason_of(secured, {"typed_data": create(secured, wallet), "signature": "0x" + signature.hex()})


async def reason_of(secured: Secured, request: dict[str, Any]) -> str | None:
    reply = await secured.mint(request)
    assert reply.status in {200, 400}, reply.body
    return None if reply.status == 200 else str(reply.body["details"]["reason"])


def create(secured: Secured, wallet: str) -> dict[str, Any]:
    return envelope("CreateWallet", wallet, secured.now)


async def test_an_owner_wallet_signs_by_its_owner_alone(secured: Secured) -> None:
    wallet = await OwnerWallet.deployed(secured.rpc, await sender(secured), KEYS[0])
    digest = digest_of(create(secured, wallet.address))
    assert await asked(secured, wallet.address, wallet.sign(digest)) is None
    for signature in (KEYS[1].sign_digest(digest), wallet.sign(bytes(32)), wallet.sign(digest) + b"\0", b""):
        assert await asked(secured, wallet.address, signature) == REJECTED


async def test_a_multisig_signs_by_two_of_three(secured: Secured) -> None:
    wallet = await MultisigWallet.deployed(secured.rpc, await sender(secured), KEYS)
    digest = digest_of(create(secured, wallet.address))
    assert await asked(secured, wallet.address, wallet.sign(digest)) is None
    assert await asked(secured, wallet.address, wallet.owners[0].sign_digest(digest)) == REJECTED
    assert await asked(secured, wallet.address, wallet.sign(bytes(32))) == REJECTED


async def test_the_owners_own_signature_is_not_the_wallets_envelope(secured: Secured) -> None:
    wallet = await OwnerWallet.deployed(secured.rpc, await sender(secured), KEYS[0])
    of_owner = digest_of(create(secured, KEYS[0].address))
    assert await asked(secured, wallet.address, wallet.sign(of_owner)) == REJECTED


ANSWERS = {
    "the magic value": (MAGIC, None),
    "nothing": (b"", REJECTED),
    "four bytes": (MAGIC[:4], REJECTED),
    "31 bytes": (MAGIC[:31], REJECTED),
    "33 bytes": (MAGIC + b"\0", REJECTED),
    "64 bytes": (MAGIC + bytes(32), REJECTED),
    "dirty last byte": (magic_answer(bytes(27) + b"\x01"), REJECTED),
    "dirty first byte": (magic_answer(b"\x01" + bytes(27)), REJECTED),
    "all dirty": (magic_answer(b"\xff" * 28), REJECTED),
    "right-aligned": (bytes(28) + MAGIC[:4], REJECTED),
    "true": (bytes(31) + b"\x01", REJECTED),
    "zero": (bytes(32), REJECTED),
    "ones": (b"\xff" * 32, REJECTED),
    "the older magic value": (bytes.fromhex("20c13b0b") + bytes(28), REJECTED),
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_a_wallet_that_answers(secured: Secured, name: str) -> None:
    answer, reason = ANSWERS[name]
    wallet = await deploy_wallet(secured.rpc, await sender(secured), "AnsweringWallet", answer)
    assert await asked(secured, wallet, bytes(65)) == reason


@pytest.mark.parametrize("data", [b"", MAGIC, bytes.fromhex("08c379a0"), b"\x01" * 1000], ids=len)
async def test_a_wallet_that_reverts_rejects_also_with_the_magic_value(secured: Secured, data: bytes) -> None:
    wallet = await deploy_wallet(secured.rpc, await sender(secured), "RevertingWallet", data)
    assert await asked(secured, wallet, bytes(65)) == REJECTED


async def test_a_wallet_that_burns_all_its_gas_rejects(secured: Secured) -> None:
    wallet = await deploy_wallet(secured.rpc, await sender(secured), "GasBurningWallet")
    assert await asked(secured, wallet, bytes(65)) == REJECTED
    assert await asked(secured, wallet, bytes(4096)) == REJECTED


@pytest.mark.parametrize("length", [33, 24_576, 1_000_000, 10**9])
async def test_a_wallet_that_floods_rejects(secured: Secured, length: int) -> None:
    wallet = await deploy_wallet(secured.rpc, await sender(secured), "FloodingWallet", length)
    assert await asked(secured, wallet, bytes(65)) == REJECTED


async def test_a_wallet_that_calls_back_changes_nothing(secured: Secured) -> None:
    """Its acceptance counts for itself alone; its attempted writes do not happen."""
    before = await secured.contract.call("accountCount")
    opening = secured.contract.encode("newChainSecuredAccount", "smuggled", "")
    itself, account = "0x" + "00" * 20, secured.contract.address
    for target, call in ((itself, b""), (account, opening)):
        wallet = await deploy_wallet(secured.rpc, await sender(secured), "ReentrantWallet", target, call)
        assert await asked(secured, wallet, bytes(65)) is None
    assert await secured.contract.call("accountCount") == before


RAW_CODE = {
    "stores": "6001600055" + "7f" + MAGIC.hex() + "5f5260205ff3",
    "logs": "5f5fa0" + "7f" + MAGIC.hex() + "5f5260205ff3",
    "destroys itself": "33ff",
    "is no code": "fe",
    "loops": "5b600056",
    "makes a contract": "5f5f5ff0" + "7f" + MAGIC.hex() + "5f5260205ff3",
}


@pytest.mark.parametrize("name", RAW_CODE)
async def test_code_that_may_not_run_statically_rejects(secured: Secured, name: str) -> None:
    wallet = Eoa.of(f"raw code: {name}").address
    await secured.rpc.ask("anvil_setCode", wallet, "0x" + RAW_CODE[name])
    assert await asked(secured, wallet, bytes(65)) == REJECTED


@pytest.mark.parametrize("number", range(1, 11))
async def test_a_precompile_is_no_wallet(secured: Secured, number: int) -> None:
    assert await asked(secured, f"0x{number:040x}", bytes(65)) == NO_CODE


async def test_a_wallet_signs_from_the_moment_it_is_deployed(secured: Secured) -> None:
    wallet = Eoa.of("deployed later").address
    assert await asked(secured, wallet, bytes(65)) == NO_CODE
    await secured.rpc.ask("anvil_setCode", wallet, "0x7f" + MAGIC.hex() + "5f5260205ff3")
    assert await asked(secured, wallet, bytes(65)) is None
    await secured.rpc.ask("anvil_setCode", wallet, "0x")
    assert await asked(secured, wallet, bytes(65)) == NO_CODE


async def test_a_key_signs_also_where_code_stands_at_its_address(secured: Secured) -> None:
    """A delegated account (EIP-7702): its key's signature counts, and so does what its code accepts."""
    wallet = Eoa.of("delegated")
    typed_data = create(secured, wallet.address)
    signed = {"typed_data": typed_data, "signature": wallet.sign(typed_data)}
    by_another = {**signed, "signature": STRANGER.sign(typed_data)}
    await secured.rpc.ask("anvil_setCode", wallet.address, "0xfe")
    assert await reason_of(secured, signed) is None
    assert await reason_of(secured, by_another) == REJECTED
    code = await deploy_wallet(secured.rpc, await sender(secured), "AnsweringWallet", b"")
    await secured.rpc.ask("anvil_setCode", wallet.address, "0xef0100" + code[2:])
    assert await reason_of(secured, signed) is None
    assert await reason_of(secured, by_another) == REJECTED


async def test_the_wallet_is_told_the_digest_and_the_signature_as_they_are(secured: Secured) -> None:
    """Code that compares its calldata: selector, digest, and 4,096 bytes of signature, none lost."""
    wallet = Eoa.of("compares its calldata").address
    digest, signature = digest_of(create(secured, wallet)), bytes(range(256)) * 16
    whole = bytes.fromhex("1626ba7e") + digest + (64).to_bytes(32) + len(signature).to_bytes(32) + signature
    expected = await _keccak(secured, whole)
    compares = "36" + "5f5f37" + "365f20" + "7f" + expected + "14"  # keccak256(calldata) == expected
    answers = "7f" + MAGIC.hex() + "02" + "5f5260205ff3"  # times the magic value
    await secured.rpc.ask("anvil_setCode", wallet, "0x" + compares + answers)
    assert await asked(secured, wallet, signature) is None
    assert await asked(secured, wallet, signature[:-1] + b"\0") == REJECTED


async def _keccak(secured: Secured, data: bytes) -> str:
    return str(await secured.rpc.ask("web3_sha3", "0x" + data.hex()))[2:]
