"""The connection goes to the address that was checked; TLS is with the name."""

import datetime as dt
import ssl
from pathlib import Path

import pytest

from node.runtime.tls_trust import built_in_trust
from tests.engine.egress.certificates import tls_for
from tests.engine.egress.fetching import Names, fetching
from tests.engine.egress.servers import answer, redirect, server

NAME = "api.example.org"
NAMES = {NAME: [["127.0.0.1"]], "other.example.org": [["127.0.0.1"]]}


async def test_the_certificate_must_be_the_names_and_the_server_is_told_the_name(tmp_path: Path) -> None:
    serving, trusting = tls_for([NAME], tmp_path)
    told: list[str | None] = []
    serving.sni_callback = lambda _socket, name, _context: told.append(name)
    async with server(serving) as origin, fetching(names=Names(dict(NAMES)), tls=trusting) as run:
        origin.by_path["/"] = answer(b"x")
        assert (await run.fetch(f"https://{NAME}:{origin.port}/"))["body"] == b"x"
        assert told == [NAME]
        assert origin.asked[0].headers["host"] == f"{NAME}:{origin.port}"
        for host in ("other.example.org", "127.0.0.1", "localhost"):
            assert "TLS" in await run.failure(f"https://{host}:{origin.port}/")
        assert len(origin.asked) == 1


async def test_a_certificate_nobody_trusts_is_refused(tmp_path: Path) -> None:
    serving, _ = tls_for([NAME], tmp_path)
    async with server(serving) as origin, fetching(names=Names(dict(NAMES)), tls=ssl.create_default_context()) as run:
        origin.by_path["/"] = answer(b"x")
        assert "TLS" in await run.failure(f"https://{NAME}:{origin.port}/")
        assert origin.asked == []


async def test_a_certificate_that_has_ended_is_refused(tmp_path: Path) -> None:
    serving, trusting = tls_for([NAME], tmp_path, ends_in=-dt.timedelta(days=1))
    async with server(serving) as origin, fetching(names=Names(dict(NAMES)), tls=trusting) as run:
        assert "TLS" in await run.failure(f"https://{NAME}:{origin.port}/")
        assert origin.asked == []


async def test_the_environment_names_no_authority_and_gets_no_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving, trusting = tls_for([NAME], tmp_path)
    keys = tmp_path / "keys"
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    monkeypatch.setenv("SSLKEYLOGFILE", str(keys))
    async with server(serving) as origin:
        origin.by_path["/"] = answer(b"x")
        async with fetching(names=Names(dict(NAMES))) as run:
            assert "TLS" in await run.failure(f"https://{NAME}:{origin.port}/")
        assert origin.asked == []
        async with fetching(names=Names(dict(NAMES)), tls=trusting) as run:
            await run.fetch(f"https://{NAME}:{origin.port}/")
    assert not keys.exists()
    built_in = built_in_trust()
    assert built_in.cert_store_stats()["x509_ca"] > 0, "this machine trusts nobody: the test above shows nothing"


async def test_credentials_do_not_go_from_tls_to_plain_text_or_back(tmp_path: Path) -> None:
    serving, trusting = tls_for([NAME], tmp_path)
    async with (
        server(serving) as safe,
        server() as plain,
        fetching(names=Names(dict(NAMES)), tls=trusting) as run,
    ):
        safe_url, plain_url = f"https://{NAME}:{safe.port}", f"http://{NAME}:{plain.port}"
        safe.by_path |= {"/": redirect(plain_url + "/end"), "/end": answer()}
        plain.by_path |= {"/": redirect(safe_url + "/end"), "/end": answer()}
        for url in (safe_url, plain_url):
            await run.fetch(url, headers=[("Authorization", "a"), ("Cookie", "b")])
        ends = [asked for asked in safe.asked + plain.asked if asked.path == "/end"]
        assert len(ends) == 2
        assert not {"authorization", "cookie"} & {name for end in ends for name in end.headers}


async def test_credentials_do_not_go_to_plain_text_at_the_same_name_and_port(tmp_path: Path) -> None:
    serving, trusting = tls_for([NAME], tmp_path)
    names = Names({NAME: [["127.0.0.1"], ["127.0.0.2"]]})
    async with (
        server(serving) as safe,
        server(host="127.0.0.2", port=safe.port) as plain,
        fetching(names=names, tls=trusting) as run,
    ):
        safe.by_path["/"] = redirect(f"http://{NAME}:{safe.port}/end")
        plain.by_path["/end"] = answer()
        await run.fetch(f"https://{NAME}:{safe.port}/", headers=[("Authorization", "a"), ("Cookie", "b")])
        (end,) = plain.asked
        assert not {"authorization", "cookie"} & end.headers.keys()
