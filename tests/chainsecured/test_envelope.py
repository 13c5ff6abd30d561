"""The pure module: hashes as eth-account and ethers do, reads one way only, and never ends in anything but its own fault."""

import asyncio
import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from node.chainsecured.envelope import (
    Envelope,
    EnvelopeFault,
    Expected,
    PrimaryType,
    Reason,
    read_envelope,
    signature_bytes,
    typed_data_text,
)
from node.keyring.signing_key import recovered_address
from node.values import U256_MAX, checksum_address
from tests.support.envelopes import ORDER, Eoa, compact, digest_of, envelope, high_s
from tests.support.node import REPOSITORY

NOW = 1_800_000_000
CHAIN_ID = 31337
EOA = Eoa.of("the pure module")
ETHERS = """
const { readFileSync } = require("node:fs");
const cases = JSON.parse(readFileSync(0, "utf8"));
const { _TypedDataEncoder, verifyTypedData } = require("ethers").ethers.utils;
const six = require("ethers6").ethers;
process.stdout.write(JSON.stringify(cases.map(({ typed_data, signature }) => {
  const { EIP712Domain, ...types } = typed_data.types;
  const parts = [typed_data.domain, types, typed_data.message];
  return [
    _TypedDataEncoder.hash(...parts), six.TypedDataEncoder.hash(...parts),
    verifyTypedData(...parts, signature), six.verifyTypedData(...parts, signature),
  ];
})));
"""


def generated(count: int) -> list[tuple[Eoa, Envelope]]:
    """Envelopes from a fixed seed, each with the wallet that signs it."""
    random = Random(712)
    made = []
    for index in range(count):
        wallet = Eoa(f"0x{random.randrange(1, ORDER):064x}")
        chain_id = random.choice([1, 137, 8453, 31337, random.getrandbits(random.randrange(1, 257))])
        issued_at = random.choice([NOW, 0, U256_MAX, random.getrandbits(random.randrange(1, 257))])
        made.append((wallet, Envelope(list(PrimaryType)[index % 4], chain_id, wallet.address, issued_at)))
    return made


def typed_data_of(made: Envelope) -> dict[str, Any]:
    return envelope(made.primary_type.value, made.address, made.issued_at, made.chain_id)


async def ethers(cases: list[JsonValue]) -> list[list[str]]:
    process = await asyncio.create_subprocess_exec(
        str(REPOSITORY / ".venv" / "bin" / "node"),
        "-e",
        ETHERS,
        cwd=REPOSITORY,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate(json.dumps(cases).encode())
    assert process.returncode == 0
    answers: list[list[str]] = json.loads(output)
    return answers


@pytest.mark.exhaustive
async def test_hundreds_of_envelopes_hash_and_recover_as_in_eth_account_and_both_ethers() -> None:
    made = generated(300)
    signed: list[JsonValue] = [{"typed_data": typed_data_of(one), "signature": eoa.sign(typed_data_of(one))} for eoa, one in made]  # fmt: skip
    answers = await ethers(signed)
    assert len(answers) == 300
    for (eoa, one), (five, six, signer_of_five, signer_of_six) in zip(made, answers, strict=True):
        assert "0x" + one.digest().hex() == five == six
        assert one.digest() == digest_of(typed_data_of(one))
        signature = eoa.sign_digest(one.digest())
        assert recovered_address(one.digest(), signature) == signer_of_five == signer_of_six == eoa.address
        assert recovered_address(one.digest(), compact(signature)) == eoa.address
        assert recovered_address(one.digest(), signature[:64] + bytes([signature[64] - 27])) == eoa.address
        assert recovered_address(one.digest(), high_s(signature)) is None


@given(
    primary_type=st.sampled_from(PrimaryType),
    chain_id=st.integers(0, U256_MAX),
    address=st.binary(min_size=20, max_size=20).filter(any),
    issued_at=st.integers(0, U256_MAX),
)
def test_any_envelope_hashes_as_in_eth_account(
    primary_type: PrimaryType, chain_id: int, address: bytes, issued_at: int
) -> None:
    made = Envelope(primary_type, chain_id, checksum_address("0x" + address.hex()), issued_at)
    assert made.digest() == digest_of(typed_data_of(made))


@given(issued_at=st.integers(0, U256_MAX), now=st.integers(0, 2**40))
def test_what_was_read_is_what_was_written(issued_at: int, now: int) -> None:
    text = json.dumps(envelope("CreateWallet", EOA.address, issued_at))
    expected = Expected(PrimaryType.CREATE_WALLET, CHAIN_ID, float(now))
    if abs(issued_at - now) > 300:
        with pytest.raises(EnvelopeFault) as refused:
            read_envelope(text, expected)
        assert refused.value.reason is Reason.ISSUED_AT_WINDOW
    else:
        assert read_envelope(text, expected) == Envelope(PrimaryType.CREATE_WALLET, CHAIN_ID, EOA.address, issued_at)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
paths = st.sampled_from(
    [(), ("types",), ("types", "EIP712Domain"), ("types", "EIP712Domain", 0), ("types", "CreateWallet"),
     ("types", "CreateWallet", 1), ("types", "CreateWallet", 1, "type"), ("primaryType",), ("domain",),
     ("domain", "chainId"), ("domain", "name"), ("domain", "version"), ("message",), ("message", "address"),
     ("message", "issuedAt")]
)  # fmt: skip


@given(path=paths, value=json_values, as_text=st.booleans())
def test_whatever_stands_anywhere_is_refused_with_a_reason_or_means_the_same(
    path: tuple[str | int, ...], value: JsonValue, as_text: bool
) -> None:
    whole: Any = envelope("CreateWallet", EOA.address, NOW)
    if not path:
        whole = value
    else:
        place = whole
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
    read = fault_or_envelope(json.dumps(whole) if as_text else whole)
    if isinstance(read, EnvelopeFault):
        assert read.refusal().details["reason"] == read.reason.value
        return
    assert read.digest() == digest_of(whole)
    assert path in {("domain", "chainId"), ("message", "issuedAt"), ("domain", "version"), ("domain", "name")}


def fault_or_envelope(value: JsonValue) -> Envelope | EnvelopeFault:
    try:
        return read_envelope(typed_data_text(value), Expected(PrimaryType.CREATE_WALLET, CHAIN_ID, NOW))
    except EnvelopeFault as fault:
        return fault


@given(text=st.text())
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(EnvelopeFault):
        read_envelope(typed_data_text(text), Expected(PrimaryType.CREATE_WALLET, CHAIN_ID, NOW))


@given(signature=st.binary(max_size=80), digest=st.binary(min_size=32, max_size=32))
def test_bytes_that_nobody_signed_recover_to_nobody_or_to_some_address(signature: bytes, digest: bytes) -> None:
    signer = recovered_address(digest, signature)
    assert signer is None or signer == checksum_address(signer)
    assert signature_bytes("0x" + signature.hex()) == signature


@pytest.mark.parametrize("word", [0, ORDER, ORDER + 1, 2**256 - 1])
@pytest.mark.parametrize("place", [0, 32])
def test_words_outside_the_curve_recover_to_nobody(word: int, place: int) -> None:
    digest = bytes(range(32))
    signature = EOA.sign_digest(digest)
    wrong = signature[:place] + word.to_bytes(32) + signature[place + 32 :]
    assert recovered_address(digest, signature) == EOA.address
    assert recovered_address(digest, wrong) is None


@pytest.mark.parametrize("recovery", [*range(2, 27), *range(29, 256)])
def test_no_other_v_recovers(recovery: int) -> None:
    digest = bytes(range(32))
    assert recovered_address(digest, EOA.sign_digest(digest)[:64] + bytes([recovery])) is None


def test_the_highest_low_s_is_half_the_order() -> None:
    """EIP-2: s = n // 2 passes, one more does not; that s is of some key, since any (r, s) of the curve recovers."""
    digest = bytes(range(32))
    r = EOA.sign_digest(digest)[:32]
    assert recovered_address(digest, r + (ORDER // 2).to_bytes(32) + b"\x1b") is not None
    assert recovered_address(digest, r + (ORDER // 2 + 1).to_bytes(32) + b"\x1b") is None
