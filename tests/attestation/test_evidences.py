"""`/evidences/` as a stranger with curl sees it: whole sets, one after the other, and nothing outside them."""

import asyncio
import hashlib
import json
import re

import pytest

from devkit.tee_simulator.options import Behaviour, Failure
from tests.attestation.conftest import Node, certificate


async def test_a_node_without_certificates_has_no_evidence(node: Node) -> None:
    response, raw = await node.get("/evidences/")
    assert (response.status, json.loads(raw)["error"]) == (404, "not_found")


async def test_while_the_first_set_is_being_made_it_is_503(node: Node) -> None:
    node.simulator.behave(Behaviour(failure=Failure.ERROR))
    preparing = asyncio.create_task(node.publish(certificate()))
    async with asyncio.timeout(10):
        while node.attestation.evidence_store.problem is None:
            await node.get("/evidences/")
    for path in ("/evidences/", "/evidences/quote.json"):
        response, raw = await node.get(path)
        assert (response.status, json.loads(raw)["error"]) == (503, "tee_unavailable")
        assert int(response.headers["Retry-After"]) >= 1
    node.simulator.behave(Behaviour())
    await asyncio.wait_for(preparing, 20)
    assert (await node.get("/evidences/"))[0].status == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_the_folder_without_its_slash_redirects_keeping_the_method(node: Node, method: str) -> None:
    await node.publish(certificate())
    response, raw = await node.get("/evidences", method)
    assert (response.status, response.headers["Location"], raw) == (308, "evidences/", b"")


async def test_every_link_of_the_listing_leads_to_a_file_of_the_set(node: Node) -> None:
    await node.publish(certificate(domain="*.node.example"), certificate(domain="node.example"))
    response, raw = await node.get("/evidences/")
    assert (response.status, response.content_type) == (200, "text/html")
    links = re.findall(r'href="([^"]*)"', raw.decode())
    assert links == [
        "acme-account.json", "cert-*.node.example.pem", "cert-node.example.pem", "quote.json", "sha256sum.txt",
    ]  # fmt: skip
    assert re.findall(r'href="cert-[^"]*\.pem"', raw.decode())
    types = set()
    for link in links:
        file, content = await node.get(f"/evidences/{link}")
        assert file.status == 200
        assert file.headers["ETag"] == response.headers["ETag"]
        assert file.headers["X-Content-Type-Options"] == "nosniff"
        head, empty = await node.get(f"/evidences/{link}", "HEAD")
        assert (head.status, empty, head.headers["Content-Length"]) == (200, b"", str(len(content)))
        types.add(file.content_type)
    assert types == {"application/json", "application/pem-certificate-chain", "text/plain"}
    assert (await node.get("/evidences/cert-%2A.node.example.pem"))[0].status == 200


async def test_the_files_vouch_for_one_another(node: Node) -> None:
    await node.publish(certificate())
    _, sums = await node.get("/evidences/sha256sum.txt")
    listed = {line[66:]: line[:64] for line in sums.decode().splitlines()}
    assert listed.keys() == {"acme-account.json", "cert-localhost.pem"}
    for name, digest in listed.items():
        assert hashlib.sha256((await node.get(f"/evidences/{name}"))[1]).hexdigest() == digest
    quote = json.loads((await node.get("/evidences/quote.json"))[1])
    assert quote["report_data"] == hashlib.sha256(sums).hexdigest() + "00" * 32
    assert quote["quote"][568 * 2 : 632 * 2] == quote["report_data"]
    assert json.loads((await node.get("/evidences/acme-account.json"))[1]) == {"uri": "self-signed"}


async def test_a_client_is_not_sent_what_it_has(node: Node) -> None:
    await node.publish(certificate())
    response, _ = await node.get("/evidences/quote.json")
    etag = response.headers["ETag"]
    for known in (etag, f'"x", {etag}', f"W/{etag}", "*"):
        again, raw = await node.get("/evidences/quote.json", headers={"If-None-Match": known})
        assert (again.status, raw, again.headers["ETag"]) == (304, b"", etag)
    for unknown in ('"x"', "", "garbage"):
        again, raw = await node.get("/evidences/quote.json", headers={"If-None-Match": unknown})
        assert again.status == 200
        assert raw


async def test_a_new_set_takes_the_place_of_the_old_which_stays_readable(node: Node) -> None:
    await node.publish(certificate(b"one"))
    names = ["acme-account.json", "cert-localhost.pem", "quote.json", "sha256sum.txt"]
    old = {name: (await node.get(f"/evidences/{name}"))[1] for name in names}
    name = hashlib.sha256(old["sha256sum.txt"]).hexdigest()
    etag = (await node.get("/evidences/"))[0].headers["ETag"]
    await node.publish(certificate(b"two"))
    listing, page = await node.get("/evidences/")
    assert listing.headers["ETag"] != etag
    assert f'href="{name}/"' in page.decode()
    response, page = await node.get(f"/evidences/{name}/")
    assert (response.status, response.headers["ETag"]) == (200, etag)
    for file, content in old.items():
        assert f'href="{file}"' in page.decode()
        response, raw = await node.get(f"/evidences/{name}/{file}")
        assert (response.status, raw, response.headers["ETag"]) == (200, content, etag)
    assert (await node.get("/evidences/cert-localhost.pem"))[1] != old["cert-localhost.pem"]


async def test_a_set_is_never_seen_half(node: Node) -> None:
    """Readers run beside a change of sets: what has one ETag fits together, always."""
    await node.publish(certificate(b"0"))
    seen: dict[str, dict[str, bytes]] = {}
    done = False

    async def read() -> None:
        while not done:
            for name in ("sha256sum.txt", "cert-localhost.pem", "quote.json"):
                response, raw = await node.get(f"/evidences/{name}")
                assert response.status == 200
                assert seen.setdefault(response.headers["ETag"], {}).setdefault(name, raw) == raw

    readers = [asyncio.create_task(read()) for _ in range(4)]
    for number in range(1, 15):
        await node.publish(certificate(str(number).encode()))
    done = True
    await asyncio.gather(*readers)
    whole = [files for files in seen.values() if len(files) == 3]
    assert len(whole) > 1
    for files in whole:
        assert hashlib.sha256(files["cert-localhost.pem"]).hexdigest() in files["sha256sum.txt"].decode()
        assert json.loads(files["quote.json"])["report_data"][:64] == hashlib.sha256(files["sha256sum.txt"]).hexdigest()


@pytest.mark.parametrize(
    "path",
    [
        "/evidences/..%2f..%2fetc%2fpasswd", "/evidences/%2e%2e/health", "/evidences/../../etc/passwd",
        "/evidences/%2fetc%2fpasswd", "/evidences/cert-localhost.pem%00", "/evidences/x/y/z", "/evidences/.",
        "/evidences/nothing.pem", "/evidences/" + "0" * 64 + "/", "/evidences/" + "0" * 64 + "/quote.json",
        "/evidences//quote.json", "/evidences/quote.json/", "/evidences/" + "a" * 299,
    ],
)  # fmt: skip
async def test_nothing_else_is_there(node: Node, path: str) -> None:
    await node.publish(certificate())
    response, raw = await node.get(path)
    assert response.status == 404, raw
    assert json.loads(raw)["error"] == "not_found"
    assert b"root:" not in raw


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_nobody_writes(node: Node, method: str) -> None:
    await node.publish(certificate())
    for path in ("/evidences", "/evidences/", "/evidences/quote.json", "/attestation", "/info"):
        response, raw = await node.get(path, method)
        assert (response.status, json.loads(raw)["error"]) == (405, "method_not_allowed")
        assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ["/evidences/?x=1", "/evidences/quote.json?name=sha256sum.txt", "/evidences?set=1"])
async def test_a_query_is_400(node: Node, path: str) -> None:
    await node.publish(certificate())
    response, raw = await node.get(path)
    assert (response.status, json.loads(raw)["error"]) == (400, "bad_request")
