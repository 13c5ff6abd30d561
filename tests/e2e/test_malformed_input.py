"""Whatever is sent, the answer is JSON of the one error shape, never a 500, and what failed was not charged."""

import json
import string
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.e2e.account import Account, new_account
from tests.e2e.test_authentication import CLOSED, OPEN
from tests.support.client import Answer, Client

POSTS = sorted({path for method, path in CLOSED + OPEN if method == "POST"} - {"new_account"})
TAKES_CODE = {"svc_action", "explain", "get_svc_action_ipfs_id"}
GETS = sorted({path for method, path in CLOSED + OPEN if method == "GET"} - {"create_wallet"})
FIELDS = (
    "name",
    "description",
    "group_id",
    "group_name",
    "group_description",
    "pkp_id",
    "pkp_ids_permitted",
    "cid_hashes_permitted",
    "action_ipfs_cid",
    "hashed_cid",
    "usage_api_key",
    "api_key_hash",
    "can_create_groups",
    "execute_in_groups",
    "manage_ipfs_ids_in_groups",
    "expiration",
    "balance",
    "code",
    "js_params",
    "min_block",
    "amount_cents",
    "payment_intent_id",
    "account_name",
    "email",
)
CID = "QmPKcvhfDXSgKj3ZKRDmMXGCA353xWXYtLMGYoKEoaKrjq"
NEARLY_RIGHT: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(0, 1, -1, True, False, None, 1.0, 1.5, 2**63, 2**64, 2**64 - 1, 2**256, 1e308, "", " ", "0", "1", "-1"),
        *("+1", " 5 ", "1.0", "0x", "0x0", "0x1", "0xg", "1e3", "٣", "0x" + "f" * 16, "0x" + "f" * 17),
        *("0x" + "0" * 40, "0x" + "0" * 64, "0x" + "ab" * 20, "0x" + "AB" * 20, "0X" + "ab" * 20, "0x" + "ab" * 32),
        *(CID, CID[:-1], CID.lower(), "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi", "Qm", "zzz"),
        *("\x00", "\ud800", "\U0001f600" * 300, "a" * 257, "a" * 5000, "é" * 256, "<script>", "../..", "' OR 1=1"),
        *([], [[]], {}, [0], ["0"], [1, 1], [None], [True], ["0x" + "0" * 40], list(range(101)), {"a": 1}),
        *("A" * 43 + "=", "function main() {}", "main = 1", "}", "a@b", "a b@c"),
    ]
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
VALUES = NEARLY_RIGHT | ANYTHING
BODIES = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=12), VALUES, max_size=7)
RAW = st.binary(max_size=64) | st.sampled_from(
    [
        *(
            b"",
            b"null",
            b"[]",
            b'""',
            b"{",
            b"{}}",
            b'{"a":1,"a":2}',
            b'{"name":NaN}',
            b'{"name":Infinity}',
            b"\xff\xfe",
        ),
        *(
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b'{"name":"\\ud800"}',
            b'{"balance":' + b"9" * 5000 + b"}",
            b"\xef\xbb\xbf{}",
        ),
    ]
)
QUERIES = st.dictionaries(
    st.sampled_from(["page_number", "page_size", "group_id"]) | st.text(string.ascii_letters, min_size=1, max_size=9),
    VALUES,
    max_size=3,
)


@pytest.fixture(scope="module")
def target(anonymous: Client) -> Account:
    """An account with something to break."""
    account = new_account(anonymous)
    account.action("function main() {}")
    account.group()
    return account


def looked_at(answer: Answer) -> None:
    assert answer.status != 500, answer.body
    if answer.status >= 400:
        assert set(answer.body) <= {"error", "message", "fix", "request_id", "details"}, answer.body
        assert answer.body["request_id"] == answer.headers["X-Request-Id"]
        assert answer.body["message"]
        assert "Traceback" not in json.dumps(answer.body)


def credit(account: Account) -> int:
    return int(account.client.get("billing/balance").ok()["credit_cents"])


def encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=True).encode()


@pytest.mark.parametrize("path", POSTS)
def test_a_post_with_anything_in_it(target: Account, path: str) -> None:
    @settings(max_examples=40)
    @given(body=BODIES)
    def attack(body: dict[str, Any]) -> None:
        before = credit(target)
        answer = target.client.send("POST", path, encoded(body), {"Content-Type": "application/json"})
        looked_at(answer)
        if answer.status != 200:
            assert credit(target) == before

    attack()


@pytest.mark.parametrize("path", [*POSTS, "new_account"])
def test_only_what_takes_code_takes_a_body_of_ten_megabytes(target: Account, path: str) -> None:
    limits = target.client.get("get_svc_action_client_config").ok()
    kind = "http_max_body_bytes" if path in TAKES_CODE else "http_max_other_body_bytes"
    most = limits[kind]
    # Blanks alone: read whole, and then no JSON. A refused body is told by its length, and not sent to its end.
    answer = target.client.send("POST", path, b" " * most, {"Content-Type": "application/json"})
    assert answer.status in {200, 400}, answer.body
    over = target.client.send("POST", path, b" " * (most + 1), {"Content-Type": "application/json"})
    assert over.refused(413, "payload_too_large") == {"max_body_bytes": most}


@pytest.mark.parametrize("path", [*POSTS, "new_account"])
def test_a_post_of_raw_bytes(target: Account, path: str) -> None:
    @settings(max_examples=30)
    @given(
        body=RAW, content_type=st.sampled_from(["application/json", "text/plain", "application/json; charset=x", ""])
    )
    def attack(body: bytes, content_type: str) -> None:
        before = credit(target)
        answer = target.client.send("POST", path, body, {"Content-Type": content_type})
        looked_at(answer)
        if answer.status != 200:
            assert credit(target) == before

    attack()


@pytest.mark.parametrize("path", GETS)
def test_a_get_with_any_query(target: Account, path: str) -> None:
    @settings(max_examples=30)
    @given(query=QUERIES)
    def attack(query: dict[str, Any]) -> None:
        printable = {name: str(value).encode("utf-8", "replace").decode() for name, value in query.items()}
        looked_at(target.client.get(path, **printable))

    attack()


@settings(max_examples=60)
@given(path=st.text(max_size=30), method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]))
def test_any_path_and_method(target_api: Client, path: str, method: str) -> None:
    quoted = "".join(f"%{byte:02X}" for byte in path.encode("utf-8", "replace"))
    answer = target_api.send(method, quoted, None)
    assert answer.status in {200, 204, 400, 404, 405}
    if answer.status >= 400:
        looked_at(answer)


@pytest.fixture(scope="module")
def target_api(target: Account) -> Client:
    """The same account, unchecked against the document: these paths are in no document."""
    return Client(target.client.api, lambda _method, _path, _answer: None, target.key)
