"""A development node to verify, and what may stand between it and a verifier."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from svc_verifier.formats.addresses import HostAddress
from svc_verifier.gathering.gather import Sources, development_sources
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.trust import AccountPins, Trust
from svc_verifier.trust_file import development_root
from tests.support.fuzzing.der import pem_of
from tests.support.node import NodeProcess, running_node
from tests.support.tls import LOOPBACK

CHAIN_ID = 31337
UNHURRIED = {"SVC_ATTESTATION_NONCES_PER_MINUTE_PER_ADDRESS": "1000"}
"""Tests ask more often than strangers do."""

PATIENT = GatheringLimits(
    connect_timeout_s=30.0, request_timeout_s=30.0, look_timeout_s=60.0, rpc_timeout_s=30.0, rpc_total_timeout_s=60.0
)
"""Far longer than an honest answer takes, also on a busy machine: whoever never answers is given less by the test."""


@dataclass(frozen=True)
class VerifiableNode:
    """A running development node, and what its user would pin."""

    process: NodeProcess

    @property
    def address(self) -> HostAddress:
        return HostAddress.of(self.process.log_value("https").replace(LOOPBACK, "localhost"))

    @property
    def port(self) -> int:
        return int(self.address.origin.rpartition(":")[2])

    @property
    def app_id(self) -> bytes:
        return bytes.fromhex(self.process.log_value("tee-app-id")[2:])

    @property
    def account_contract(self) -> bytes:
        return bytes.fromhex(self.process.log_value("account-contract")[2:])

    @property
    def chain(self) -> str:
        return self.process.log_value("chain")

    @property
    def root(self) -> Path:
        return Path(self.process.log_value("tee-root"))

    def trust(self, *rpc_urls: str) -> Trust:
        """What the node is; `rpc_urls` in place of its one chain."""
        return Trust(
            host=self.address.name,
            app_id=self.app_id,
            chain_id=CHAIN_ID,
            rpc_urls=rpc_urls or (self.chain,),
            development_root=development_root(self.root),
            accounts=AccountPins(contract=self.account_contract),
        )

    def sources(self, limits: GatheringLimits = PATIENT) -> Sources:
        return development_sources(self.root, limits)

    def arguments(self, *more: str) -> list[str]:
        """The options of `svc-verify` that name what `trust` holds."""
        pins = ["--app-id", f"0x{self.app_id.hex()}", "--account-contract", f"0x{self.account_contract.hex()}"]
        known = [*pins, "--insecure-dev-root", str(self.root), "--rpc-url", self.chain]
        return [*known, *more]


@contextlib.contextmanager
def verifiable_node(data_directory: Path) -> Iterator[VerifiableNode]:
    """A development node until the context ends."""
    with running_node(data_directory, UNHURRIED) as process:
        yield VerifiableNode(process)


Meet = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Impostor:
    """A host on loopback with a certificate of its own, self-signed for localhost; `meet` answers each request.

    `paths` are those it was asked for, `headers` what came with them. `passing` hands connections to that port instead,
    as they are: TLS then ends there. Set it to None and the impostor is met again.
    """

    def __init__(self, meet: Meet, context: ssl.SSLContext | None = None) -> None:
        self.meet = meet
        self.context = context
        self.passing: int | None = None
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.origin = ""
        self.port = 0
        self.pipes: set[asyncio.StreamWriter] = set()
        self.until_bytes: int | None = None
        """With `passing`: connections are cut, and none passed any more, at the first words after so many bytes back."""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        assert isinstance(request, web.Request)
        self.paths.append(request.path_qs)
        self.headers.append(dict(request.headers))
        return await self.meet(request)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Impostor"]:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self.answer)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        site = web.TCPSite(runner, LOOPBACK, 0, ssl_context=self.context or own_context())
        await site.start()
        inner = runner.addresses[0][1]

        piping: set[asyncio.Task[None]] = set()

        def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            piping.add(asyncio.ensure_future(self._pipe(reader, writer, inner)))

        front = await asyncio.start_server(pipe, LOOPBACK, 0)
        self.port = front.sockets[0].getsockname()[1]
        self.origin = f"https://localhost:{self.port}"
        try:
            yield self
        finally:
            front.close()
            self.cut()
            await asyncio.gather(*piping, return_exceptions=True)
            await runner.cleanup()

    def cut(self) -> None:
        """End every connection that is open."""
        for writer in self.pipes:
            writer.transport.abort()

    async def _pipe(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, inner: int) -> None:
        passed = self.passing is not None
        try:
            there_reader, there = await asyncio.open_connection(LOOPBACK, self.passing or inner)
        except OSError:
            writer.transport.abort()
            return
        self.pipes |= {writer, there}
        back = 0

        async def words() -> None:
            while data := await reader.read(65_536):
                if passed and self.until_bytes is not None and back > self.until_bytes:
                    self.passing = None
                    break
                there.write(data)

        async def answers() -> None:
            nonlocal back
            while data := await there_reader.read(65_536):
                back += len(data)
                writer.write(data)

        tasks = [asyncio.ensure_future(words()), asyncio.ensure_future(answers())]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for each in (writer, there):
            self.pipes.discard(each)
            each.transport.abort()
            with contextlib.suppress(OSError):
                await each.wait_closed()


def relaying(node: NodeProcess) -> Meet:
    """Every answer of a node, as it is: what an impostor with a certificate of its own can show."""

    async def meet(request: web.Request) -> web.StreamResponse:
        async with (
            aiohttp.ClientSession(auto_decompress=False) as session,
            session.get(f"{node.url}{request.path_qs}") as response,
        ):
            return web.Response(status=response.status, body=await response.read())

    return meet


def at(node: VerifiableNode, impostor: Impostor) -> tuple[HostAddress, Trust]:
    """The impostor's address, and what a user of the node would pin."""
    return HostAddress.of(impostor.origin), replace(node.trust(), host="localhost")


def own_context(change: Callable[[bytes], bytes] = bytes) -> ssl.SSLContext:
    """A server's context with a new self-signed certificate for localhost, its DER as `change` makes it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as directory:
        both = Path(directory) / "both.pem"
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        both.write_bytes(pem + pem_of(change(certificate.public_bytes(Encoding.DER))))
        context.load_cert_chain(both)
    return context
