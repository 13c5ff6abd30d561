"""The simulated platform: what a guest agent can be asked, answered without a socket."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from attest.errors import AttestError, AttestErrorCode
from attest.simulator.compose import DEVELOPMENT_APP_COMPOSE
from attest.simulator.key_service import KeyService
from attest.simulator.measurements import APP_NAME, OS_IMAGE_HASH, VM_CONFIG, Measurements, measure
from attest.simulator.quote import QuoteWriter, key_provider_id

REPORT_DATA_LENGTH_BYTES: Final = 64
KEY_ALGORITHMS: Final = ("", "secp256k1")
LONGEST_TEXT_CHARACTERS: Final = 1024
DEVICE_ID: Final = hashlib.sha256(b"").hexdigest()
"""What a dstack 0.6 guest states, since it does not know its device."""

WARNING: Final = "INSECURE: TEE simulator, for development only; no hardware protects these keys"

Answer = Mapping[str, JsonValue]


class SimulatedPlatform:
    """One simulated TD. `seed` is its 32-byte secret: the same seed gives the same keys and measurements.

    Methods take the request's fields and return the answer's; a bad field raises AttestError(BAD_REQUEST).
    """

    __slots__ = ("_keys", "_measurements", "_quotes")

    def __init__(self, seed: bytes, app_compose: str = DEVELOPMENT_APP_COMPOSE) -> None:
        self._measurements = measure(app_compose, hashlib.sha256(seed).digest(), key_provider_id(seed))
        self._keys = KeyService(seed, self._measurements.app_id)
        self._quotes = QuoteWriter(seed)

    @property
    def measurements(self) -> Measurements:
        """What the simulated TD measures."""
        return self._measurements

    @property
    def kms_root_public_key(self) -> bytes:
        """33 bytes, compressed: where every key's signature chain ends."""
        return self._keys.root_public_key

    def version(self, _asked: Answer) -> Answer:
        """Answer of `Version`."""
        return {"version": "0.0.0-insecure-simulator", "rev": ""}

    def info(self, _asked: Answer) -> Answer:
        """Answer of `Info`; `tcb_info` and `vm_config` are JSON strings, as on the real socket."""
        measured = self._measurements
        return {
            "app_id": measured.app_id.hex(),
            "instance_id": measured.instance_id.hex(),
            "app_cert": "",
            "tcb_info": json.dumps(self._tcb_info()),
            "app_name": APP_NAME,
            "device_id": DEVICE_ID,
            "mr_aggregated": measured.mr_aggregated.hex(),
            "os_image_hash": OS_IMAGE_HASH.hex(),
            "key_provider_info": measured.key_provider,
            "compose_hash": measured.compose_hash.hex(),
            "vm_config": json.dumps(VM_CONFIG),
            "cloud_vendor": "",
            "cloud_product": WARNING,
        }

    def get_quote(self, asked: Answer) -> Answer:
        """Answer of `GetQuote`: `report_data` is hex of at most 64 bytes, padded with zeros at the end."""
        given = _hex_field(asked, "report_data")
        if len(given) > REPORT_DATA_LENGTH_BYTES:
            raise _bad(f"report_data is longer than {REPORT_DATA_LENGTH_BYTES} bytes")
        report_data = given.ljust(REPORT_DATA_LENGTH_BYTES, b"\0")
        return {
            "quote": self._quotes.write(self._measurements, report_data).hex(),
            "event_log": json.dumps(self._measurements.event_log),
            "report_data": report_data.hex(),
            "vm_config": json.dumps(VM_CONFIG),
        }

    def get_key(self, asked: Answer) -> Answer:
        """Answer of `GetKey`: `path` separates keys, `purpose` enters the signature, `algorithm` is secp256k1."""
        path, purpose = _text_field(asked, "path"), _text_field(asked, "purpose")
        if _text_field(asked, "algorithm") not in KEY_ALGORITHMS:
            raise _bad("algorithm: the simulator knows secp256k1 alone")
        issued = self._keys.issue(path, purpose)
        return {"key": issued.key.hex(), "signature_chain": [link.hex() for link in issued.signature_chain]}

    def _tcb_info(self) -> dict[str, object]:
        measured = self._measurements
        return {
            "mrtd": measured.mr_td.hex(),
            **{f"rtmr{index}": value.hex() for index, value in enumerate(measured.rtmrs)},
            "mr_aggregated": measured.mr_aggregated.hex(),
            "os_image_hash": OS_IMAGE_HASH.hex(),
            "compose_hash": measured.compose_hash.hex(),
            "device_id": DEVICE_ID,
            "app_compose": measured.app_compose,
            "event_log": measured.event_log,
        }


def _text_field(asked: Answer, name: str) -> str:
    value = asked.get(name, "")
    if not isinstance(value, str) or len(value) > LONGEST_TEXT_CHARACTERS or not value.isprintable():
        raise _bad(f"{name} is no printable text of at most {LONGEST_TEXT_CHARACTERS} characters")
    return value


def _hex_field(asked: Answer, name: str) -> bytes:
    try:
        return bytes.fromhex(_text_field(asked, name).removeprefix("0x"))
    except ValueError:
        raise _bad(f"{name} is not hex") from None


def _bad(message: str) -> AttestError:
    return AttestError(AttestErrorCode.BAD_REQUEST, message)
