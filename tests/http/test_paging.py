"""Pages: strictly decimal queries, a bare array, and links that lead through the whole list."""

import re

import pytest

from tests.http.conftest import Keys
from tests.http.endpoints import Desk
from tests.support.http_server import Server


def links(value: str) -> dict[str, str]:
    return {relation: target for target, relation in re.findall(r'<([^>]*)>; rel="(\w+)"', value)}


async def test_the_default_page(server: Server, keys: Keys) -> None:
    reply = await server.call("GET", "/things", key=keys.usage)
    assert [item["id"] for item in reply.body] == [str(number) for number in range(20)]
    assert reply.headers["X-Total-Count"] == "250"
    assert links(reply.headers["Link"]) == {
        "first": "/core/v1/things?page_number=0&page_size=20",
        "next": "/core/v1/things?page_number=1&page_size=20",
        "last": "/core/v1/things?page_number=12&page_size=20",
    }


async def test_links_lead_through_the_list_once_and_keep_the_query(server: Server, keys: Keys) -> None:
    path, seen = "/things?group_id=0x7&page_size=100", []
    while path:
        reply = await server.call("GET", path, key=keys.usage)
        assert "group_id=0x7" in links(reply.headers["Link"])["first"]
        seen += [item["id"] for item in reply.body]
        path = links(reply.headers["Link"]).get("next", "").removeprefix("/core/v1")
    assert seen == [str(number) for number in range(250)]


async def test_past_the_end_is_empty_and_leads_back(server: Server, keys: Keys) -> None:
    reply = await server.call("GET", "/things?page_number=1000&page_size=100", key=keys.usage)
    assert (reply.status, reply.body) == (200, [])
    assert links(reply.headers["Link"])["prev"] == "/core/v1/things?page_number=2&page_size=100"
    assert "next" not in links(reply.headers["Link"])


async def test_an_empty_list_has_one_page(server: Server, keys: Keys, desk: Desk) -> None:
    desk.things = 0
    reply = await server.call("GET", "/things", key=keys.usage)
    assert reply.body == []
    assert links(reply.headers["Link"]).keys() == {"first", "last"}
    assert reply.headers["X-Total-Count"] == "0"


@pytest.mark.parametrize(
    "query",
    [
        "page_number=-1", "page_number=%2B1", "page_number=1.0", "page_number=1e3", "page_number=%201", "page_number=",
        "page_number=0x1", "page_number=01", "page_number=٣", "page_number=99999999999", "page_number=true",
        "page_size=0", "page_size=101", "page_size=-5", "page_size=ten", "page_size=%zz", "page_size=%ff",
        "page_number=1&page_number=2", "page=1", "page_number=1&x=1", "group_id=abc", "PAGE_SIZE=5",
    ],
)  # fmt: skip
async def test_anything_else_is_400_naming_the_parameter(server: Server, keys: Keys, query: str) -> None:
    reply = await server.call("GET", f"/things?{query}", key=keys.usage)
    assert (reply.status, reply.body["error"]) == (400, "bad_request")
    assert reply.body["details"]["fields"]


async def test_head_answers_the_same_headers_without_a_body(server: Server, keys: Keys) -> None:
    reply = await server.call("HEAD", "/things", key=keys.usage)
    assert (reply.status, reply.raw, reply.headers["X-Total-Count"]) == (200, b"", "250")
