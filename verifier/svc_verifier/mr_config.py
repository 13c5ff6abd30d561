"""MRCONFIGID: the second, independent binding of the compose hash inside the signed quote (spec 12.7).

The host sets it and the guest refuses to boot when it is wrong; all zero means the host set none. Version 1 holds the
compose hash itself; version 2 hashes it with app id and key provider; version 3 hashes a JSON document of them, which is
built anew here from what was measured at boot.
"""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import rfc8785
from sha3 import keccak_256

from svc_verifier.formats.event_log import Event

LENGTH: Final = 48
LATEST_VERSION: Final = 3
Member: TypeAlias = "int | str | list[str]"

_DOMAIN: Final = b"dstack-mr-config-v3:\x00"
_KINDS: Final = {"none": 0, "local": 1, "kms": 2, "tpm": 3}
_EVENT_NAMES: Final = {"local-sgx": "local"}
"""How the key-provider event spells a kind that the configuration spells otherwise."""


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
    """Whether the host set none."""
    return mr_config_id == bytes(LENGTH)


def binds(mr_config_id: bytes, config: MeasuredConfig) -> bool:
    """Whether a set MRCONFIGID, of any known version, is that of `config`."""
    version = mr_config_id[0]
    if version == 1:
        return mr_config_id == _padded(1, config.compose_hash)
    if version == 2:
        return any(mr_config_id == _padded(2, digest) for digest in _second(config))
    return version == 3 and any(mr_config_id == _padded(3, digest) for digest in _third(config))


def payloads(events: tuple[Event, ...], name: str) -> tuple[bytes, ...]:
    """The payloads of the boot events of that name."""
    runtime = [event for event in events if event.is_runtime]
    end = next((place for place, event in enumerate(runtime) if event.name == "system-ready"), len(runtime))
    return tuple(event.payload for event in runtime[:end] if event.name == name)


def _padded(version: int, digest: bytes) -> bytes:
    return bytes([version]) + digest + bytes(LENGTH - 1 - len(digest))


def _second(config: MeasuredConfig) -> Iterator[bytes]:
    kind = _KINDS.get(_EVENT_NAMES.get(config.key_provider, config.key_provider))
    if kind is not None:
        yield keccak_256(config.compose_hash + config.app_id + bytes([kind]) + config.key_provider_id).digest()


def _third(config: MeasuredConfig) -> Iterator[bytes]:
    """Optional members are absent, never null: every choice of which are there is one document."""
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
    for count in range(len(optional) + 1):
        for names in itertools.combinations(optional, count):
            document = always | {name: optional[name] for name in names}
            yield hashlib.sha256(_DOMAIN + rfc8785.dumps(dict(document))).digest()
