"""Members of what is looked at, each with a stranger's text in its place, of the length at which it is still read."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import JsonValue

from svc_verifier.material import CaaRecord, CaaRecords, Connection, HttpResponse, Material, ProviderAnswers
from svc_verifier.trust import Trust
from tests.support.attested.look import Look, development_trust
from tests.support.attested.td import Td, development_options
from tests.support.audited import PINNED

Place = Callable[[str], tuple[Material, Trust]]
HOST_BYTES: Final = 4_000_000
COMPOSE_CHARACTERS: Final = 131_000
SERVICE: Final = f"services:\n  a:\n    image: {PINNED}\n"


@dataclass(frozen=True)
class Member:
    """`place` puts a text there; `size` is its bound in bytes."""

    size: int
    place: Place


def as_json(text: str) -> JsonValue:
    """The text as the JSON that it is, or as a text where it is none."""
    try:
        read: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return read


def app_compose(compose: str = SERVICE, /, **members: Any) -> str:
    """An app-compose that is measured as it is."""
    usual = {"manifest_version": 2, "runner": "docker-compose", "name": "a", "kms_enabled": True}
    return json.dumps(usual | {"docker_compose_file": compose} | members)


def running(text: str) -> tuple[Material, Trust]:
    """A node that runs this app-compose: its hash is the measured one, so the audit reads it."""
    return Look(td=Td(options=development_options(app_compose=text))).material(), development_trust()


def _attested(name: str) -> Place:
    def place(text: str) -> tuple[Material, Trust]:
        look = Look()
        look.attestation[name] = text
        return look.material(), development_trust()

    return place


def _stated(name: str, inside: str = "") -> Place:
    def place(text: str) -> tuple[Material, Trust]:
        look = Look()
        (look.info[inside] if inside else look.info)[name] = as_json(text)
        return look.material(), development_trust()

    return place


def _composed(start: str, end: str = "") -> Place:
    return lambda text: running(app_compose(start + text[: COMPOSE_CHARACTERS - len(start) - len(end)] + end))


def _member(name: str, *, listed: bool = False) -> Place:
    return lambda text: running(app_compose(**{name: [text] if listed else as_json(text)}))


def _file(name: str) -> Place:
    def place(text: str) -> tuple[Material, Trust]:
        material = Look().material()
        assert isinstance(material.evidences, Mapping)
        answer = HttpResponse(200, text.encode(errors="surrogatepass"), 0)
        return replace(material, evidences={**material.evidences, name: answer}), development_trust()

    return place


def _body(name: str) -> Place:
    def place(text: str) -> tuple[Material, Trust]:
        answer = HttpResponse(200, text.encode(errors="surrogatepass"), 0)
        material = Look().material()
        changed = replace(material, info=answer) if name == "info" else replace(material, attestation=answer)
        return changed, development_trust()

    return place


def _configured(text: str) -> tuple[Material, Trust]:
    look = Look()
    look.statement["config"]["x"] = as_json(text.replace("\\ud800", "x"))
    return look.material(), development_trust()


def _account(text: str) -> tuple[Material, Trust]:
    return Look(account=json.dumps({"uri": f"https://{text}"}).encode()).material(), development_trust()


def _collateral(name: str) -> Place:
    def place(text: str) -> tuple[Material, Trust]:
        look = Look()
        look.collateral[name] = text
        return look.material(), development_trust()

    return place


def _chain(text: str) -> tuple[Material, Trust]:
    look, raw = Look(), text.encode(errors="surrogatepass")
    look.__dict__["providers"] = [
        replace(each, code=dict.fromkeys(each.code, raw), calls=dict.fromkeys(each.calls, raw))
        for each in look.providers
        if isinstance(each, ProviderAnswers)
    ]
    return look.material(), development_trust()


def _certificate(text: str) -> tuple[Material, Trust]:
    look = Look()
    look.__dict__["connections"] = [Connection((text.encode(errors="surrogatepass"),), "TLSv1.3", "")]
    return look.material(), development_trust()


def _payload(text: str) -> tuple[Material, Trust]:
    look = Look()
    log = json.loads(look.attestation["event_log"])
    log[-1]["event_payload"] = text
    look.attestation["event_log"] = json.dumps(log)
    return look.material(), development_trust()


def _caa(text: str) -> tuple[Material, Trust]:
    records = tuple(CaaRecord(0, "issue", value) for value in (text, f"a;{text}"))
    look = Look(caa=CaaRecords(text, (CaaRecord(0, text, text), *records), authenticated=True))
    return look.material(), replace(development_trust(), development_root=None)


MEMBERS: Final[Mapping[str, Member]] = {
    "/attestation": Member(HOST_BYTES, _body("attestation")),
    "quote": Member(HOST_BYTES, _attested("quote")),
    "event log": Member(1_048_000, _attested("event_log")),
    "payload of an event": Member(130_000, _payload),
    "vm_config": Member(262_000, _attested("vm_config")),
    "statement": Member(HOST_BYTES, _attested("statement")),
    "configuration in the statement": Member(50_000, _configured),
    "/info": Member(HOST_BYTES, _body("info")),
    "app id of /info": Member(HOST_BYTES, _stated("app_id")),
    "event log of /info": Member(HOST_BYTES, _stated("event_log", "tcb_info")),
    "app-compose of /info": Member(HOST_BYTES, _stated("app_compose", "tcb_info")),
    "MRTD of /info": Member(HOST_BYTES, _stated("mrtd", "tcb_info")),
    "app-compose": Member(1_048_000, running),
    "compose file": Member(COMPOSE_CHARACTERS, _composed("")),
    "extension of the compose file": Member(COMPOSE_CHARACTERS, _composed(f"{SERVICE}x-a: ")),
    "quoted text of the compose file": Member(COMPOSE_CHARACTERS, _composed(f'{SERVICE}x-a: "', '"\n')),
    "environment": Member(COMPOSE_CHARACTERS, _composed(f"{SERVICE}    environment:\n      - A=")),
    "image": Member(COMPOSE_CHARACTERS, _composed("services:\n  a:\n    image: ")),
    "volume": Member(COMPOSE_CHARACTERS, _composed(f"{SERVICE}    volumes:\n      - ")),
    "allowed_envs": Member(900_000, _member("allowed_envs", listed=True)),
    "pre_launch_script": Member(900_000, _member("pre_launch_script")),
    "features": Member(900_000, _member("features", listed=True)),
    "manifest_version": Member(900_000, _member("manifest_version")),
    "a member of the app-compose": Member(900_000, _member("another")),
    "sha256sum.txt": Member(HOST_BYTES, _file("sha256sum.txt")),
    "quote.json": Member(HOST_BYTES, _file("quote.json")),
    "certificate file": Member(HOST_BYTES, _file("cert-node.example.pem")),
    "account": Member(65_000, _account),
    "TCB info": Member(1_000_000, _collateral("tcb_info")),
    "TCB info's signers": Member(130_000, _collateral("tcb_info_issuer_chain")),
    "CRL": Member(1_000_000, _collateral("pck_crl")),
    "code and calls": Member(500_000, _chain),
    "TLS certificate": Member(130_000, _certificate),
    "CAA record": Member(65_000, _caa),
}
"""By name."""
