"""Signatures made inside an action are eth-account's, and what eth-account signs is recovered inside one."""

import pytest
from eth_account import Account
from eth_account.messages import encode_defunct, encode_typed_data
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from node.engine.worker import natives
from tests.engine.ethers.generated import ORDER, Source
from tests.engine.hosts import run
from tests.engine.natives import at_once

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAIL: dict[str, JsonValue] = {
    "Mail": [{"name": "to", "type": "Person[]"}, {"name": "contents", "type": "string"}],
    "Person": [{"name": "name", "type": "string"}, {"name": "wallet", "type": "address"}],
}
DOMAIN: dict[str, JsonValue] = {"name": "Mail", "version": "1", "chainId": 7, "verifyingContract": "0x" + "33" * 20}


@pytest.mark.parametrize("library", ["ethers", "ethers6"])
async def test_messages_typed_data_and_transactions(engine: ProcessEngine, library: str) -> None:
    source = Source(11)
    jobs: list[JsonValue] = []
    expected: list[JsonValue] = []
    for _ in range(10):
        key, text = source.key(), source.text()
        person: JsonValue = {"name": source.text(), "wallet": source.hex(20)}
        mail: dict[str, JsonValue] = {"to": [person, person], "contents": text}
        sent: dict[str, JsonValue] = {
            "to": Account.from_key(source.key()).address,
            "nonce": source.random.randrange(99),
            "gas": 21_000,
            "value": source.random.randrange(10**20),
            "chainId": 5,
            "maxFeePerGas": 2 * 10**9,
            "maxPriorityFeePerGas": 10**9,
        }
        transaction = {name: str(item) if name == "value" else item for name, item in sent.items() if name != "gas"}
        jobs.append(
            {"key": key, "text": text, "mail": mail, "transaction": transaction | {"gasLimit": 21_000, "type": 2}}
        )
        expected.append(
            [
                Account.sign_message(encode_defunct(text=text), key).signature.to_0x_hex(),
                Account.sign_message(encode_typed_data(DOMAIN, MAIL, mail), key).signature.to_0x_hex(),
                Account.sign_transaction(sent, key).raw_transaction.to_0x_hex(),
                Account.from_key(key).address,
            ]
        )
    method = "_signTypedData" if library == "ethers" else "signTypedData"
    code = f"""async function main({{ jobs, domain, types }}) {{
      return Promise.all(jobs.map(async ({{ key, text, mail, transaction }}) => {{
        const wallet = new {library}.Wallet(key);
        return [
          await wallet.signMessage(text), await wallet.{method}(domain, types, mail),
          await wallet.signTransaction(transaction), wallet.address,
        ];
      }}));
    }}"""
    outcome = await run(engine, code, {"jobs": jobs, "domain": DOMAIN, "types": MAIL})
    assert outcome.response == expected, outcome.error


async def test_what_eth_account_signed_is_recovered(engine: ProcessEngine) -> None:
    source = Source(12)
    jobs: list[JsonValue] = []
    addresses: list[JsonValue] = []
    for _ in range(20):
        key, text = source.key(), source.text()
        signature = Account.sign_message(encode_defunct(text=text), key).signature.to_0x_hex()
        jobs.append([text, signature])
        addresses.append(Account.from_key(key).address)
    for call in ("ethers.utils.verifyMessage", "ethers6.verifyMessage"):
        code = f"const main = ({{ jobs }}) => jobs.map(([text, signature]) => {call}(text, signature));"
        assert (await run(engine, code, {"jobs": jobs})).response == addresses


NATIVE = {name: at_once(function) for name, function in natives.library_functions().items()}


@settings(max_examples=100, deadline=None)
@given(key=st.integers(1, ORDER - 1), digest=st.integers(0, ORDER - 1))
async def test_the_native_signature_is_eth_keys_and_recovers(key: int, digest: int) -> None:
    account = Account.from_key(key.to_bytes(32))
    signed = account.unsafe_sign_hash(digest.to_bytes(32))
    ours = NATIVE["signRecoverable"](f"{key:064x}", f"{digest:064x}")
    assert ours == f"{signed.r:064x}{signed.s:064x}{signed.v - 27:02x}"
    assert NATIVE["recover"](f"{digest:064x}", ours[:128], ours[129:]) == NATIVE["publicKey"](f"{key:064x}")
