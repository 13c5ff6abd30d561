"""A provisioning service on loopback that plays a simulator's collateral, with ways to answer otherwise."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, urlsplit

from aiohttp import web

from tests.support.attested.td import Td
from tests.support.tls import LOOPBACK

HEADERS: Final = {
    "tcb_info": "TCB-Info-Issuer-Chain",
    "qe_identity": "SGX-Enclave-Identity-Issuer-Chain",
    "pck_crl": "SGX-PCK-CRL-Issuer-Chain",
}
MEMBERS: Final = {"tcb_info": "tcbInfo", "qe_identity": "enclaveIdentity"}
PATHS: Final = {
    "/tdx/certification/v4/tcb": "tcb_info",
    "/tdx/certification/v4/qe/identity": "qe_identity",
    "/sgx/certification/v4/pckcrl": "pck_crl",
    "/sgx/certification/v4/rootcacrl": "root_ca_crl",
}


@dataclass
class Told:
    """One answer."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


Change = Callable[[str, Told], Told]
"""What becomes of the answer that has this name."""


def told(collateral: Mapping[str, str]) -> dict[str, Told]:
    """The answers of Intel's service, and of a cache of it, for collateral as dcap-qvl writes it."""
    answers = {}
    for name, member in MEMBERS.items():
        signature = collateral[f"{name}_signature"]
        body = f'{{"{member}":{collateral[name]},"signature":"{signature}"}}'
        answers[name] = Told(body.encode())
    answers["pck_crl"] = Told(bytes.fromhex(collateral["pck_crl"]))
    answers["root_ca_crl"] = Told(collateral["root_ca_crl"].encode())
    for name, header in HEADERS.items():
        answers[name].headers[header] = quote(collateral[f"{name}_issuer_chain"])
    return answers


def unchanged(_: str, answer: Told) -> Told:
    """As it is."""
    return answer


@dataclass
class Service:
    """`asked` are the targets it was asked for, `written` the bytes of bodies that its clients took."""

    collateral: dict[str, str] = field(default_factory=lambda: dict(Td().collateral))
    change: Change = unchanged
    prefix: str = ""
    asked: list[str] = field(default_factory=list)
    written: int = 0
    url: str = ""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Service"]:
        """The service, on a port of its own."""
        runner = web.ServerRunner(web.Server(self._answer, access_log=None), shutdown_timeout=1.0)
        await runner.setup()
        await web.TCPSite(runner, LOOPBACK, 0).start()
        self.url = f"http://{LOOPBACK}:{runner.addresses[0][1]}{self.prefix}"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.path_qs)
        name = PATHS.get(urlsplit(request.path_qs).path.removeprefix(self.prefix))
        if name is None:
            return web.Response(status=400)
        answer = self.change(name, told(self.collateral)[name])
        response = web.StreamResponse(status=answer.status, headers=answer.headers)
        response.content_length = len(answer.body)
        await response.prepare(request)
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            for start in range(0, len(answer.body), 65_536):
                part = answer.body[start : start + 65_536]
                await response.write(part)
                self.written += len(part)
            await response.write_eof()
        return response


def changed(name: str, **changes: object) -> Change:
    """One answer with another body, status or headers."""

    def change(which: str, answer: Told) -> Told:
        if which != name:
            return answer
        return Told(**({"body": answer.body, "headers": answer.headers, "status": answer.status} | changes))  # type: ignore[arg-type]

    return change


def every(**changes: object) -> Change:
    """All answers with another body, status or headers."""
    return lambda which, answer: changed(which, **changes)(which, answer)


def rewritten(name: str, body: Callable[[bytes], bytes]) -> Change:
    """One answer whose body is made of the right one."""
    return lambda which, answer: changed(name, body=body(answer.body) if which == name else b"")(which, answer)


def renamed(rename: Callable[[str], str], value: Callable[[str], str] = str) -> Change:
    """All answers with other names of headers, or other values."""

    def change(_: str, answer: Told) -> Told:
        return Told(answer.body, {rename(each): value(text) for each, text in answer.headers.items()}, answer.status)

    return change


def signed_member(body: bytes, member: str) -> str:
    """The text of a document as it stands in an answer of the service."""
    return body.decode().removeprefix(f'{{"{member}":').partition(',"signature":')[0]


def compact(value: object) -> str:
    """JSON without blanks, as the service writes it."""
    return json.dumps(value, separators=(",", ":"))
