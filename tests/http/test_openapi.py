"""The document is of the endpoints that serve, valid, and the checker that leans on it refuses what it should."""

import gzip
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import aiohttp
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from pydantic import BaseModel

from node.api.calls import Call
from node.http.endpoint import Access, Auth, Docs, Endpoint, Operation
from tests.http.endpoints import Desk
from tests.support.http_server import Server, World, serving

IMMUTABLE = "public, max-age=31536000, immutable"


class Sent(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


async def document(server: Server) -> Any:
    async with server.session.get(f"http://127.0.0.1:{server.port}/core/v1/openapi.json") as response:
        assert response.status == 200
        return await response.json()


async def test_it_is_valid_openapi_31(server: Server) -> None:
    OpenAPIV31SpecValidator(await document(server)).validate()


async def test_it_names_exactly_the_endpoints_that_serve(server: Server, desk: Desk) -> None:
    described = {
        (method.upper(), path)
        for path, operations in (await document(server))["paths"].items()
        for method in operations
    }
    assert described == {(endpoint.operation.method, endpoint.operation.path) for endpoint in desk.endpoints()}
    served = {
        (route.method, route.resource.canonical.removeprefix("/core/v1"))
        for route in server.runner.app.router.routes()
        if route.resource is not None and route.method in {"GET", "POST"}
    }
    documents = {("GET", path) for path in ("", "/", "/openapi.json")}
    pages = {route for route in served if route[1].startswith("/swagger-ui")}
    assert served - documents - pages == described


async def test_operations_tell_auth_deprecation_pages_and_examples(server: Server) -> None:
    paths = (await document(server))["paths"]
    assert paths["/note"]["post"]["security"] == [{"bearer": []}, {"api_key": []}]
    assert paths["/text"]["post"]["security"] == []
    assert paths["/mint"]["get"]["deprecated"] is True
    assert paths["/text"]["post"]["requestBody"]["content"]["application/json"]["example"] == "x"
    listing = paths["/things"]["get"]
    assert {"X-Total-Count", "Link"} <= listing["responses"]["200"]["headers"].keys()
    names = [parameter["name"] for parameter in listing["parameters"]]
    assert names == ["page_number", "page_size", "group_id", "X-Correlation-Id"]
    assert "401" in paths["/note"]["post"]["responses"]
    assert "401" not in paths["/noop"]["get"]["responses"]


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a document."""
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from parts(each)


async def test_what_may_be_left_out_is_optional_and_has_no_default(server: Server) -> None:
    schemas = (await document(server))["components"]["schemas"]
    assert schemas["Note"]["required"] == ["name"]
    assert {"description", "group_id", "loud", "anything"} <= schemas["Note"]["properties"].keys()
    assert not [schema for schema in parts(schemas) if "default" in schema]


async def test_what_an_answer_leaves_out_is_optional_and_never_null(server: Server) -> None:
    secret = (await document(server))["components"]["schemas"]["Secret"]
    assert secret["required"] == ["success", "usage_api_key"]
    assert secret["properties"]["transaction_hash"]["type"] == "string"
    noted = (await document(server))["components"]["schemas"]["Noted"]
    assert {"type": "null"} in noted["properties"]["caller"]["anyOf"]
    assert "caller" in noted["required"]


async def test_a_body_that_may_be_left_out_is_an_optional_body(server: Server) -> None:
    paths = (await document(server))["paths"]
    assert paths["/count"]["post"]["requestBody"]["required"] is False
    assert paths["/note"]["post"]["requestBody"]["required"] is True


async def test_queries_tell_their_defaults_and_know_no_null(server: Server) -> None:
    listing = (await document(server))["paths"]["/things"]["get"]
    query = {parameter["name"]: parameter for parameter in listing["parameters"]}
    assert not any(parameter.get("required") for parameter in query.values())
    assert query["page_size"]["schema"]["default"] == 20
    assert "default" not in query["group_id"]["schema"]
    assert {"type": "null"} not in query["group_id"]["schema"]["anyOf"]


GOOD = {
    "content-type": "application/json", "x-request-id": "0" * 36, "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "status", "headers", "body"),
    [
        ("/noop", 200, GOOD, {"count": "1"}),
        ("/noop", 200, GOOD, {}),
        ("/noop", 201, GOOD, {"count": 1}),
        ("/noop", 401, GOOD, {"error": "unauthorized", "message": "", "request_id": "0" * 36}),
        ("/noop", 400, GOOD, {"error": "new_code", "message": "", "request_id": "0" * 36}),
        ("/noop", 400, GOOD, {"error": "bad_request", "message": ""}),
        ("/noop", 200, GOOD | {"content-type": "text/html"}, {"count": 1}),
        ("/things", 200, GOOD, []),
        ("/unknown", 200, GOOD, {}),
    ],
)
async def test_the_checker_refuses_what_is_not_documented(
    server: Server, path: str, status: int, headers: dict[str, str], body: object
) -> None:
    with pytest.raises(AssertionError):
        server.checker.check("GET", path, status, headers, body)
    server.checker.check("GET", "/noop", 200, GOOD, {"count": 1})


class Lenient(BaseModel):
    name: str = ""


async def nothing(_: Call, __: Lenient) -> None:
    return None


async def test_an_input_that_takes_unknown_fields_is_refused_at_start(world: World) -> None:
    lenient = Endpoint(
        Operation("POST", "/lenient", Lenient, type(None), nothing), Docs("Lenient"), "Test", Access(Auth.NONE)
    )
    with pytest.raises(ValueError, match="extra"):
        async with serving([lenient], world):
            pass


async def test_an_endpoint_declared_twice_is_refused_at_start(world: World, desk: Desk) -> None:
    with pytest.raises(ValueError, match="declared twice"):
        async with serving([*desk.endpoints(), desk.endpoints()[0]], world):
            pass


async def test_the_page_is_local_and_strict(server: Server) -> None:
    base = f"http://127.0.0.1:{server.port}"
    async with server.session.get(f"{base}/", allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (302, "/core/v1/swagger-ui")
    async with server.session.get(f"{base}/") as response:
        page = await response.text()
        policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http://" not in page
    assert "https://" not in page
    folders = set(re.findall(r'"(/core/v1/swagger-ui/assets/[0-9a-f]{16}/)', page))
    assert len(folders) == 1
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "start.js", "page.css"):
        path = folders.copy().pop() + name
        assert f'"{path}"' in page
        async with server.session.get(f"{base}{path}") as response:
            assert (response.status, response.headers["Cache-Control"]) == (200, IMMUTABLE)
            assert "Access-Control-Allow-Origin" not in response.headers
            assert len(await response.read()) > 10


async def test_page_files_and_document_are_compressed_and_not_sent_twice(server: Server) -> None:
    base = f"http://127.0.0.1:{server.port}"
    async with server.session.get(f"{base}/core/v1/swagger-ui") as response:
        script = re.findall(r'src="([^"]*)"', await response.text())[0]
    for path in ("/core/v1/swagger-ui", "/core/v1/openapi.json", script):
        plain = await sent(server, path, {"Accept-Encoding": "identity"})
        packed = await sent(server, path, {"Accept-Encoding": "gzip"})
        assert (plain.headers.get("Content-Encoding"), packed.headers["Content-Encoding"]) == (None, "gzip")
        assert gzip.decompress(packed.body) == plain.body
        assert plain.headers["ETag"] == packed.headers["ETag"]
        again = await sent(server, path, {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
        assert (again.status, again.body, again.headers["Vary"]) == (304, b"", "Accept-Encoding")
    assert len(packed.body) < len(plain.body) / 3


async def sent(server: Server, path: str, headers: dict[str, str]) -> Sent:
    """Returns the bytes of the response as the server sends them."""
    async with (
        aiohttp.ClientSession(auto_decompress=False) as session,
        session.get(f"http://127.0.0.1:{server.port}{path}", headers=headers) as response,
    ):
        return Sent(response.status, response.headers, await response.read())
