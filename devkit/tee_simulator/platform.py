"""The simulated platform, with the guest agent's methods, without a socket."""

import hashlib
import json
from collections.abc import Callable
from typing import Final

from devkit.tee_simulator.authorities import certificate_authorities
from devkit.tee_simulator.collateral import Collateral, issue_collateral
from devkit.tee_simulator.key_service import KEY_ALGORITHMS, KeyService
from devkit.tee_simulator.measurements import APP_NAME, Measurements, measure
from devkit.tee_simulator.options import SimulatorOptions
from devkit.tee_simulator.os_image import OS_IMAGE_HASH, VM_CONFIG
from devkit.tee_simulator.quote import QuoteWriter
from devkit.tee_simulator.request_fields import (
    Fields,
    bad,
    flag_field,
    hex_field,
    seconds_field,
    text_field,
    texts_field,
)
from devkit.tee_simulator.tls_keys import TlsKeyRequest, TlsKeys

REPORT_DATA_LENGTH_BYTES: Final = 64
DEVICE_ID: Final = hashlib.sha256(b"").hexdigest()
"""Device id of a dstack 0.6 guest, which does not know its device."""

DEFAULT_SUBJECT: Final = "svc development tls key"
WARNING: Final = "INSECURE: TEE simulator, for development only; no hardware protects these keys"


class SimulatedPlatform:
    """A simulated TD. Equal 32-byte `seed` and options give equal keys and measurements.

    Methods take a request's fields and return a response's, or raise AttestError(BAD_REQUEST).
    `clock` is in unix seconds; only TLS certificates and the collateral depend on it.
    """

    __slots__ = ("_authorities", "_clock", "_keys", "_measurements", "_options", "_quotes", "_tls_keys")

    def __init__(self, seed: bytes, options: SimulatorOptions, clock: Callable[[], float]) -> None:
        self._options = options
        self._clock = clock
        self._authorities = certificate_authorities(seed)
        instance_seed = hashlib.sha256(seed).digest()
        self._measurements = measure(options, instance_seed, self._authorities.kms_ca.public_key_der)
        self._keys = KeyService(seed, self._measurements.app_id)
        self._quotes = QuoteWriter(seed, self._authorities, debug=options.debug)
        self._tls_keys = TlsKeys(self._authorities, self._measurements.app_id, self._quoted)

    @property
    def measurements(self) -> Measurements:
        """Measurements of the simulated TD."""
        return self._measurements

    @property
    def kms_root_public_key(self) -> bytes:
        """Compressed public key, at which every key's signature chain ends."""
        return self._keys.root_public_key

    @property
    def root_pem(self) -> str:
        """The root certificate of its quotes, instead of Intel's."""
        return self._authorities.root.pem

    def collateral(self) -> Collateral:
        """Collateral of the platform as of now."""
        return issue_collateral(self._authorities, self._options.tcb_status, self._options.advisories, self._clock())

    def version(self, _asked: Fields) -> Fields:
        """Response of `Version`."""
        return {"version": "0.0.0-insecure-simulator", "rev": ""}

    def info(self, _asked: Fields) -> Fields:
        """Response of `Info`, in which `tcb_info` and `vm_config` are JSON strings."""
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

    def get_quote(self, asked: Fields) -> Fields:
        """Returns GetQuote's response over `report_data`, hex of at most 64 bytes, zero-padded."""
        given = hex_field(asked, "report_data")
        if len(given) > REPORT_DATA_LENGTH_BYTES:
            raise bad(f"report_data is longer than {REPORT_DATA_LENGTH_BYTES} bytes")
        report_data = given.ljust(REPORT_DATA_LENGTH_BYTES, b"\0")
        quote, event_log = self._quoted(report_data)
        return {
            "quote": quote.hex(),
            "event_log": event_log,
            "report_data": report_data.hex(),
            "vm_config": json.dumps(VM_CONFIG),
        }

    def get_key(self, asked: Fields) -> Fields:
        """Returns GetKey's response. `path` separates keys; the rest only enters the signature."""
        path, purpose, algorithm = (text_field(asked, name) for name in ("path", "purpose", "algorithm"))
        if algorithm not in KEY_ALGORITHMS:
            raise bad(f"algorithm is none of {', '.join(filter(None, KEY_ALGORITHMS))}")
        issued = self._keys.issue(path, purpose, algorithm)
        return {"key": issued.key.hex(), "signature_chain": [link.hex() for link in issued.signature_chain]}

    def get_tls_key(self, asked: Fields) -> Fields:
        """Returns GetTlsKey's response, with another key at every call."""
        request = TlsKeyRequest(
            subject=text_field(asked, "subject") or DEFAULT_SUBJECT,
            alt_names=texts_field(asked, "alt_names"),
            ra_tls=flag_field(asked, "usage_ra_tls"),
            server_auth=flag_field(asked, "usage_server_auth"),
            client_auth=flag_field(asked, "usage_client_auth"),
            with_app_info=flag_field(asked, "with_app_info"),
            not_before_s=seconds_field(asked, "not_before", int(self._clock())),
            not_after_s=seconds_field(asked, "not_after", None),
        )
        try:
            issued = self._tls_keys.issue(request)
        except ValueError as error:
            raise bad(f"no such certificate can be made: {error}") from None
        return {"key": issued.key, "certificate_chain": list(issued.certificate_chain)}

    def _quoted(self, report_data: bytes) -> tuple[bytes, str]:
        quote = self._quotes.write(self._measurements, report_data)
        return quote, json.dumps(self._measurements.quoted_event_log)

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
