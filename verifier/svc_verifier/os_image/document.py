"""An image's own measurement document (dstack 0.6, "lite"), bound to the image hash by the image's checksum file.

os_image_hash is the sha256 of `sha256sum.txt`, which lists the sha256 of `measurement.tdx.cbor`, which states what the
image measures. So whoever vouches for the hash vouches for the digests, and no image need be downloaded.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.checksums import parse_checksums
from svc_verifier.os_image.cbor import Cbor, parse_cbor
from svc_verifier.os_image.firmware import Ovmf
from svc_verifier.os_image.image import ImageMeasurements, Origin
from svc_verifier.os_image.td_hob import parse_layout
from svc_verifier.os_image.vm_config import MeasurementDocument

FILE_NAME: Final = "measurement.tdx.cbor"
VERSION: Final = 3
_DIGEST_BYTES: Final = 48


def read_document(document: MeasurementDocument) -> ImageMeasurements:
    """What the document states, and the image hash that binds it.

    Raises VerifierError(TOO_LARGE, TRUNCATED, UNSUPPORTED_VERSION, BAD_EVIDENCE, BAD_IMAGE), and nothing else.
    """
    listed = parse_checksums(document.checksums).get(FILE_NAME)
    computed = hashlib.sha256(document.measurement).digest()
    if listed != computed:
        stated = "lists none" if listed is None else f"lists {listed.hex()}"
        raise _bad(f"the document hashes to {computed.hex()}, the image's checksum file {stated}")
    root = _map(parse_cbor(document.measurement, FILE_NAME), "the document", {"version", "image", "tdvf"})
    if root["version"] != VERSION:
        raise VerifierError(VerifierErrorCode.UNSUPPORTED_VERSION, f"{FILE_NAME}: its version is not {VERSION}")
    image = _map(root["image"], "image", {"kernel_authenticode", "cmdline_sha384", "initrd_sha384"})
    tdvf = _map(root["tdvf"], "tdvf", {"ovmf", "mrtd", "td_hob"})
    mrtds = _map(tdvf["mrtd"], "tdvf.mrtd", {"single_pass", "two_pass"})
    return ImageMeasurements(
        os_image_hash=hashlib.sha256(document.checksums).digest(),
        mrtds={order: _digest(mrtds, order) for order in sorted(mrtds)},
        kernel=_digest(image, "kernel_authenticode"),
        command_line=_digest(image, "cmdline_sha384"),
        initrd=_digest(image, "initrd_sha384"),
        firmware=_firmware(tdvf["ovmf"]),
        memory_list=parse_layout(_bytes(tdvf["td_hob"], "tdvf.td_hob")),
        origin=Origin.STATED,
    )


def _map(value: Cbor, name: str, keys: set[str]) -> Mapping[str, Cbor]:
    """A member that is not known could mean something that is not checked here."""
    if not isinstance(value, dict) or value.keys() != keys:
        raise _bad(f"{name} does not have the members {', '.join(sorted(keys))}")
    return value


def _digest(read: Mapping[str, Cbor], key: str) -> bytes:
    value = _bytes(read[key], key)
    if len(value) != _DIGEST_BYTES:
        raise _bad(f"{key} is not {_DIGEST_BYTES} bytes")
    return value


def _bytes(value: Cbor, name: str) -> bytes:
    if not isinstance(value, bytes):
        raise _bad(f"{name} is no byte string")
    return value


def _firmware(value: Cbor) -> Ovmf:
    known = {variant.value: variant for variant in Ovmf}
    if not isinstance(value, str) or value not in known:
        raise _bad(f"tdvf.ovmf is none of {', '.join(known)}")
    return known[value]


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMAGE, f"{FILE_NAME}: {what}")
