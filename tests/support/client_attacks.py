"""Attacks on a client of the node: what stands in the node's place, how the client is used, and what it must say."""

import asyncio
import hashlib
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import web
from click.testing import CliRunner

from attest.evidence import ACCOUNT_FILE, QUOTE_FILE, SUMS_FILE, sums_of
from attest.statement import CanonicalConfig, Statement, padded_sha256
from svc_client import AsyncClient, Client, NodeNotAccepted, SvcError
from svc_client.cli import main
from svc_client.cli_context import Exit, exit_of
from svc_client.profile import FOLDER_VARIABLE, Profile, save_profile
from svc_client.transport import TrustIn
from svc_verifier import session
from svc_verifier.check import Verdict
from svc_verifier.gathering.collateral import CollateralSource
from svc_verifier.gathering.gather import Sources
from svc_verifier.material import Platform
from svc_verifier.session import SessionLimits
from svc_verifier.trust import Trust
from tests.support.attested.accounts import ADMIN_PAYER
from tests.support.attested.case import Case
from tests.support.attested.cases.code import CODE_CASES
from tests.support.attested.cases.hardware import HARDWARE_CASES
from tests.support.attested.cases.identity import IDENTITY_CASES
from tests.support.attested.cases.log import LOG_CASES
from tests.support.attested.cases.os_image import OS_CASES
from tests.support.attested.look import NONCE, PLATFORM, Look, certificate, pem, spki_sha256
from tests.support.attested.td import NOW_S
from tests.support.instances import CONFIG, HOST, App, Instance

SECRET: Final = "an-account-key-that-must-not-leave"
CODE: Final = "function main() { return 'private code'; }"
NO_REST: Final = SessionLimits(rest_s=0.0)


@dataclass
class Tampered(Instance):
    """An instance that shows everything as a case of the verifier's own table has it, under its own certificate."""

    case: Case | None = None

    def look(self, nonce: str = "") -> Look:
        assert self.case is not None
        leaf = certificate(self.name, HOST)
        look = Look(td=self.case.td, evidence_td=self.case.evidence_td, host=HOST, leaf=leaf)
        files = {ACCOUNT_FILE: look.account, f"cert-{HOST}.pem": pem(leaf)}
        sums = sums_of(files)
        look.files = {**files, SUMS_FILE: sums, QUOTE_FILE: look.evidence_quote(padded_sha256(sums))}
        stated = Statement(
            nonce or NONCE.hex(),
            HOST,
            [spki_sha256(leaf)],
            hashlib.sha256(sums).digest(),
            CanonicalConfig(CONFIG),
            f"0x{ADMIN_PAYER.hex()}",
        )
        look.statement = json.loads(stated.text)
        if self.case.tamper is not None:
            self.case.tamper(look)
        return look

    def _response(self, request: web.BaseRequest) -> web.Response:
        if request.path == "/attestation":
            return web.json_response(self.look(request.query["nonce"]).attestation)
        if request.path == "/info":
            return web.json_response(self.look().info)
        name = request.path.removeprefix("/evidences/")
        files = self.look().files
        return web.Response(body=files[name]) if name in files else super()._response(request)


@dataclass
class Given(CollateralSource):
    """Collateral as it is given."""

    text: str

    async def fetch(self, quote: bytes, platform: Platform) -> str:  # noqa: ARG002 - of the port
        return self.text


def servable(cases: Iterable[Case]) -> list[Case]:
    """Cases that lie in what the host itself shows, so that a server can show them, and that are rejected."""
    found = []
    for case in cases:
        look = Look(td=case.td, evidence_td=case.evidence_td)
        if case.name == "collateral: with one quote's own PCK chain":
            continue  # what gathers collateral over the network takes that member away
        if case.verdict is not Verdict.REJECTED or set(case.trust) & {"kms_public_key", "kms_contract"}:
            continue
        if case.tamper is not None:
            case.tamper(look)
        untouched = not {"connections", "providers", "chain", "answers"} & set(look.__dict__)
        same = (look.now_s, look.nonce, look.platform) == (NOW_S, NONCE, PLATFORM)
        if untouched and same and not look.replayed and not look.no_evidence:
            found.append(case)
    return found


TAMPERED: Final = servable((*HARDWARE_CASES, *LOG_CASES, *IDENTITY_CASES, *OS_CASES, *CODE_CASES))


@dataclass(frozen=True)
class Use:
    """A thing a user does: with the SDK, and with the command."""

    name: str
    sdk: Callable[[Any], Any]
    command: tuple[str, ...]


USES: Final = (
    Use("balance", lambda svc: svc.billing.balance(), ("billing", "balance")),
    Use("wallet", lambda svc: svc.wallets.create("private"), ("wallet", "create", "--name", "private")),
    Use("wallets", lambda svc: svc.wallets, ("wallet", "list")),
    Use("group", lambda svc: svc.groups.create("private"), ("group", "create", "private")),
    Use("run", lambda svc: svc.actions.run(CODE, {"secret": 1}), ("action", "run", "-", "--params", '{"secret": 1}')),
    Use("deploy", lambda svc: svc.actions.cid(CODE), ("action", "deploy", "-", "--name", "private")),
    Use("key", lambda svc: svc.usage_keys.create("private"), ("key", "create", "private")),
    Use("why", lambda svc: svc.explain(code=CODE), ("key", "why", "--cid", "Qm")),
)
FACES: Final = ("sync", "async", "command")


@dataclass(frozen=True)
class Outcome:
    """End of a use: its exit code, and everything that was said."""

    code: int
    said: str
    secrets_told: bool


@dataclass
class Attack:
    """The client under test, and what it meets. `clock` measures how old an attestation is."""

    app: App
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    limits: SessionLimits = NO_REST
    now_s: float = 0.0
    trust: Trust = field(init=False)
    sources: Sources = field(init=False)

    def __post_init__(self) -> None:
        self.trust, self.sources = self.app.trust, self.app.sources()
        opened = session.attested_session

        @asynccontextmanager
        async def attested(origin: str, trust: Trust, sources: Sources) -> AsyncIterator[Any]:
            async with opened(origin, trust, sources, self.limits, lambda: self.now_s) as there:
                yield there

        self.monkeypatch.setattr(session, "attested_session", attested)
        self.monkeypatch.setattr(TrustIn, "resolve", lambda _, __: self.trust)
        self.monkeypatch.setattr(TrustIn, "sources", lambda _: self.sources)
        self.monkeypatch.setenv(FOLDER_VARIABLE, str(self.folder))

    def meets(self, instance: Tampered) -> None:
        """The trust and the collateral of the instance's case."""
        assert instance.case is not None
        self.trust = replace(self.app.trust, **instance.case.trust)
        self.sources = replace(self.sources, collateral=Given(json.dumps(instance.look().collateral)))

    def give_up_after(self, timeout_s: float) -> None:
        """The deadline of every call."""
        for each in (Client, AsyncClient):
            self.monkeypatch.setitem(each.__init__.__kwdefaults__, "timeout_s", timeout_s)  # type: ignore[arg-type]

    async def use(self, face: str, *uses: Use, between: Callable[[], None] | None = None) -> Outcome:
        """Use a new client so, one after the other; how the last ended. `between` happens before it."""
        if face == "command":
            (only,) = uses
            return await asyncio.to_thread(self._command, only)
        try:
            if face == "async":
                async with AsyncClient(self.app.origin, SECRET, trust="of the test") as svc:
                    for place, use in enumerate(uses):
                        if between is not None and place == len(uses) - 1:
                            between()
                        await _done(use.sdk(svc))
            else:
                await asyncio.to_thread(self._sync, uses, between)
        except SvcError as error:
            report = error.report if isinstance(error, NodeNotAccepted) else None
            said = f"{error} {error!r} {error.args} {report}"
            return Outcome(exit_of(error), said, SECRET in said)
        return Outcome(0, "", secrets_told=False)

    def _sync(self, uses: tuple[Use, ...], between: Callable[[], None] | None) -> None:
        with Client(self.app.origin, SECRET, trust="of the test") as svc:
            for place, use in enumerate(uses):
                if between is not None and place == len(uses) - 1:
                    between()
                made = use.sdk(svc)
                if hasattr(made, "__iter__") and not hasattr(made, "model_fields_set"):
                    list(made)

    def _command(self, use: Use) -> Outcome:
        save_profile("default", Profile(url=self.app.origin, api_key=SECRET, trust="of the test"))
        ran = CliRunner().invoke(main, list(use.command), input=CODE, prog_name="svc")
        return Outcome(ran.exit_code, ran.output, SECRET in ran.output)


async def _done(made: Any) -> None:
    if inspect.isawaitable(made):
        await made
    else:
        async for _ in made:
            pass


def unanswered(_: web.Request, __: Any, ___: Any) -> Awaitable[web.StreamResponse]:
    """A provider of the chain that says nothing of use."""

    async def answer() -> web.StreamResponse:
        return web.Response(status=500)

    return answer()


def nothing_left(instances: Iterable[Instance]) -> bool:
    """Whether these got the verifier's own questions alone, and no key or code in any header or path."""
    asked = [request for each in instances for request in each.requests]
    return not any(each.told for each in instances) and SECRET not in repr(asked)


__all__ = ["FACES", "NO_REST", "TAMPERED", "USES", "Attack", "Exit", "Outcome", "Tampered", "Use", "nothing_left"]
