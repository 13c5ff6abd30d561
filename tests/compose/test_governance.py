"""Approvals on the real contracts of the stand-in: announced, waited for, added, removed; by a key or as calldata."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from compose.errors import ComposeError, Exit
from compose.governance.sending import providers_of, state_after
from compose.governance.state import Call, Function
from svc_client.chain.receipts import Receipt
from svc_verifier.chain.abi import selector
from tests.compose.conftest import (
    CHAIN_ID,
    DELAY_S,
    FIRST,
    OWNER,
    OWNER_KEY,
    STRANGER_KEY,
    Ran,
    Run,
    World,
    documented_members,
)
from tests.support.contract import Revert
from tests.support.governance import Deployed, deploy
from tests.support.measured_files import measured, node_alone
from tests.support.rpc_proxy import Forward, RpcProxy, honest

pytestmark = [pytest.mark.exhaustive, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(600)]

FILE = "app-compose.json"
SAFE = "0x00000000000000000000000000000000000000B1"


@pytest.fixture
def digest(tmp_path: Path) -> bytes:
    """A measured file is in the run's directory; its hash."""
    file = measured(node_alone())
    (tmp_path / FILE).write_bytes(file.raw)
    return file.hash


def key_file(tmp_path: Path, key: str = OWNER_KEY) -> str:
    path = tmp_path / "owner.key"
    path.write_text(key + "\n")
    return str(path)


def place(world: World, app: Deployed) -> list[str]:
    return ["--app-id", app.address, "--chain-id", str(CHAIN_ID), "--rpc-url", world.url]


async def ran(run: Run, *arguments: str, **options: Any) -> Ran:
    """In a thread, so that the chain's own connections go on."""
    return await asyncio.to_thread(run, *arguments, **options)


async def answered(run: Run, code: int, *arguments: str, **options: Any) -> dict[str, Any]:
    outcome = await ran(run, *arguments, "--json", **options)
    assert outcome.code == code, (outcome.out, outcome.err)
    document: dict[str, Any] = json.loads(outcome.out)
    return document


async def test_an_approval_is_announced_waits_and_is_added(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    key, at = ["--key-file", key_file(tmp_path)], place(world, world.app)
    announced = await answered(run, 0, "approve", FILE, *at, *key)
    assert announced["function"] == "scheduleComposeHash"
    assert announced["compose_hash"] == digest.hex()
    assert announced["allowed"] is False
    assert announced["delay_s"] == DELAY_S
    shown = await answered(run, 0, "pending", *at, "--known", FILE)
    assert [(entry["compose_hash"], entry["file"]) for entry in shown["pending"]] == [(digest.hex(), FILE)]
    assert shown["pending"][0]["unix_s"] == announced["due_unix_s"]
    assert [entry["compose_hash"] for entry in shown["allowed"]] == [FIRST.hex()]

    early = await answered(run, 20, "approve", FILE, *at, *key)
    assert (early["function"], early["waits"], early["due_unix_s"]) == (None, True, announced["due_unix_s"])
    assert not await world.app.call("allowedComposeHashes", digest)

    await world.later(DELAY_S)
    added = await answered(run, 0, "approve", FILE, *at, *key)
    assert (added["function"], added["allowed"]) == ("addComposeHash", True)
    assert await world.app.call("allowedComposeHashes", digest)
    shown = await answered(run, 0, "pending", *at)
    assert shown["pending"] == []
    assert {entry["compose_hash"] for entry in shown["allowed"]} == {FIRST.hex(), digest.hex()}
    again = await answered(run, 0, "approve", FILE, *at, *key)
    assert again["function"] is None


async def test_an_approval_that_an_endpoint_has_not_seen_yet_is_asked_for_again(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    """Repeated at once: the providers agree on a block before the announcement, and the contract refuses a second one."""

    async def behind(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        if asked["method"] == "eth_getBlockByNumber" and asked["params"][0] == "latest":
            asked = {**asked, "params": [before["number"], *asked["params"][1:]]}
        return web.json_response(await forward(asked))

    key, at = ["--key-file", key_file(tmp_path)], place(world, world.app)
    await world.rpc.ask("evm_mine")
    before = await world.rpc.ask("eth_getBlockByNumber", "latest", False)
    await answered(run, 0, "approve", FILE, *at, *key)
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = behind
        again = await ran(run, "approve", FILE, *at, "--rpc-url", proxy.url, *key)
    assert (again.code, "was made after block" in again.err) == (20, True), again.err
    assert len(await world.app.call("pendingComposeHashes")) == 1
    # What the contract refuses for another reason stays refused.
    await answered(run, 20, "approve", FILE, *at, *key)


async def test_a_revocation_counts_at_once_and_takes_an_announcement_back(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    key, at = ["--key-file", key_file(tmp_path)], place(world, world.app)
    await answered(run, 0, "approve", FILE, *at, *key)
    cancelled = await answered(run, 0, "revoke", FILE, *at, *key)
    assert cancelled["function"] == "cancelComposeHash"
    assert await world.app.call("pendingComposeHashes") == []
    removed = await answered(run, 0, "revoke", "--hash", FIRST.hex(), *at, *key)
    assert (removed["function"], removed["allowed"]) == ("removeComposeHash", False)
    assert not await world.app.call("allowedComposeHashes", FIRST)
    nothing = await answered(run, 0, "revoke", FILE, *at, *key)
    assert nothing["function"] is None


async def test_without_a_delay_an_approval_counts_at_once(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    added = await answered(run, 0, "approve", FILE, *place(world, world.plain), "--key-file", "-", stdin=OWNER_KEY)
    assert (added["function"], added["allowed"]) == ("addComposeHash", True)
    assert await world.plain.call("allowedComposeHashes", digest)


async def test_the_calldata_for_a_safe_is_what_the_contract_takes(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    await world.rpc.ask("anvil_setBalance", SAFE, hex(10**18))
    await world.app.send(OWNER, "transferOwnership", SAFE)
    await world.app.send(SAFE, "acceptOwnership")
    printed = await answered(
        run, 0, "approve", FILE, *place(world, world.app), "--safe-json", "batch.json", "--safe", SAFE
    )
    assert printed["data"] == world.app.calldata("scheduleComposeHash", digest)
    assert await world.app.call("pendingComposeHashes") == []
    request = {"from": SAFE, "to": printed["to"], "data": printed["data"]}
    assert (await world.rpc.ask("eth_sendTransactionSync", request))["status"] == "0x1"
    assert [entry["composeHash"] for entry in await world.app.call("pendingComposeHashes")] == [digest]

    batch = json.loads((tmp_path / "batch.json").read_text())
    (transaction,) = batch["transactions"]
    method = transaction["contractMethod"]
    types = [each["type"] for each in method["inputs"]]
    values = [bytes.fromhex(transaction["contractInputsValues"][each["name"]][2:]) for each in method["inputs"]]
    encoded = keccak(f"{method['name']}({','.join(types)})".encode())[:4] + encode(types, values)
    assert "0x" + encoded.hex() == printed["data"]
    assert (batch["version"], batch["chainId"], transaction["value"]) == ("1.0", str(CHAIN_ID), "0")
    assert (transaction["to"], batch["meta"]["createdFromSafeAddress"]) == (
        to_checksum_address(world.app.address),
        SAFE,
    )


@pytest.mark.parametrize(
    ("arguments", "function"),
    [
        (["approve", FILE], "addComposeHash"),
        (["approve", FILE, "--schedule"], "scheduleComposeHash"),
        (["revoke", FILE], "removeComposeHash"),
    ],
)
async def test_calldata_needs_no_endpoint(run: Run, digest: bytes, arguments: list[str], function: str) -> None:
    app = "0x" + "11" * 20
    printed = await answered(run, 0, *arguments, "--app-id", app, "--chain-id", "8453")
    assert printed["function"] == function
    data = bytes.fromhex(printed["data"][2:])
    assert data[:4] == selector(f"{function}(bytes32)")
    assert decode(["bytes32"], data[4:]) == (digest,)


async def test_a_key_that_is_not_the_owners_sends_nothing(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    height = await world.rpc.ask("eth_blockNumber")
    stranger = key_file(tmp_path, STRANGER_KEY)
    outcome = await ran(run, "approve", FILE, *place(world, world.app), "--key-file", stranger)
    assert outcome.code == 10
    assert OWNER in outcome.err
    assert await world.rpc.ask("eth_blockNumber") == height


async def test_keys_and_credentials_are_never_printed(world: World, run: Run, digest: bytes, tmp_path: Path) -> None:
    secret = world.url.replace("http://", "http://user:hush@") + "/?key=hush"
    at = ["--app-id", world.app.address, "--chain-id", str(CHAIN_ID)]
    runs = [
        await ran(run, "approve", FILE, *at, "--rpc-url", secret, "--key-file", "-", stdin=OWNER_KEY[:-1]),
        await ran(run, "approve", FILE, *at, "--rpc-url", secret, "--key-file", "-", stdin=STRANGER_KEY),
        await ran(run, "approve", FILE, *at, "--rpc-url", "ftp://hush", "--key-file", key_file(tmp_path)),
        await ran(run, "pending", *at, "--rpc-url", "http://user:hush@127.0.0.1:1/hush"),
        await ran(run, "approve", FILE, *at, "--rpc-url", secret, "--key-file", key_file(tmp_path)),
    ]
    assert [each.code for each in runs] == [2, 10, 2, 20, 0]
    for each in runs:
        said = each.out + each.err
        assert "hush" not in said
        assert OWNER_KEY[2:-1] not in said
        assert STRANGER_KEY[2:] not in said


async def test_another_chain_no_contract_or_a_contract_of_another_kind_is_refused(
    world: World, run: Run, digest: bytes
) -> None:
    url = ["--rpc-url", world.url]
    other_chain = ["--app-id", world.app.address, "--chain-id", "1", *url]
    nothing = ["--app-id", "0x" + "11" * 20, "--chain-id", str(CHAIN_ID), *url]
    kms = await deploy_kms(world)
    for at in (other_chain, nothing, ["--app-id", kms, "--chain-id", str(CHAIN_ID), *url]):
        assert (await ran(run, "approve", FILE, *at)).code == 10
        assert (await ran(run, "pending", *at)).code == 10


async def deploy_kms(world: World) -> str:
    return (await deploy(world.rpc, "DstackKms", OWNER, OWNER, b"\x02" + bytes(32), b"\x30", bytes(32))).address


async def test_endpoints_must_agree(world: World, run: Run, digest: bytes) -> None:
    both = [*place(world, world.app), "--rpc-url", "http://127.0.0.1:1"]
    outcome = await ran(run, "pending", *both)
    assert outcome.code == 20
    assert "127.0.0.1:1" in outcome.err


async def lie_about_calls(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Every bool is true, and nothing is scheduled."""
    answer = await forward()
    if asked["method"] == "eth_call" and asked["params"][0]["data"].startswith("0x2f6622e5"):
        answer["result"] = "0x" + (1).to_bytes(32).hex()
    return web.json_response(answer)


async def lie_about_events(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """Nothing was ever approved."""
    answer = await forward()
    if asked["method"] == "eth_getLogs":
        answer["result"] = []
    return web.json_response(answer)


async def busy(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
    """No answer that can be read."""
    return web.Response(text="busy", status=502)


async def test_of_two_endpoints_that_differ_neither_is_believed(world: World, run: Run, digest: bytes) -> None:
    await world.rpc.ask("anvil_mine", "0x5")
    async with RpcProxy(world.url).running() as proxy:
        both = [*place(world, world.plain), "--rpc-url", proxy.url]
        assert (await answered(run, 0, "approve", FILE, *both))["function"] == "addComposeHash"
        for behaviour, said in ((lie_about_calls, "differ"), (lie_about_events, "differ"), (busy, "502")):
            proxy.behaviour = behaviour
            outcome = await ran(run, "approve", FILE, *both)
            assert outcome.code == 20, (behaviour, outcome)
            assert said in outcome.err
            assert outcome.out == ""


async def test_events_that_contradict_the_contracts_answer_are_not_taken_for_all_there_are(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    """As with a version of the contract that tells of approvals by other events: an empty list would be a lie."""
    at = ["--app-id", world.plain.address, "--chain-id", str(CHAIN_ID)]
    await answered(run, 0, "approve", FILE, *at, "--rpc-url", world.url, "--key-file", key_file(tmp_path))
    (tmp_path / "other.json").write_text("{}")
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = lie_about_events
        asked = ("pending", *at, "--rpc-url", proxy.url, "--known", FILE, "--known", "other.json")
        shown = await answered(run, 0, *asked)
        assert shown["allowed"] is None
        assert any(f"allows {digest.hex()}" in text and "do not rely" in text for text in shown["unknown"])
        proxy.behaviour = honest
        shown = await answered(run, 0, *asked)
        assert digest.hex() in {entry["compose_hash"] for entry in shown["allowed"]}


async def test_a_transaction_whose_response_is_lost_is_found_and_not_sent_again(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    async def swallow(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        """Sent, and the answer lost."""
        answer = await forward()
        lost = asked["method"] == "eth_sendRawTransaction"
        return web.Response(text="lost", status=502) if lost else web.json_response(answer)

    at = ["--app-id", world.plain.address, "--chain-id", str(CHAIN_ID)]
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = swallow
        key = key_file(tmp_path)
        outcome = await ran(run, "approve", FILE, *at, "--rpc-url", proxy.url, "--key-file", key)
        sent = [asked for asked in proxy.seen if asked["method"] == "eth_sendRawTransaction"]
    # The transaction was made, and is found by its hash: it is not sent again under another nonce.
    assert outcome.code == 0, outcome.err
    assert len({asked["params"][0] for asked in sent}) == 1
    assert await world.plain.call("allowedComposeHashes", digest)


async def test_a_transaction_that_a_provider_knows_already_is_followed(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    async def known(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        """Whoever is between has sent it before."""
        answer = await forward()
        if asked["method"] == "eth_sendRawTransaction":
            answer = {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32000, "message": "already known"}}
        return web.json_response(answer)

    at = ["--app-id", world.plain.address, "--chain-id", str(CHAIN_ID)]
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = known
        outcome = await ran(run, "approve", FILE, *at, "--rpc-url", proxy.url, "--key-file", key_file(tmp_path))
    assert outcome.code == 0, outcome.err
    assert await world.plain.call("allowedComposeHashes", digest)


def added(world: World) -> tuple[Call, Receipt]:
    """An approval that was never sent, and a receipt of it."""
    call = Call(bytes.fromhex(world.plain.address[2:]), Function.ADD, bytes([7] * 32))
    return call, Receipt(bytes([9] * 32), 3, bytes([8] * 32), 0, True, None, ())


async def test_an_effect_that_no_other_provider_shows_is_not_believed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was sent: the liar shows an approval, and the honest provider does not."""
    call, receipt = added(world)
    monkeypatch.setattr("compose.governance.sending.EFFECT_TIMEOUT_S", 0.0)
    async with RpcProxy(world.url).running() as proxy:
        proxy.behaviour = lie_about_calls
        async with providers_of([proxy.url], CHAIN_ID) as alone:
            assert (await state_after(alone, call, receipt)).allowed
        for behaviour, why in ((lie_about_calls, "lags or lies"), (busy, "502")):
            proxy.behaviour = behaviour
            with pytest.raises(ComposeError, match=why) as raised:
                async with providers_of([proxy.url, world.url], CHAIN_ID) as both:
                    await state_after(both, call, receipt)
            assert raised.value.code is Exit.UNDECIDED
            assert receipt.shown in raised.value.message


async def test_an_effect_that_is_seen_a_moment_later_is_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for = 0

    async def late(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        """Its third answer is the first that is not behind."""
        nonlocal asked_for
        asked_for += asked["params"][:1] == ["latest"]
        return await (lie_about_calls if asked_for > 2 else honest)(request, asked, forward)

    async with RpcProxy(world.url).running() as proxy, providers_of([proxy.url], CHAIN_ID) as providers:
        proxy.behaviour = late
        monkeypatch.setattr("compose.governance.sending.POLL_S", 0.01)
        assert (await state_after(providers, *added(world))).allowed
    assert asked_for == 3


async def test_an_endpoint_that_stands_still_decides_nothing(world: World, run: Run) -> None:
    async def old(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        """Its newest block is two hours old."""
        answer = await forward()
        if asked["method"] == "eth_getBlockByNumber":
            answer["result"]["timestamp"] = hex(int(time.time()) - 7_200)
        return web.json_response(answer)

    at = ["--app-id", world.app.address, "--chain-id", str(CHAIN_ID)]
    async with RpcProxy(world.url).running() as proxy:
        fresh = await answered(run, 0, "pending", *at, "--rpc-url", proxy.url)
        assert any("one provider was asked" in text for text in fresh["unknown"])
        proxy.behaviour = old
        stale = await answered(run, 20, "pending", *at, "--rpc-url", proxy.url)
    assert any(" s old" in text for text in stale["unknown"])
    assert stale["block_unix_s"] < fresh["block_unix_s"]
    assert list(stale) == list(fresh) == documented_members("pending")


async def test_a_batch_is_written_for_the_owners_safe_alone(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    at = [*place(world, world.plain), "--safe-json", "batch.json", "--safe"]
    refused = await ran(run, "approve", FILE, *at, SAFE)
    assert refused.code == 10
    assert OWNER.lower() in refused.err.lower()
    assert not (tmp_path / "batch.json").exists()
    assert (await ran(run, "approve", FILE, *at, OWNER)).code == 0


async def test_a_documents_members_are_the_same_asked_or_unasked_sent_or_printed(
    world: World, run: Run, digest: bytes, tmp_path: Path
) -> None:
    unasked = ["--app-id", world.plain.address, "--chain-id", str(CHAIN_ID)]
    at, key = place(world, world.plain), key_file(tmp_path)
    documents = [
        await answered(run, 0, "approve", FILE, *unasked),
        await answered(run, 0, "approve", FILE, *at),
        await answered(run, 0, "approve", FILE, *at, "--key-file", key),
        await answered(run, 0, "approve", FILE, *at),
        await answered(run, 0, "revoke", FILE, *at, "--key-file", key),
    ]
    assert len({tuple(document) for document in documents}) == 1
    assert [document["transaction_hash"] is not None for document in documents] == [False, False, True, False, True]


async def test_what_the_check_refuses_is_not_approved(world: World, run: Run, tmp_path: Path) -> None:
    bad = json.loads(measured().raw) | {"public_logs": True}
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    at = [*place(world, world.plain), "--key-file", key_file(tmp_path)]
    outcome = await ran(run, "approve", "bad.json", *at)
    assert outcome.code == 10
    assert "public_logs" in outcome.err
    approved = await answered(run, 0, "approve", "bad.json", *at, "--unchecked")
    assert approved["allowed"] is True


async def test_pending_says_what_it_cannot_know(world: World, run: Run) -> None:
    """dstack's own contract has no approvalDelay(): the stand-in's answer to it is taken away."""
    code = await world.rpc.ask("eth_getCode", world.plain.address, "latest")
    delay, listing = (selector(f"{name}()").hex() for name in ("approvalDelay", "pendingComposeHashes"))
    assert code.count(delay) == code.count(listing) == 1
    plain = code.replace(delay, "00000001").replace(listing, "00000002")
    await world.rpc.ask("anvil_setCode", world.plain.address, plain)
    with pytest.raises(Revert):
        await world.plain.call("approvalDelay")
    shown = await answered(run, 0, "pending", *place(world, world.plain))
    assert (shown["delay_s"], shown["pending"]) == (None, None)
    assert "announces nothing" in shown["unknown"][0]
    assert [entry["compose_hash"] for entry in shown["allowed"]] == [FIRST.hex()]
    assert "one key decides" in shown["owner"]["kind"]


async def test_a_proxy_is_told(world: World, run: Run) -> None:
    slot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
    assert not any("proxy" in text for text in (await answered(run, 0, "pending", *place(world, world.app)))["unknown"])
    await world.rpc.ask("anvil_setStorageAt", world.app.address, slot, "0x" + "11" * 32)
    assert any("proxy" in text for text in (await answered(run, 0, "pending", *place(world, world.app)))["unknown"])


async def test_a_key_file_that_others_can_read_is_said(world: World, run: Run, digest: bytes, tmp_path: Path) -> None:
    at = [*place(world, world.app), "--key-file", key_file(tmp_path)]
    (tmp_path / "owner.key").chmod(0o644)
    assert "chmod 600" in (await ran(run, "approve", FILE, *at)).err
    (tmp_path / "owner.key").chmod(0o600)
    assert (await ran(run, "revoke", FILE, *at)).err == ""


async def test_an_owner_that_is_a_contract_is_named(world: World, run: Run, digest: bytes, tmp_path: Path) -> None:
    await world.rpc.ask("anvil_setBalance", world.app.address, hex(10**18))
    await world.plain.send(OWNER, "transferOwnership", world.app.address)
    await world.plain.send(world.app.address, "acceptOwnership")
    shown = await answered(run, 0, "pending", *place(world, world.plain))
    assert shown["owner"]["kind"] == "a contract"
    outcome = await ran(run, "approve", FILE, *place(world, world.plain), "--key-file", key_file(tmp_path))
    assert outcome.code == 10
    assert "printed for the owner" in outcome.err


async def test_a_timelock_as_owner_is_told_by_its_delay(world: World, run: Run) -> None:
    timelock = "0x" + "71" * 20
    await world.rpc.ask("anvil_setCode", timelock, "0x620151805f5260205ff3")  # answers every call with 86400
    await world.rpc.ask("anvil_setBalance", timelock, hex(10**18))
    await world.plain.send(OWNER, "transferOwnership", timelock)
    await world.plain.send(timelock, "acceptOwnership")
    shown = await answered(run, 0, "pending", *place(world, world.plain))
    assert shown["owner"] == {
        "address": to_checksum_address(timelock),
        "kind": "a timelock contract",
        "delay_s": 86_400,
    }
    assert any("86400 s" in text and "CallScheduled" in text for text in shown["unknown"])
