"""Checks of the identity that the event log and MRCONFIGID state.

MRCONFIGID is the second, independent binding of the compose hash in the signed quote (spec 12.7).
The host sets it, and the guest refuses to boot if it is wrong; zeros mean that none is set. Version
1 holds the compose hash; version 2 hashes it with app id and key provider; version 3 hashes a JSON
document of them, which is rebuilt here from the measured values.
"""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import rfc8785
from sha3 import keccak_256

from svc_verifier.check import Check, Group, Outcome, Status, failed, group_not_made, not_made, passed, skipped, unknown
from svc_verifier.errors import VerifierError
from svc_verifier.formats.event_log import (
    Event,
    KeyProvider,
    parse_events,
    parse_key_provider,
    replay,
)
from svc_verifier.formats.info import InfoResponse, parse_info
from svc_verifier.formats.quote import TdReport
from svc_verifier.material import Boot, VerifiedQuote
from svc_verifier.trust import Trust

MR_CONFIG_ID_BYTES: Final = 48
LATEST_VERSION: Final = 3
Member: TypeAlias = "int | str | list[str]"

_DOMAIN: Final = b"dstack-mr-config-v3:\x00"
_KINDS: Final = {"none": 0, "local": 1, "kms": 2, "tpm": 3}
_EVENT_NAMES: Final = {"local-sgx": "local"}
"""Spellings in the key-provider event for kinds that the configuration spells otherwise."""


@dataclass(frozen=True, slots=True)
class MeasuredConfig:
    """Values measured at boot. `key_provider` is the kind as its event names it."""

    compose_hash: bytes
    app_id: bytes
    instance_id: bytes
    key_provider: str
    key_provider_id: bytes
    init_scripts: tuple[bytes, ...]
    gpu_policy_hash: bytes = b""


def is_unset(mr_config_id: bytes) -> bool:
    """Whether the host left MRCONFIGID unset."""
    return mr_config_id == bytes(MR_CONFIG_ID_BYTES)


def binds(mr_config_id: bytes, config: MeasuredConfig) -> bool:
    """Whether a set MRCONFIGID, of any known version, is that of `config`."""
    version = mr_config_id[0]
    # The first byte is the version, and the 48 bytes end in zeros (spec 12.7).
    if version == 1:
        return mr_config_id == _padded(1, config.compose_hash)
    if version == 2:
        return any(mr_config_id == _padded(2, digest) for digest in _second(config))
    return version == 3 and any(mr_config_id == _padded(3, digest) for digest in _third(config))


def payloads(events: tuple[Event, ...], name: str) -> tuple[bytes, ...]:
    """Returns the payloads of the boot events of that name."""
    runtime = [event for event in events if event.is_runtime]
    end = next((place for place, event in enumerate(runtime) if event.name == "system-ready"), len(runtime))
    return tuple(event.payload for event in runtime[:end] if event.name == name)


def _padded(version: int, digest: bytes) -> bytes:
    return bytes([version]) + digest + bytes(MR_CONFIG_ID_BYTES - 1 - len(digest))


def _second(config: MeasuredConfig) -> Iterator[bytes]:
    # An unknown kind yields no candidate, so that nothing is bound.
    kind = _KINDS.get(_EVENT_NAMES.get(config.key_provider, config.key_provider))
    if kind is not None:
        yield keccak_256(config.compose_hash + config.app_id + bytes([kind]) + config.key_provider_id).digest()


def _third(config: MeasuredConfig) -> Iterator[bytes]:
    """Yields the hash of each possible document. Optional members are absent, never null."""
    always: dict[str, Member] = {
        "version": 3,
        "compose_hash": config.compose_hash.hex(),
        "key_provider": _EVENT_NAMES.get(config.key_provider, config.key_provider),
    }
    optional: dict[str, Member] = {
        "app_id": config.app_id.hex(),
        "gpu_policy_hash": config.gpu_policy_hash.hex(),
        "instance_id": config.instance_id.hex(),
        "key_provider_id": config.key_provider_id.hex(),
        "init_script_hashes": [script.hex() for script in config.init_scripts],
    }
    # The log lacks the document itself, so at most 32 candidates are hashed.
    for count in range(len(optional) + 1):
        for names in itertools.combinations(optional, count):
            document = always | {name: optional[name] for name in names}
            yield hashlib.sha256(_DOMAIN + rfc8785.dumps(dict(document))).digest()


_COMPOSE: Final = "identity.app-compose"
APP_ID: Final = "identity.app-id"


@dataclass(frozen=True, slots=True)
class Identity:
    """Measured identity, and the app-compose text that hashes to it, or None."""

    app_id: bytes
    compose_hash: bytes
    app_compose: str | None


def check_identity(
    info: bytes | None, boot: Boot | None, verified: VerifiedQuote | None, trust: Trust
) -> Outcome[Identity]:
    """Returns the whole group. `info` is the body of /info; None when it was not served."""
    if boot is None or verified is None:
        return group_not_made("log.replay", Group.IDENTITY)
    try:
        stated = parse_info(info) if info is not None else None
    except VerifierError as error:
        return _unreadable(error, boot, verified, trust)
    compose = _app_compose(stated)
    checks = (
        compose,
        _compose_measured(stated, boot, trust),
        _mr_config_id(boot, verified.quote.report),
        _app_id(stated, boot, trust),
        _info(stated, boot, verified.quote.report),
        _key_provider(boot, trust),
    )
    # Only a measured text is audited, since any other describes code that does not run. Another
    # application than the user's is refused whatever its code is.
    refused = any(check.id == APP_ID and check.status is Status.FAILED for check in checks)
    measured = all(check.status is Status.PASSED for check in checks[:2])
    text = stated.app_compose if stated is not None and measured and not refused else None
    return Outcome(checks, Identity(boot.identity.app_id, boot.identity.compose_hash, text))


def _unreadable(error: VerifierError, boot: Boot, verified: VerifiedQuote, trust: Trust) -> Outcome[Identity]:
    """Returns the group without the app-compose text, since measured values still count."""
    read = {check.id: check for check in check_identity(None, boot, verified, trust).checks}
    # /info proves nothing, so a broken one fails its own check but not the measured identity.
    read["identity.info"] = failed("identity.info", error.message)
    return Outcome(tuple(read.values()), Identity(boot.identity.app_id, boot.identity.compose_hash, None))


def _app_compose(stated: InfoResponse | None) -> Check:
    if stated is None or stated.app_compose is None:
        return _not_served(_COMPOSE)
    # Over the exact text, since two JSON texts of equal content are two measurements.
    computed = _sha256(stated.app_compose)
    if stated.compose_hash is None:
        return passed(_COMPOSE, sha256=computed.hex(), note="no compose hash is stated beside it")
    evidence = {"sha256": computed.hex(), "compose_hash": stated.compose_hash.hex()}
    if computed != stated.compose_hash:
        return failed("identity.app-compose", "the app-compose hashes to another value than /info states", **evidence)
    return passed("identity.app-compose", **evidence)


def _compose_measured(stated: InfoResponse | None, boot: Boot, trust: Trust) -> Check:
    measured = boot.identity.compose_hash
    # Pins are compared with the measurement, before anything that the host states.
    if trust.compose_hashes and measured not in trust.compose_hashes:
        why = f"{measured.hex()} is none of the pinned compose hashes"
        return failed("identity.compose-measured", why, measured=measured.hex())
    claimed = _claimed_hash(stated)
    if claimed is None:
        return _not_served("identity.compose-measured")
    evidence = {"measured": measured.hex(), "stated": claimed.hex()}
    if claimed != measured:
        fix = "The hash is over the exact bytes of the app-compose: a line break at its end counts."
        why = "/info states another compose hash than was measured"
        return failed("identity.compose-measured", why, fix, **evidence)
    return passed("identity.compose-measured", **evidence)


def _claimed_hash(stated: InfoResponse | None) -> bytes | None:
    """Returns the compose hash that /info states, else that of the app-compose in it."""
    if stated is None or stated.compose_hash is not None:
        return stated.compose_hash if stated is not None else None
    return _sha256(stated.app_compose) if stated.app_compose is not None else None


def _sha256(app_compose: str) -> bytes:
    return hashlib.sha256(app_compose.encode(errors="surrogatepass")).digest()


def _mr_config_id(boot: Boot, report: TdReport) -> Check:
    evidence = {"mr_config_id": report.mr_config_id.hex()}
    # Unknown rather than failed, since a later dstack may bind the same in another way.
    if report.mr_config_id[0] > LATEST_VERSION:
        why = f"MRCONFIGID is of version {report.mr_config_id[0]}; known are 1 to {LATEST_VERSION}"
        return unknown("identity.mr-config-id", why, "A newer verifier may know this version.", **evidence)
    # Older dstack leaves it zero. The compose hash is in RTMR3 all the same.
    if is_unset(report.mr_config_id):
        return passed("identity.mr-config-id", **evidence, note="unset: RTMR3 alone binds the compose hash")
    provider = _provider(boot)
    config = MeasuredConfig(
        compose_hash=boot.identity.compose_hash,
        app_id=boot.identity.app_id,
        instance_id=boot.identity.instance_id,
        key_provider=provider.kind if provider else "",
        key_provider_id=provider.identifier if provider else b"",
        init_scripts=payloads(boot.events, "init-script-hash"),
        gpu_policy_hash=b"".join(payloads(boot.events, "gpu-policy-hash")),
    )
    if binds(report.mr_config_id, config):
        return passed("identity.mr-config-id", **evidence)
    return failed("identity.mr-config-id", "MRCONFIGID is not that of what was measured at boot", **evidence)


def _app_id(stated: InfoResponse | None, boot: Boot, trust: Trust) -> Check:
    # Zeros mean no application, since `init` and `import` verify before the user names one.
    if not any(trust.app_id):
        why = f"no application is pinned; 0x{boot.identity.app_id.hex()} was measured"
        fix = "Name it with --app-id, from somewhere that is not the host."
        return unknown(APP_ID, why, fix, measured=boot.identity.app_id.hex())
    evidence = {"measured": boot.identity.app_id.hex(), "pinned": trust.app_id.hex()}
    # The measured one decides. That of /info is compared only to reveal a lying host.
    if boot.identity.app_id != trust.app_id:
        fix = "This is another application than the one you asked for."
        return failed(APP_ID, "the measured app id is not the pinned one", fix, **evidence)
    if stated is None:
        return _not_served(APP_ID)
    if stated.app_id is None:
        return unknown(APP_ID, "/info states no app id; the measured one is the pinned one", **evidence)
    if stated.app_id != trust.app_id:
        return failed(APP_ID, f"/info states the app id {stated.app_id.hex()}", **evidence)
    return passed(APP_ID, **evidence)


def _info(stated: InfoResponse | None, boot: Boot, report: TdReport) -> Check:
    if stated is None:
        return _not_served("identity.info")
    try:
        differences = list(_differences(stated, boot, report))
    except VerifierError as error:
        return failed("identity.info", error.message)
    if differences:
        return failed("identity.info", f"/info states another {differences[0]} than was measured")
    compared = [*stated.measurements, *stated.outer, *(() if stated.event_log is None else ("event log",))]
    if not compared:
        return unknown("identity.info", "/info states no measurement, so nothing was compared")
    return passed("identity.info", compared=", ".join(dict.fromkeys(compared)))


def _differences(stated: InfoResponse, boot: Boot, report: TdReport) -> Iterator[str]:
    expected = {
        "mrtd": report.mr_td,
        "mr_aggregated": aggregated(report),
        "compose_hash": boot.identity.compose_hash,
        "instance_id": boot.identity.instance_id,
        **{f"rtmr{number}": register for number, register in enumerate(report.rtmrs)},
    }
    for name, value in (*stated.measurements.items(), *stated.outer.items()):
        if value != expected[name]:
            yield name
    # Compared by replay, since payloads may be stripped in only one place.
    if stated.event_log is not None and replay(parse_events(stated.event_log)) != report.rtmrs:
        yield "event log"


def aggregated(report: TdReport) -> bytes:
    """Returns `mr_aggregated`, dstack's hash of all measurements and of any set configuration."""
    configured = report.mr_config_id + report.mr_owner + report.mr_owner_config
    return hashlib.sha256(report.mr_td + b"".join(report.rtmrs) + (configured if any(configured) else b"")).digest()


def _provider(boot: Boot) -> KeyProvider | None:
    try:
        return parse_key_provider(boot.identity.key_provider)
    except VerifierError:
        return None


def _key_provider(boot: Boot, trust: Trust) -> Check:
    try:
        provider = parse_key_provider(boot.identity.key_provider)
    except VerifierError as error:
        return failed("identity.key-provider", error.message)
    evidence = {"kind": provider.kind, "id": provider.identifier.hex()}
    # Other providers derive keys without a KMS, so no pinned KMS key vouches for them.
    if provider.kind != "kms":
        return failed("identity.key-provider", f"keys come from {provider.kind!r}, not from a KMS", **evidence)
    if trust.development_root is not None and trust.kms_public_key is None:
        return skipped("identity.key-provider", "DEV: under a development root no KMS is pinned", **evidence)
    if trust.kms_public_key is None:
        why = "no KMS key is pinned: the operator of another KMS could know every key of the node"
        return unknown("identity.key-provider", why, "Set `kms_public_key` in trust.toml.", **evidence)
    # The KMS derives every key of the app, so the operator of another one knows them all.
    if provider.identifier != trust.kms_public_key:
        return failed("identity.key-provider", "the keys come from another KMS than the pinned one", **evidence)
    return passed("identity.key-provider", **evidence)


def _not_served(identifier: str) -> Check:
    if identifier != _COMPOSE:
        return not_made(identifier, _COMPOSE)
    return unknown(_COMPOSE, "/info could not be read, or does not state it", "A guest agent's Info states it.")
