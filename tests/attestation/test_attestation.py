"""`/attestation` and `/info`: what is served, to whom a statement is made, and what a bad platform does to it."""

import asyncio
import hashlib
import json
import time
from pathlib import Path
from statistics import median
from typing import Any

import aiohttp
import pytest
import rfc8785
from openapi_spec_validator import OpenAPIV31SpecValidator

from attest.responses import report_data_of
from devkit.tee_simulator.options import Behaviour, Failure
from node.settings import Settings
from tests.attestation.conftest import ADMIN_PAYER, CONFIG, SETTINGS, Node, attesting, certificate

NONCE = "aB" * 32
FRESH = f"/attestation?nonce={NONCE}"


def refused(raw: bytes, error: str) -> Any:
    body = json.loads(raw)
    assert body["error"] == error, body
    assert body["request_id"]
    return body


async def test_without_a_nonce_it_is_what_the_specification_says(node: Node) -> None:
    response, raw = await node.get("/attestation")
    assert (response.status, response.content_type) == (200, "application/json")
    body = json.loads(raw)
    assert body.keys() == {"quote", "event_log", "vm_config", "report_data"}
    assert report_data_of(bytes.fromhex(body["quote"])) == bytes(64)
    assert isinstance(body["event_log"], str)
    assert isinstance(json.loads(body["vm_config"]), dict)
    events = json.loads(body["event_log"])
    assert all({"imr", "digest", "event_type", "event", "event_payload"} <= event.keys() for event in events)
    assert {event["digest"] for event in events if event["event_type"] == 0x08000001} == {""}
    platform = json.loads(json.dumps(node.simulator.platform.measurements.event_log))
    assert events == platform, "as the platform gives it"
    assert response.headers["X-Request-Id"]
    assert response.headers["Access-Control-Allow-Origin"] == "*"


async def test_it_is_as_documented(node: Node) -> None:
    for path in ("/attestation", FRESH, "/info"):
        response, raw = await node.get(path)
        node.server.checker.check("GET", path, response.status, response.headers, json.loads(raw))


async def test_the_document_describes_them_at_the_hosts_root(node: Node) -> None:
    _, raw = await node.get("/core/v1/openapi.json")
    document = json.loads(raw)
    OpenAPIV31SpecValidator(document).validate()
    root = {path for path, item in document["paths"].items() if item.get("servers") == [{"url": "/"}]}
    assert root == {
        "/attestation", "/info", "/evidences", "/evidences/", "/evidences/{name}",
        "/evidences/{set_name}/", "/evidences/{set_name}/{name}",
    }  # fmt: skip
    (name, set_name, _) = document["paths"]["/evidences/{set_name}/{name}"]["get"]["parameters"]
    assert {name["in"], set_name["in"]} == {"path"}
    assert document["paths"]["/evidences"]["get"]["responses"].keys() >= {"308"}
    assert "304" in document["paths"]["/evidences/{name}"]["get"]["responses"]
    assert (await node.get("/core/v1/attestation"))[0].status == 404


async def test_with_a_nonce_the_quote_is_over_the_statement_byte_for_byte(node: Node) -> None:
    await node.publish(certificate(b"one"), certificate(b"two", "other.example"))
    response, raw = await node.get(FRESH)
    assert response.status == 200
    body = json.loads(raw)
    statement = body["statement"]
    assert isinstance(statement, str)
    wanted = hashlib.sha256(statement.encode()).digest() + bytes(32)
    assert report_data_of(bytes.fromhex(body["quote"])) == wanted == bytes.fromhex(body["report_data"])
    _, sums = await node.get("/evidences/sha256sum.txt")
    members: dict[str, Any] = {
        "purpose": "svc.attestation.v1",
        "nonce": NONCE,
        "host": "127.0.0.1",
        "spki_sha256": sorted(hashlib.sha256(each).hexdigest() for each in (b"one", b"two")),
        "evidence_sha256": hashlib.sha256(sums).hexdigest(),
        "config": CONFIG,
        "admin_payer": ADMIN_PAYER,
    }
    assert statement.encode() == rfc8785.dumps(members)


async def test_each_nonce_gets_a_quote_of_its_own(node: Node) -> None:
    answers = [json.loads((await node.get(f"/attestation?nonce={number:064x}"))[1]) for number in range(3)]
    assert len({answer["quote"] for answer in answers}) == 3
    assert [json.loads(answer["statement"])["nonce"] for answer in answers] == [f"{number:064x}" for number in range(3)]


@pytest.mark.parametrize(
    "query",
    [
        "nonce=", "nonce", "nonce=ab", "nonce=" + "ab" * 33, "nonce=0x" + "ab" * 32, "nonce=" + "g" * 64,
        "nonce=" + "ab" * 32 + "%0A", "nonce=" + "%20" + "ab" * 32, f"nonce={NONCE}&nonce={NONCE}",
        f"nonce={NONCE}&host=x", "Nonce=" + NONCE, "report_data=" + "00" * 64, f"nonce[]={NONCE}", "x",
    ],
)  # fmt: skip
async def test_any_other_query_is_400_and_costs_no_quote(node: Node, query: str) -> None:
    await node.get("/attestation")
    response, raw = await node.get(f"/attestation?{query}")
    assert response.status == 400
    assert refused(raw, "bad_request")["details"]["fields"]


@pytest.mark.parametrize(
    ("host", "stated"),
    [
        ("localhost", "localhost"),
        ("LOCALHOST:1", "localhost"),
        ("localhost.", "localhost"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]:8443", "::1"),
        ("[0:0::1]:8443", "::1"),
        ("127.1.2.3", "127.1.2.3"),
    ],
)
async def test_on_loopback_every_name_of_loopback_is_this_node_and_is_stated(
    node: Node, host: str, stated: str
) -> None:
    """A verifier that was told https://127.0.0.1:8443 compares with 127.0.0.1."""
    response, raw = await node.get(FRESH, headers={"Host": host})
    assert response.status == 200
    assert json.loads(json.loads(raw)["statement"])["host"] == stated


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost,evil.example", "0.0.0.0", ""])
async def test_a_statement_is_made_to_nobody_who_asks_another_host(node: Node, host: str) -> None:
    response, raw = await node.get(FRESH, headers={"Host": host})
    assert response.status == 400
    assert refused(raw, "bad_request")["details"] == {"reason": "other_host", "host": "localhost"}
    response, _ = await node.get("/attestation", headers={"Host": host})
    assert response.status == 200, "the replayable one is for all"


async def test_a_node_with_a_name_makes_no_statement_to_who_asks_a_loopback_address(tmp_path: Path) -> None:
    """An impostor on the verifier's own machine is asked as 127.0.0.1, and would relay the statement of an honest node."""
    async with attesting(tmp_path, domain="node.example") as node:
        for host in ("127.0.0.1", "127.0.0.1:8443", "[::1]", "localhost"):
            response, raw = await node.get(FRESH, headers={"Host": host})
            assert response.status == 400, host
            assert refused(raw, "bad_request")["details"] == {"reason": "other_host", "host": "node.example"}
        response, raw = await node.get(FRESH, headers={"Host": "NODE.example:8443"})
        assert response.status == 200
        assert json.loads(json.loads(raw)["statement"])["host"] == "node.example"


@pytest.mark.parametrize(
    "head",
    [
        f"GET {FRESH} HTTP/1.1\r\n",
        f"GET {FRESH} HTTP/1.0\r\n",
        f"GET {FRESH} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
        f"GET http://evil.example{FRESH} HTTP/1.1\r\nHost: localhost\r\n",
        f"GET http://localhost{FRESH} HTTP/1.1\r\nHost: evil.example\r\n",
    ],
)
async def test_a_request_that_names_no_host_or_two_gets_no_statement(node: Node, head: str) -> None:
    answer = await node.server.raw(f"{head}Connection: close\r\n\r\n".encode())
    assert b" 400 " in answer.split(b"\r\n")[0]
    assert b"statement" not in answer.split(b"\r\n\r\n", 1)[1].replace(b"A statement names", b"")


async def test_a_request_line_that_agrees_with_its_host_is_one_host(node: Node) -> None:
    head = f"GET http://localhost{FRESH} HTTP/1.1\r\nHost: LOCALHOST\r\nConnection: close\r\n\r\n"
    assert b"200 OK" in (await node.server.raw(head.encode())).split(b"\r\n")[0]


async def test_the_quote_without_a_nonce_is_told_again_for_a_minute(node: Node) -> None:
    node.simulator.behave(Behaviour(latency_s=0.05, methods=frozenset({"GetQuote"})))
    answers = await asyncio.gather(*(node.get("/attestation") for _ in range(40)))
    assert {response.status for response, _ in answers} == {200}
    assert len({raw for _, raw in answers}) == 1
    node.simulator.behave(Behaviour(failure=Failure.ERROR))
    response, raw = await node.get("/attestation")
    assert (response.status, raw) == (200, answers[0][1])


async def test_info_shows_the_compose_text_byte_for_byte(node: Node) -> None:
    response, raw = await node.get("/info")
    assert response.status == 200
    body = json.loads(raw)
    platform = node.simulator.platform.measurements
    assert isinstance(body["tcb_info"], dict)
    assert body["tcb_info"]["app_compose"] == platform.app_compose
    assert body["compose_hash"] == hashlib.sha256(body["tcb_info"]["app_compose"].encode()).hexdigest()
    assert body["app_id"] == platform.app_id.hex()
    assert "docker_compose_file" in json.loads(body["tcb_info"]["app_compose"])
    assert body["tcb_info"]["event_log"] == platform.event_log
    assert "app_cert" not in body


@pytest.mark.exhaustive
@pytest.mark.parametrize("failure", [Failure.ERROR, Failure.HALF, Failure.GARBAGE, Failure.HANG])
async def test_a_platform_that_does_not_answer_is_503_and_nothing_else_suffers(
    impatient: Node, failure: Failure
) -> None:
    impatient.simulator.behave(Behaviour(failure=failure))
    for path in ("/attestation", FRESH, "/info"):
        response, raw = await impatient.get(path)
        assert response.status == 503, (path, raw)
        refused(raw, "tee_unavailable")
        assert int(response.headers["Retry-After"]) >= 1
        impatient.server.checker.check("GET", path, response.status, response.headers, json.loads(raw))
    assert (await impatient.server.call("GET", "/ordinary")).status == 200
    impatient.simulator.behave(Behaviour())
    for path in (FRESH, "/attestation", "/info"):
        async with asyncio.timeout(60):
            while (await impatient.get(path))[0].status != 200:
                pass


async def test_a_platform_that_is_slower_than_its_deadline_is_503(impatient: Node) -> None:
    impatient.simulator.behave(Behaviour(latency_s=60.0))
    response, raw = await asyncio.wait_for(impatient.get(FRESH), 30)
    assert response.status == 503
    refused(raw, "tee_unavailable")


async def _two_hundred(node: Node) -> "list[asyncio.Task[tuple[aiohttp.ClientResponse, bytes]]]":
    """As many ask for statements while the platform is busy; all are answered but those who may wait."""
    asking = [asyncio.create_task(node.get(f"/attestation?nonce={number:064x}")) for number in range(200)]
    async with asyncio.timeout(60):
        while sum(task.done() for task in asking) < 200 - SETTINGS.quote_places - 1:
            await asyncio.wait([task for task in asking if not task.done()], return_when=asyncio.FIRST_COMPLETED)
    return asking


async def test_two_hundred_at_once_meet_a_bounded_queue(node: Node) -> None:
    async with node.platform_busy():
        asking = await _two_hundred(node)
    answers = await asyncio.gather(*asking)
    served = [raw for response, raw in answers if response.status == 200]
    sent_away = [response for response, _ in answers if response.status == 503]
    assert len(served) == SETTINGS.quote_places + 1
    assert len(sent_away) == 200 - len(served)
    assert all(1 <= int(response.headers["Retry-After"]) <= 30 for response in sent_away)
    assert len({json.loads(raw)["statement"] for raw in served}) == len(served)


async def test_one_address_asks_for_so_many_fresh_quotes_a_minute(tmp_path: Path) -> None:
    settings = Settings(attestation_nonces_per_minute_per_address=3, quote_places=8)
    async with attesting(tmp_path, settings) as node:
        for wrong in ("/attestation?nonce=x", "/attestation"):
            await node.get(wrong)
        await node.get(FRESH, headers={"Host": "evil.example"})
        statuses = [(await node.get(FRESH))[0].status for _ in range(4)]
        assert statuses == [200, 200, 200, 429], "only what costs a quote counts"
        response, raw = await node.get(FRESH)
        refused(raw, "too_many_requests")
        assert 1 <= int(response.headers["Retry-After"]) <= 20
        for free in ("/attestation", "/info", "/core/v1/ordinary"):
            assert (await node.get(free))[0].status == 200


async def _ordinary_call_s(node: Node) -> float:
    """How long an ordinary call usually takes."""
    took: list[float] = []
    for _ in range(300):
        started = time.perf_counter()
        assert (await node.server.call("GET", "/ordinary")).status == 200
        took.append(time.perf_counter() - started)
    return median(took)


async def test_ordinary_calls_take_as_long_as_ever_while_the_queue_is_full(node: Node) -> None:
    before_s = await _ordinary_call_s(node)
    async with node.platform_busy():
        asking = await _two_hundred(node)
        during_s = await _ordinary_call_s(node)
        assert node.attestation.quotes.waiting == SETTINGS.quote_places
    await asyncio.gather(*asking)
    assert during_s < 3 * before_s + 0.02, (before_s, during_s)
