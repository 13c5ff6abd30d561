"""Looks at hosts of every kind: never a foreign exception, never accepted but the real one."""

import asyncio
import json
from dataclasses import replace

import pytest
from aiohttp import web

from devkit.tee_simulator.os_image import OS_IMAGE_HASH
from svc_verifier.chain import contracts
from svc_verifier.check import Check, Group, Report, Status, Verdict
from svc_verifier.gathering.gather import gather
from svc_verifier.material import HttpResponse, Missing, ProviderAnswers
from svc_verifier.procedure import verify
from svc_verifier.session import look
from svc_verifier.trust import Freshness
from tests.support import lies, rpc_proxy
from tests.support.lying_rpc import GARBAGE, SILENCE, Stage
from tests.support.rpc_proxy import RpcProxy
from tests.support.verifying import PATIENT, Impostor, Meet, VerifiableNode, at, relaying

STAGE = Stage(past_block=1, contract="0x" + "00" * 20)


def of(report: Report, identifier: str) -> Check:
    return next(check for check in report.checks if check.id == identifier)


def failed(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.status is Status.FAILED}


async def test_a_development_node_is_accepted_with_every_check_green_or_skipped(
    development_node: VerifiableNode,
) -> None:
    node = development_node
    report = (await look(node.address, node.trust(), node.sources())).report
    assert report.verdict is Verdict.ACCEPTED
    assert {check.status for check in report.checks} == {Status.PASSED, Status.SKIPPED}
    assert of(report, "freshness.statement").status is Status.PASSED
    assert of(report, "governance.endpoints").status is Status.SKIPPED
    accounts = {check.id: check.status for check in report.checks if check.group is Group.ACCOUNTS}
    assert accounts == dict.fromkeys(accounts, Status.PASSED) | {"accounts.owner": Status.SKIPPED}


async def test_every_look_draws_a_nonce_of_its_own(development_node: VerifiableNode) -> None:
    node = development_node
    looks = [await gather(node.address, node.trust(), node.sources()) for _ in range(2)]
    assert looks[0].nonce != looks[1].nonce
    assert all(look.nonce is not None and len(look.nonce) == 32 for look in looks)


async def test_freshness_by_evidence_sends_no_nonce_and_says_so(development_node: VerifiableNode) -> None:
    node = development_node
    trust = replace(node.trust(), freshness=Freshness.EVIDENCE, accounts=None)
    found = await look(node.address, trust, node.sources())
    assert found.material.nonce is None
    assert found.report.verdict is Verdict.ACCEPTED
    assert "only as fresh as the evidence" in of(found.report, "freshness.statement").why


async def test_a_look_at_another_host_is_not_taken_for_this_one(development_node: VerifiableNode) -> None:
    """Without a nonce nothing else in the material would tell."""
    node = development_node
    trust = replace(node.trust(), freshness=Freshness.EVIDENCE, accounts=None)
    material = await gather(node.address, trust, node.sources())
    report = verify(replace(material, host="other.example"), trust)
    assert failed(report) == {"tls.connection"}


async def test_two_endpoints_that_agree_pass(development_node: VerifiableNode) -> None:
    node = development_node
    async with RpcProxy(node.chain).running() as other:
        report = (await look(node.address, node.trust(node.chain, other.url), node.sources())).report
    assert of(report, "governance.endpoints").status is Status.PASSED
    assert report.verdict is Verdict.ACCEPTED


async def test_the_kms_contract_is_asked_for_an_image_hash_with_0x_before_it(development_node: VerifiableNode) -> None:
    node = development_node

    async def prefixed(request: web.Request) -> web.StreamResponse:
        response = await relaying(node.process)(request)
        if request.path != "/attestation" or not isinstance(response, web.Response):
            return response
        answer = json.loads(response.text or "")
        config = json.loads(answer["vm_config"])
        config["os_image_hash"] = f"0x{config['os_image_hash']}"
        return web.json_response({**answer, "vm_config": json.dumps(config)})

    async with Impostor(prefixed).running() as impostor:
        address, trust = at(node, impostor)
        kms = trust.app_id  # any contract does: what is looked at is the question
        material = await gather(address, replace(trust, kms_contract=kms), node.sources())
    assert isinstance(material.attestation, HttpResponse)
    assert b"0x" in material.attestation.body
    (provider,) = material.providers
    assert isinstance(provider, ProviderAnswers)
    assert contracts.os_image_allowed(kms, OS_IMAGE_HASH) in provider.calls


async def says_false(method: str, params: list[object], ask: lies.Ask) -> lies.Outcome:
    return {"result": "0x" + "00" * 32} if method == "eth_call" else await ask(method, *params)


async def says_true(method: str, params: list[object], ask: lies.Ask) -> lies.Outcome:
    return {"result": "0x" + "00" * 31 + "01"} if method == "eth_call" else await ask(method, *params)


@pytest.mark.parametrize("tell", [says_false, says_true])
async def test_one_of_two_endpoints_lies_and_nobody_is_believed(
    development_node: VerifiableNode, tell: lies.Tell
) -> None:
    node = development_node
    async with RpcProxy(node.chain).running() as liar:
        liar.behaviour = lies.per_call(tell)
        for urls in ((node.chain, liar.url), (liar.url, node.chain)):
            report = (await look(node.address, node.trust(*urls), node.sources())).report
            assert report.verdict is Verdict.UNDECIDED
            assert failed(report) == set(), "it is no fault of the host"
            assert of(report, "governance.endpoints").status is Status.UNKNOWN
            assert "127.0.0.1" in of(report, "governance.endpoints").why
            assert of(report, "governance.compose-allowed").status is Status.UNKNOWN


async def newest_for_the_asked(method: str, params: list[object], ask: lies.Ask) -> lies.Outcome:
    """As a provider does that does not have the block."""
    return await ask(method, *(["latest", False] if method == "eth_getBlockByNumber" else params))


async def test_an_endpoint_that_answers_its_newest_block_for_the_asked_one_does_not_count(
    development_node: VerifiableNode,
) -> None:
    """Two of them would agree on a block that nobody asked for."""
    node = development_node
    async with RpcProxy(node.chain).running() as one, RpcProxy(node.chain).running() as other:
        one.behaviour = other.behaviour = lies.per_call(newest_for_the_asked)
        found = await look(node.address, node.trust(one.url, other.url), node.sources())
    for provider in found.material.providers:
        assert isinstance(provider, Missing)
        assert "does not answer the block it was asked for" in provider.why
    assert found.report.verdict is Verdict.UNDECIDED


async def test_an_answer_to_another_question_does_not_count(development_node: VerifiableNode) -> None:
    """JSON-RPC 2.0 section 5: a confused proxy may mix answers up."""
    node = development_node
    async with RpcProxy(node.chain).running() as confused:
        confused.behaviour = rpc_proxy.changing(lambda answer: {**answer, "id": answer["id"] + 1})
        found = await look(node.address, node.trust(confused.url), node.sources())
    (provider,) = found.material.providers
    assert isinstance(provider, Missing)
    assert "answers another request" in provider.why
    assert found.report.verdict is Verdict.UNDECIDED


async def without_state(method: str, params: list[object], ask: lies.Ask) -> lies.Outcome:
    """As a provider does that has forgotten the state of the block."""
    if method == "eth_call":
        return {"error": {"code": -32000, "message": "missing trie node"}}
    return await ask(method, *params)


async def test_an_endpoint_that_refuses_a_call_does_not_say_that_the_contract_reverts(
    development_node: VerifiableNode,
) -> None:
    node = development_node
    async with RpcProxy(node.chain).running() as one:
        one.behaviour = lies.per_call(without_state)
        found = await look(node.address, node.trust(one.url), node.sources())
    (provider,) = found.material.providers
    assert isinstance(provider, Missing)
    assert "eth_call was refused" in provider.why
    assert failed(found.report) == set(), "it is no fault of the host"


async def revoked_now(method: str, params: list[object], ask: lies.Ask) -> lies.Outcome:
    """Its newest block is one in which no approval is left."""
    if method == "eth_call" and params[-1] == "latest":
        return {"result": "0x" + "00" * 32}
    return await ask(method, *params)


async def test_what_one_endpoint_says_was_taken_back_since_the_block_of_all_is_not_hidden_by_a_slower_one(
    development_node: VerifiableNode,
) -> None:
    node = development_node
    async with RpcProxy(node.chain).running() as quick:
        quick.behaviour = lies.per_call(revoked_now)
        for urls in ((node.chain, quick.url), (quick.url, node.chain), (quick.url,)):
            report = (await look(node.address, node.trust(*urls), node.sources())).report
            assert report.verdict is Verdict.UNDECIDED
            assert failed(report) == set()
            why = of(report, "governance.endpoints").why
            assert quick.url.removeprefix("http://") in why
            assert "not approved at its newest block" in why


async def test_an_endpoint_of_another_chain_is_refused(development_node: VerifiableNode) -> None:
    node = development_node
    trust = replace(node.trust(), chain_id=8453)
    report = (await look(node.address, trust, node.sources())).report
    assert failed(report) == {"config.chain"}
    assert of(report, "governance.chain").status is Status.UNKNOWN


@pytest.mark.parametrize(
    "name", [*GARBAGE, *(name for name in SILENCE if name != "answers late"), "floods", "drips", "hangs"]
)
async def test_an_endpoint_that_makes_no_sense_leaves_it_undecided(development_node: VerifiableNode, name: str) -> None:
    node = development_node
    known = {**GARBAGE, **SILENCE}
    own = {"floods": rpc_proxy.flood, "drips": rpc_proxy.drip, "hangs": rpc_proxy.hang}
    limits = replace(PATIENT, rpc_bytes=1_048_576, rpc_timeout_s=0.5)
    async with RpcProxy(node.chain).running() as odd:
        odd.behaviour = own[name] if name in own else known[name](STAGE)
        report = (await look(node.address, node.trust(node.chain, odd.url), node.sources(limits))).report
    assert report.verdict is not Verdict.ACCEPTED
    assert of(report, "governance.compose-allowed").status is not Status.PASSED


async def test_an_endpoint_that_invents_events_without_end_is_bounded(development_node: VerifiableNode) -> None:
    node = development_node
    event = {"address": "0x" + "11" * 20, "topics": ["0x" + "22" * 32], "data": "0x", "blockNumber": "0x1"}

    async def inventing(method: str, params: list[object], ask: lies.Ask) -> lies.Outcome:
        return {"result": [event] * 5_000} if method == "eth_getLogs" else await ask(method, *params)

    async with RpcProxy(node.chain).running() as liar:
        liar.behaviour = lies.per_call(inventing)
        material = await gather(node.address, node.trust(liar.url), node.sources())
        asked = len(liar.seen)
    (answers,) = material.providers
    assert isinstance(answers, ProviderAnswers)
    assert isinstance(answers.logs, Missing)
    assert asked < 50


async def test_an_endpoint_sends_so_much_and_no_more(development_node: VerifiableNode) -> None:
    """Each answer within its ceiling, all of them together not."""
    node = development_node
    limits = replace(PATIENT, rpc_bytes=1_000_000, rpc_total_bytes=2_500_000)

    async def huge_code(method: str, params: list[object], ask: lies.Ask) -> lies.Outcome:
        return (
            {"result": "0x" + "60" * 450_000} if method in {"eth_getCode", "eth_call"} else await ask(method, *params)
        )

    async with RpcProxy(node.chain).running() as liar:
        liar.behaviour = lies.per_call(huge_code)
        material = await gather(node.address, node.trust(liar.url), node.sources(limits))
    (answers,) = material.providers
    assert isinstance(answers, Missing)
    assert "more than" in answers.why


async def test_credentials_of_an_endpoint_are_in_no_material(development_node: VerifiableNode) -> None:
    node = development_node
    secret = "hunter2"
    url = node.chain.replace("//", f"//user:{secret}@") + f"/{secret}"
    unreachable = f"http://user:{secret}@127.0.0.1:1/{secret}"
    found = await look(node.address, node.trust(url, unreachable), node.sources())
    assert secret not in repr(found)
    assert "127.0.0.1" in repr(found.material.providers)


async def test_a_relay_of_a_real_node_is_caught_by_its_certificate_and_the_statement(
    development_node: VerifiableNode,
) -> None:
    """Hole 6: an impostor shows every answer of a genuine node, its evidence and a fresh quote for our nonce."""
    async with Impostor(relaying(development_node.process)).running() as impostor:
        address, trust = at(development_node, impostor)
        report = (await look(address, trust, development_node.sources())).report
    assert failed(report) == {"tls.certificate", "freshness.statement"}
    assert of(report, "evidence.quote").status is Status.PASSED


async def test_a_swap_of_the_certificate_after_the_attestation_is_caught(development_node: VerifiableNode) -> None:
    """Hole 5: the attestation comes over a connection that ends in the TD, all the rest over the impostor's."""
    node = development_node
    async with Impostor(relaying(node.process)).running() as impostor:
        impostor.passing, impostor.until_bytes = node.port, 8_000
        address, trust = at(node, impostor)
        found = await look(address, trust, node.sources())
        asked = [path.partition("?")[0] for path in impostor.paths]
    assert "/attestation" not in asked
    assert "/evidences/quote.json" in asked
    assert len(found.material.connections) == 2
    assert failed(found.report) == {"tls.connection"}


async def test_a_swap_of_the_certificate_before_the_evidence_is_caught(development_node: VerifiableNode) -> None:
    """The other way round: the impostor answers for the attestation and lets the TD speak for itself afterwards."""
    node = development_node
    async with Impostor(relaying(node.process)).running() as impostor:
        relay = impostor.meet

        async def first_alone(request: web.Request) -> web.StreamResponse:
            response = await relay(request)
            response.force_close()
            impostor.passing = node.port
            return response

        impostor.meet = first_alone
        address, trust = at(node, impostor)
        report = (await look(address, trust, node.sources())).report
        asked = len(impostor.paths)
    assert asked == 1
    assert failed(report) == {"tls.certificate", "tls.connection", "freshness.statement"}


def saying(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Meet:
    async def meet(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, status=status, headers=headers)

    return meet


def writing(raw: bytes) -> Meet:
    """These bytes in place of HTTP."""

    async def meet(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.write(raw)
        request.transport.close()
        return web.Response()

    return meet


def endless(block: bytes, pause_s: float) -> Meet:
    async def meet(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(block)
            await asyncio.sleep(pause_s)

    return meet


async def silent(_: web.Request) -> web.StreamResponse:
    await asyncio.get_running_loop().create_future()
    raise AssertionError


ODD: dict[str, Meet] = {
    "nothing": saying(b""),
    "no JSON": saying(b"<html>"),
    "an array": saying(b"[]"),
    "deep": saying(b"[" * 100_000),
    "numbers as texts": saying(b'{"quote": 1, "event_log": []}'),
    "empty texts": saying(b'{"quote": "", "event_log": "", "vm_config": ""}'),
    "surrogates": saying(rb'{"quote": "\ud800", "event_log": "\udfff", "vm_config": "\ud800", "statement": "\ud800"}'),
    "no UTF-8": saying(b"\xff\xfe"),
    "huge numbers": saying(b'{"quote": ' + b"9" * 50_000 + b"}"),
    "huge body": saying(b" " * 5_000_000),
    "packed": saying(b"\x1f\x8b", headers={"Content-Encoding": "gzip"}),
    "server error": saying(b"", 500),
    "no content": saying(b"", 204),
    "redirect elsewhere": saying(b"", 302, {"Location": "https://127.0.0.1:1/"}),
    "redirect to itself": saying(b"", 301, {"Location": "/attestation"}),
    "no HTTP": writing(b"\x00\x01 what?\r\n\r\n"),
    "headers without end": writing(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 100_000),
    "a long header": writing(b"HTTP/1.1 200 OK\r\nA: " + b"b" * 1_000_000 + b"\r\n\r\n"),
    "less than promised": writing(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"),
    "bad chunks": writing(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    "two lengths": writing(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    "never": silent,
    "a body without end": endless(b" " * 65_536, 0),
    "a drop at a time": endless(b" ", 0.01),
}


@pytest.mark.parametrize("name", ODD)
async def test_a_host_that_makes_no_sense_is_not_accepted(development_node: VerifiableNode, name: str) -> None:
    limits = replace(PATIENT, request_timeout_s=1.0, look_timeout_s=2.0)
    async with Impostor(ODD[name]).running() as impostor:
        address, trust = at(development_node, impostor)
        async with asyncio.timeout(20):
            report = (await look(address, trust, development_node.sources(limits))).report
    assert report.verdict is not Verdict.ACCEPTED
    assert of(report, "hardware.signatures").status is not Status.PASSED


@pytest.mark.exhaustive
async def test_a_host_takes_so_long_and_no_longer(development_node: VerifiableNode) -> None:
    """Each answer in time, all of them together not: thirty slow files are no way to hold a verifier for an hour."""
    listed = b"".join(b"%064x  file%d\n" % (number, number) for number in range(30))

    async def slowly(request: web.Request) -> web.StreamResponse:
        if "/file" in request.path:
            await asyncio.sleep(0.7)
        return web.Response(body=listed)

    limits = replace(PATIENT, look_timeout_s=5.0)
    async with Impostor(slowly).running() as impostor:
        address, trust = at(development_node, impostor)
        material = await gather(address, trust, development_node.sources(limits))
        files = [path for path in impostor.paths if "/file" in path]
        assert len(files) <= 8
    assert isinstance(material.evidences, dict)
    assert any(isinstance(answer, Missing) for answer in material.evidences.values())


async def test_a_host_sends_so_much_and_no_more(development_node: VerifiableNode) -> None:
    limits = replace(PATIENT, body_bytes=1_000_000, host_bytes=2_500_000)
    async with Impostor(saying(b" " * 900_000)).running() as impostor:
        address, trust = at(development_node, impostor)
        material = await gather(address, trust, development_node.sources(limits))
    bodies = [material.attestation, material.info]
    bodies += material.evidences.values() if isinstance(material.evidences, dict) else []
    assert sum(len(answer.body) for answer in bodies if isinstance(answer, HttpResponse)) <= limits.host_bytes


async def test_a_host_that_is_not_there_is_undecided(development_node: VerifiableNode) -> None:
    async with Impostor(silent).running() as gone:
        address, trust = at(development_node, gone)
    report = (await look(address, trust, development_node.sources())).report
    assert report.verdict is Verdict.UNDECIDED
