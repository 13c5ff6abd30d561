"""The JavaScript client before servers that lie: nothing is done twice, no error is foreign, no key is seen."""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.javascript import ran_javascript
from tests.support.node import REPOSITORY

MODULES = REPOSITORY / "client" / "js"
DRIVER = (Path(__file__).parent / "javascript_driver.mjs").read_text()
KEY = "A" * 43 + "="

READ = "svc.account.exists()"
WRITE = 'svc.wallets.create("a")'
RUN = 'svc.actions.run("function main() {}")'
KEYED = RUN[:-1] + ", {}, {idempotent: true})"
STOPPED = 'svc.actions.run("", {}, {signal: controller.signal})'
STOPPED_IN_TIME = f"""(() => {{
  let at;
  controller.signal.addEventListener("abort", () => {{ at = performance.now(); }});
  return {STOPPED}.catch((error) => [error.message, performance.now() - at < 5_000]);
}})()"""
SIGNED = {"typed_data": {"message": {"address": "0x€"}}, "signature": "0x12"}
TOKEN = "the-token-of-a-proxy"
STOLEN = "http://127.0.0.1:9/stolen"

TRUE = {"body": "true"}
MADE = {"body": json.dumps({"success": True, "wallet_address": "0x1", "block_number": 7})}
OLDER = {"body": json.dumps({"success": True, "block_number": 3})}
DONE = {"success": True, "wallet_address": "0x1", "block_number": 7}
RAN = {
    "body": json.dumps({"response": 4, "logs": "", "has_error": False, "duration_ms": 1.5, "charged_cents": 1}),
    "headers": {"x-authorized-at-block": "9"},
}
RESULT = {"response": 4, "logs": "", "duration_ms": 1.5, "charged_cents": 1, "authorized_at_block": 9}
WALLET = {"id": "0", "pkp_id": "0x1", "wallet_address": "0x1", "name": "", "description": ""}


def wallets(first: int, end: int) -> list[dict[str, str]]:
    return [{**WALLET, "id": str(number)} for number in range(first, end)]


def page(first: int, end: int) -> dict[str, str]:
    return {"body": json.dumps(wallets(first, end))}


def refusal(status: int, retry_after: str | None = None, **told: object) -> dict[str, object]:
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return {"status": status, "headers": headers, "body": json.dumps({"error": "told", "message": "m", **told})}


@dataclass(frozen=True)
class Case:
    """A call, the answers it meets (the last one again and again), and its outcome: a value or the name of an error."""

    call: str
    answers: list[Any]
    value: Any = None
    error: str | None = None
    requests: int | None = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    nobody: bool = False


PATIENT = {"timeoutMs": 8_000}
"""Also on a busy machine longer than an attempt takes."""
QUICK = {
    # Reads are repeated after whatever may pass.
    "read: 503, then an answer": Case(READ, [refusal(503), TRUE], value=True, requests=2),
    "read: 429 with a pause, then an answer": Case(READ, [refusal(429, "0"), TRUE], value=True, requests=2),
    "read: 504, then an answer": Case(READ, [refusal(504), TRUE], value=True, requests=2),
    "read: reset, then an answer": Case(READ, ["reset", TRUE], value=True, requests=2),
    "read: cut in half, then an answer": Case(READ, ["half", TRUE], value=True, requests=2),
    "read: no HTTP, then an answer": Case(READ, ["garbage", TRUE], value=True, requests=2),
    "read: credit that is not sold": Case(READ, [refusal(503, error="billing_disabled")], error="Unavailable"),
    "read: a pause that is no number": Case(READ, [refusal(503, "soon"), TRUE], value=True, requests=2),
    # What does not pass is told at once.
    "read: 500": Case(READ, [refusal(500)], error="ServerFault"),
    "read: 401 of something else": Case(READ, [{"status": 401, "body": "<p>"}], error="Unauthorized"),
    "read: 502 of a proxy": Case(READ, [refusal(502)], error="ApiError"),
    "read: a redirect": Case(READ, [{"status": 302, "headers": {"location": STOLEN}}], error="InvalidAnswer"),
    "read: a redirect that keeps the body": Case(
        WRITE, [{"status": 308, "headers": {"location": STOLEN}}], error="InvalidAnswer"
    ),
    "read: no JSON": Case(READ, [{"body": "true, or so"}], error="InvalidAnswer"),
    "read: nothing": Case(READ, [{"status": 204}], error="InvalidAnswer"),
    "read: another form": Case(READ, [{"body": '"true"'}], error="InvalidAnswer"),
    "read: no UTF-8": Case("svc.node.adminPayer()", [{"body": '"\xff"'}], error="InvalidAnswer"),
    "read: nested without an end": Case(READ, [{"body": "[" * 1_000_000}], error="InvalidAnswer"),
    "read: a member of Object": Case(
        "svc.billing.balance()", [{"body": '{"__proto__": {"balance_cents": 1}}'}], error="InvalidAnswer"
    ),
    # A write carries one key, and is repeated under it.
    "write: reset twice": Case(WRITE, ["reset", "reset", MADE], value=DONE, requests=3),
    "write: 504": Case(WRITE, [refusal(504), MADE], value=DONE, requests=2),
    "write: another node is at it": Case(WRITE, [refusal(409, "0"), MADE], value=DONE, requests=2),
    "write: exists already": Case(WRITE, [refusal(409)], error="Conflict"),
    "write: 400": Case(WRITE, [refusal(400, fix="f")], error="BadRequest"),
    "write: twice by the caller": Case(f"[await {WRITE}, await {WRITE}].length", [MADE], value=2, requests=2),
    # A run is charged, so it is repeated only if it did not begin.
    "run: reset": Case(RUN, ["reset", RAN], error="Unanswered"),
    "run: cut in half": Case(RUN, ["half", RAN], error="Unanswered"),
    "run: 503": Case(RUN, [refusal(503), RAN], error="Unavailable"),
    "run: 504": Case(RUN, [refusal(504), RAN], error="ChainTimeout"),
    "run: 429": Case(RUN, [refusal(429, "0"), RAN], value=RESULT, requests=2),
    "run: a charge that is not known yet": Case(
        f"{RUN}.catch((error) => [error.name, error.details.charged_cents])",
        [refusal(503, details={"charged_cents": None})],
        value=["Unavailable", None],
    ),
    "run: another form": Case(RUN, [{"body": "{}"}, RAN], error="InvalidAnswer"),
    "run: an error without its parts": Case(RUN, [{"body": '{"has_error": true}'}], error="InvalidAnswer"),
    "idempotent run: reset": Case(KEYED, ["reset", RAN], value=RESULT, requests=2),
    "idempotent run: a kept fault": Case(
        KEYED, [refusal(503) | {"headers": {"idempotency-replayed": "true"}}, RAN], error="Unavailable"
    ),
    "idempotent run: its node is gone": Case(
        KEYED, [refusal(409, details={"reason": "outcome_unknown", "charged_cents": 0})], error="Unanswered"
    ),
    "run: block of no number": Case(
        RUN, [RAN | {"headers": {"x-authorized-at-block": "1e3"}}], value=RESULT | {"authorized_at_block": None}
    ),
    "run: after a write": Case(
        f"[await {WRITE}, await svc.groups.remove(1), await {RUN}].length", [MADE, OLDER, RAN], value=3, requests=3
    ),
    "run: ended by the caller": Case(f"{STOPPED}.catch((error) => error.message)", ["cancel"], value="mine"),
    "run: ended while the node's pause is waited for": Case(
        STOPPED_IN_TIME, [refusal(429, "20") | {"cancels": True}], value=["mine", True]
    ),
    "run: ended before it began": Case(
        f'(controller.abort(new Error("mine")), {STOPPED}).catch((error) => error.message)',
        [],
        value="mine",
        requests=0,
    ),
    # Lists.
    "list: two pages": Case(
        "all(svc.wallets.list())", [page(0, 100), page(100, 101)], value=wallets(0, 101), requests=2
    ),
    "list: two pages that repeat a thing": Case(
        "all(svc.wallets.list())", [page(0, 100), page(99, 130)], value=wallets(0, 130), requests=2
    ),
    "list: too long a page": Case("all(svc.wallets.list())", [page(0, 101)], error="InvalidAnswer"),
    "list: an item of another form": Case("all(svc.wallets.list())", [{"body": "[{}]"}], error="InvalidAnswer"),
    "list: no list": Case("all(svc.wallets.list())", [{"body": '{"length": 0}'}], error="InvalidAnswer"),
    # Arguments.
    "a cap that is misspelt": Case('svc.usageKeys.create("k", {capCent: 5})', [], error="InvalidArgument", requests=0),
    "options of another kind": Case('svc.usageKeys.create("k", 5)', [], error="InvalidArgument", requests=0),
    "parameters without a JSON form": Case('svc.actions.run("", {n: 1n})', [], error="InvalidArgument", requests=0),
    "a number that is not finite": Case('svc.actions.run("", {n: 1 / 0})', [], error="InvalidArgument", requests=0),
    "no time": Case('svc.actions.run("", {}, {timeoutMs: 0})', [], error="InvalidArgument", requests=0),
    "a way out of the evidence": Case('svc.node.evidence("../core/v1/x")', [], error="InvalidArgument", requests=0),
    # Keys.
    "key: read": Case(READ, [refusal(403, details={"missing": "g"})], error="Forbidden", options={"withKey": True}),
    "key: not to the public": Case(
        "svc.node.version()", [refusal(500)], error="ServerFault", options={"withKey": True}
    ),
    "key: broken connection": Case(RUN, ["reset"], error="Unanswered", options={"withKey": True}),
    "signed: billing": Case(
        "svc.billing.balance()", [refusal(402)], error="PaymentRequired", options={"withKey": True, "signed": SIGNED}
    ),
    "token: read and public": Case(
        f"[await {READ}, (await svc.node.version()).name]",
        [TRUE, {"body": json.dumps({"name": "n", "version": "1", "commit": None, "compose_hash": None})}],
        value=[True, "n"],
        requests=2,
        options={"proxyToken": TOKEN},
    ),
    "signed: elsewhere": Case(READ, [TRUE], value=True, options={"withKey": True, "signed": SIGNED}),
}
LATE = {
    "read: a pause of an hour": Case(READ, [refusal(429, "3600")], error="RateLimited", options=PATIENT),
    "read: 503 for ever": Case(READ, [refusal(503)], error="Unavailable", requests=None, options=PATIENT),
    "read: reset for ever": Case(READ, ["reset"], error="Unreachable", requests=None, options=PATIENT),
    "read: silence": Case(READ, ["silence"], error="Unreachable", options=PATIENT),
    "read: an answer without an end": Case(READ, ["drip"], error="Unreachable", options=PATIENT),
    "read: nobody there": Case(READ, [], error="Unreachable", requests=0, options=PATIENT, nobody=True),
    "read: more than can be held": Case("svc.node.adminPayer()", ["flood"], error="InvalidAnswer"),
    "run: silence": Case(RUN, ["silence"], error="Unanswered", options=PATIENT),
    "run: nobody there": Case(RUN, [], error="Unreachable", requests=0, options=PATIENT, nobody=True),
}
"""Cases that wait for their deadline, or move megabytes."""
CASES = QUICK | LATE
NAMES = [*QUICK, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in LATE)]


def outcomes_of(cases: Mapping[str, Case]) -> Any:
    return ran_javascript(DRIVER, {name: asdict(case) for name, case in cases.items()}, MODULES)


@pytest.fixture(scope="module")
def outcomes() -> Any:
    return outcomes_of(QUICK)


@pytest.fixture(scope="module")
def late_outcomes() -> Any:
    return outcomes_of(LATE)


@pytest.fixture
def outcome(name: str, request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue("outcomes" if name in QUICK else "late_outcomes")[name]


@pytest.mark.parametrize("name", NAMES)
def test_an_outcome(name: str, outcome: Any) -> None:
    case, error = CASES[name], outcome.get("error")
    assert error is None or "foreign" not in error, error
    assert (outcome.get("value"), error and error["kind"]) == (case.value, case.error)
    assert error is None or (error["name"] == case.error and error["message"])
    if case.requests is None:
        assert len(outcome["requests"]) > 1
    else:
        assert len(outcome["requests"]) == case.requests


@pytest.mark.parametrize("name", NAMES)
def test_a_key_is_in_one_header_alone(name: str, outcome: Any) -> None:
    shown = outcome["shown"] + json.dumps(outcome.get("error", ""))
    for request in outcome["requests"]:
        elsewhere = {header: value for header, value in request["headers"].items() if header != "x-api-key"}
        shown += request["path"] + request["body"] + json.dumps(elsewhere)
        has_key = bool(CASES[name].options.get("withKey"))
        is_public = request["path"] == "/core/v1/version"
        is_signed = "x-wallet-auth" in request["headers"]
        assert (request["headers"].get("x-api-key") == KEY) == (has_key and not is_public and not is_signed)
    assert KEY not in shown


def headers(outcomes: Any, name: str, header: str) -> list[str | None]:
    return [request["headers"].get(header) for request in outcomes[name]["requests"]]


@pytest.mark.parametrize(
    "name", ["write: reset twice", "write: 504", "write: another node is at it", "idempotent run: reset"]
)
def test_a_repetition_carries_the_same_idempotency_key(name: str, outcomes: Any) -> None:
    (key,) = set(headers(outcomes, name, "idempotency-key"))
    assert re.fullmatch("[A-Za-z0-9_-]{43,255}", key or ""), "a secret of 256 bits"


def test_each_call_has_an_idempotency_key_of_its_own_and_reads_and_runs_have_none(outcomes: Any) -> None:
    first, second = headers(outcomes, "write: twice by the caller", "idempotency-key")
    assert first is not None
    assert first != second
    assert headers(outcomes, "run: 429", "idempotency-key") == [None, None]
    assert headers(outcomes, "read: reset, then an answer", "idempotency-key") == [None, None]


def test_a_run_asks_for_the_highest_block_that_was_seen(outcomes: Any) -> None:
    run = outcomes["run: after a write"]["requests"][-1]
    assert json.loads(run["body"]) == {"code": "function main() {}", "min_block": 7}


def test_a_signature_takes_the_place_of_the_key_below_billing_alone(outcomes: Any) -> None:
    (signed,) = headers(outcomes, "signed: billing", "x-wallet-auth")
    assert signed is not None
    assert json.loads(base64.b64decode(signed)) == SIGNED
    assert headers(outcomes, "signed: elsewhere", "x-wallet-auth") == [None]


def test_the_token_of_a_proxy_takes_the_place_of_the_key(outcomes: Any) -> None:
    assert headers(outcomes, "token: read and public", "x-svc-proxy-token") == [TOKEN, None]
    assert headers(outcomes, "token: read and public", "x-api-key") == [None, None]


def test_an_error_says_what_the_node_said(outcomes: Any) -> None:
    refused, missing = outcomes["write: 400"]["error"], outcomes["key: read"]["error"]
    assert (refused["status"], refused["code"], refused["fix"], refused["message"]) == (400, "told", "f", "m f")
    assert missing["missing"] == "g"
    assert outcomes["read: 401 of something else"]["error"]["code"] == "unknown"


ADDRESSES = [
    *(
        "nowhere",
        "ftp://h",
        "http://node.example.com",
        "http://127.0.0.1.example.com",
        "http://127.example.com",
        "http://128.0.0.1",
        "http://1.127.0.0.1",
        "https://u:p@h",
        "https://h/path",
        "https://h/?q",
        "https://h/#f",
    ),
    "",
]
"""Nobody could be meant by them, or the key would leave in the clear."""

HERE = [
    "http://127.0.0.1:1",
    "http://127.250.3.4:9001",
    "http://localhost",
    "http://[::1]:1",
    "http://0x7f.1",
    "https://h",
]
KEYS = ["", "a b", "k\r\nX-Other: 1", "clé"]
REFUSED = """
import { InvalidArgument, SvcClient } from "./svc-client.mjs";
const told = given.map(([url, options]) => {
  try { new SvcClient(url, options); return ""; } catch (error) { return error instanceof InvalidArgument ? error.message : null; }
});
console.log(JSON.stringify(told));
"""


def test_plain_http_is_for_all_of_loopback() -> None:
    assert ran_javascript(REFUSED, [(address, {}) for address in HERE], MODULES) == [""] * len(HERE)


def test_an_address_and_a_key_that_cannot_be_used_are_refused_without_showing_the_key() -> None:
    arguments: list[tuple[str, object]] = [(address, {}) for address in ADDRESSES]
    arguments += [("https://h", {"apiKey": key}) for key in KEYS]
    arguments += [
        ("https://h", {"apiKey": None}),
        ("https://h", {"apikey": "secret"}),
        ("https://h", {"timeoutMs": -1}),
        ("https://h", {"proxyToken": "secret"}),
        ("http://127.0.0.1:1", {"proxyToken": "secret", "apiKey": "secret"}),
        ("http://127.0.0.1:1", {"proxyToken": "a b"}),
    ]
    told = ran_javascript(REFUSED, arguments, MODULES)
    assert all(told), told
    assert not any(key in message for key in [*KEYS[1:], "secret"] for message in told)
