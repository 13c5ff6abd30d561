"""The identity of the TD (spec 13.3)."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

import rfc8785
from eth_utils.crypto import keccak

from svc_verifier.material import HttpResponse, Missing
from tests.support.attested.case import CODE, INFO, Case, accepted, case
from tests.support.attested.cases.log import at, measured
from tests.support.attested.look import Look
from tests.support.attested.td import APP_ID, MR_CONFIG_ID, EventLog, Td, development_options

GOOD: Final = Td()
COMPOSE_HASH: Final = GOOD.platform.measurements.compose_hash
KMS_KEY: Final = GOOD.authorities.kms_ca.public_key_der
OTHER_APP: Final = bytes.fromhex("bad0" * 10)


def info(**changes: Any) -> Callable[[Look], object]:
    """Other members of /info."""
    return lambda look: look.info.update(changes)


def tcb(**changes: Any) -> Callable[[Look], object]:
    """Other members of /info's tcb_info."""
    return lambda look: look.info["tcb_info"].update(changes)


def answered(answer: HttpResponse | Missing) -> Callable[[Look], object]:
    """Another answer of /info."""

    def tamper(look: Look) -> None:
        look.answers["/info"] = answer

    return tamper


def configured(version: int, digest: bytes) -> Td:
    """A TD whose host set that MRCONFIGID."""
    return Td(report={MR_CONFIG_ID: (bytes([version]) + digest).ljust(48, b"\0")})


def version_2(compose_hash: bytes = COMPOSE_HASH, kind: int = 2) -> bytes:
    """keccak256 of compose hash, app id, kind and key provider."""
    return keccak(compose_hash + APP_ID + bytes([kind]) + KMS_KEY)


def version_3(**changes: Any) -> bytes:
    """sha256 over the JSON document behind its domain."""
    document: dict[str, Any] = {
        "version": 3,
        "app_id": APP_ID.hex(),
        "compose_hash": COMPOSE_HASH.hex(),
        "key_provider": "kms",
        "key_provider_id": KMS_KEY.hex(),
    }
    return hashlib.sha256(b"dstack-mr-config-v3:\0" + rfc8785.dumps(document | changes)).digest()


def provider(value: object) -> Td:
    """A TD that measured another key provider; MRCONFIGID is of version 1, which does not name it."""
    payload = (value if isinstance(value, str) else json.dumps(value)).encode().hex()

    def change(log: EventLog) -> None:
        log[at(log, "key-provider")]["event_payload"] = payload

    return measured(change)


ANOTHER_COMPOSE: Final = '{"manifest_version":2}'
OTHER_TEXT_HASH: Final = hashlib.sha256(ANOTHER_COMPOSE.encode()).hexdigest()

IDENTITY_CASES: Final[tuple[Case, ...]] = (
    case("info: out of reach", "", INFO | CODE, tamper=answered(Missing("connection refused"))),
    case("info: refused", "", INFO | CODE, tamper=answered(HttpResponse(404, b"", 0))),
    case("info: not JSON", "identity.info", INFO - {"identity.info"} | CODE, tamper=answered(HttpResponse(200, b"<html>", 0))),
    case("info: an app id of 19 bytes", "identity.info", INFO - {"identity.info"} | CODE, tamper=info(app_id="11" * 19)),
    case("info: another compose text", "identity.app-compose", CODE, tamper=tcb(app_compose=ANOTHER_COMPOSE)),
    case("info: the compose text with a blank more", "identity.app-compose", CODE,
         tamper=lambda look: tcb(app_compose=look.info["tcb_info"]["app_compose"] + " ")(look)),
    case("info: another compose text with its own hash", "identity.compose-measured", CODE,
         tamper=lambda look: (tcb(app_compose=ANOTHER_COMPOSE)(look), info(compose_hash=OTHER_TEXT_HASH)(look))),
    case("info: another compose hash within tcb_info", "identity.info", tamper=tcb(compose_hash=OTHER_TEXT_HASH)),
    case("info: another app id", "identity.app-id", CODE, tamper=info(app_id=OTHER_APP.hex())),
    case("info: another instance id", "identity.info", tamper=info(instance_id="11" * 20)),
    case("info: another mrtd", "identity.info", tamper=tcb(mrtd="11" * 48)),
    *(case(f"info: another rtmr{i}", "identity.info", tamper=tcb(**{f"rtmr{i}": "11" * 48})) for i in range(4)),
    case("info: another mr_aggregated", "identity.info", tamper=tcb(mr_aggregated="11" * 32)),
    case("info: another mr_aggregated outside", "identity.info", tamper=info(mr_aggregated="11" * 32)),
    case("info: a shorter event log", "identity.info", tamper=lambda look: look.info["tcb_info"]["event_log"].pop()),
    case("info: an event log with a swapped payload", "identity.info",
         tamper=lambda look: look.info["tcb_info"]["event_log"][-1].update(event_payload="11")),
    accepted("info: without an event log", tamper=lambda look: look.info["tcb_info"].pop("event_log")),
    # the app is the pinned one, and no other that the server would name (hole 8)
    case("contract named by the server", "identity.app-id",
         CODE, td=Td(options=development_options(app_id=OTHER_APP))),
    case("compose hash: none of the pinned ones", "identity.compose-measured", CODE,
         trust={"compose_hashes": frozenset({bytes(32)})}),
    accepted("compose hash: one of the pinned ones", trust={"compose_hashes": frozenset({COMPOSE_HASH})}),
    # MRCONFIGID
    accepted("mr_config_id: unset", td=configured(0, b"")),
    case("mr_config_id: version 1 of other code", "identity.mr-config-id", td=configured(1, bytes(32))),
    case("mr_config_id: version 1 with bytes behind", "identity.mr-config-id", td=configured(1, COMPOSE_HASH + b"\1")),
    accepted("mr_config_id: version 2", td=configured(2, version_2())),
    case("mr_config_id: version 2 of other code", "identity.mr-config-id", td=configured(2, version_2(bytes(32)))),
    case("mr_config_id: version 2 of another kind of key provider", "identity.mr-config-id", td=configured(2, version_2(kind=0))),
    accepted("mr_config_id: version 3", td=configured(3, version_3())),
    case("mr_config_id: version 3 of other code", "identity.mr-config-id", td=configured(3, version_3(compose_hash="00" * 32))),
    case("mr_config_id: version 3 without the key provider", "identity.mr-config-id", td=configured(3, version_3(key_provider="none"))),
    case("mr_config_id: version 4, which nobody knows", "", "identity.mr-config-id", td=configured(4, COMPOSE_HASH)),
    # key provider
    case("key provider: none", "identity.key-provider", td=provider({"name": "none", "id": ""})),
    case("key provider: local", "identity.key-provider", td=provider({"name": "local-sgx", "id": "00"})),
    case("key provider: no JSON", "identity.key-provider", td=provider("kms")),
    case("key provider: no hex", "identity.key-provider", td=provider({"name": "kms", "id": "zz"})),
    case("key provider: another KMS than the pinned one", "identity.key-provider", td=provider({"name": "kms", "id": "3059"}),
         trust={"kms_public_key": KMS_KEY}),
    accepted("key provider: the pinned KMS", trust={"kms_public_key": KMS_KEY}),
    case("contract: another app that calls itself the pinned one", "identity.app-id", CODE,
         td=Td(options=development_options(app_id=OTHER_APP)), tamper=info(app_id=APP_ID.hex())),
)  # fmt: skip
