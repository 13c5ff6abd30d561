"""The host's description of its machine, vm_config with its image's measurement document.

The document is CBOR (RFC 8949), read strictly and bounded: unsigned integers, byte strings, texts
and maps with text keys, all of definite length and in their shortest form (section 4.2.1). It is
hashed before it is read, so two readings of one text would be two images.
"""

import hashlib
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.certificate import parse_checksums
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json_object
from svc_verifier.os_image.firmware import Ovmf, parse_layout
from svc_verifier.os_image.images import ImageMeasurements, Origin

Cbor: TypeAlias = "int | bytes | str | dict[str, Cbor]"
LIMIT_BYTES: Final = 262_144
NESTING: Final = 16
NAME_CHARACTERS: Final = 128
DOCUMENT_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class MeasurementDocument:
    """The image's `sha256sum.txt` and its `measurement.tdx.cbor`, as bytes."""

    checksums: bytes
    measurement: bytes


@dataclass(frozen=True, slots=True)
class VmConfig:
    """Configuration of the virtual machine. A value is None or empty if it is not stated."""

    os_image_hash: bytes | None
    memory_bytes: int | None
    image: str
    ovmf_variant: str
    document: MeasurementDocument | None


def parse_vm_config(text: str) -> VmConfig:
    """Parse a vm_config or nothing. Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_IMAGE)."""
    read = parse_json_object(text, "vm_config", LIMIT_BYTES, NESTING) if text else {}
    return VmConfig(
        os_image_hash=_hash(read),
        memory_bytes=_memory(read),
        image=_text(read, "image", NAME_CHARACTERS),
        ovmf_variant=_text(read, "ovmf_variant", NAME_CHARACTERS),
        document=_document(read.get("tdx_measurement")),
    )


def _hash(read: dict[str, Json]) -> bytes | None:
    text = _text(read, "os_image_hash", 66)
    if not text:
        return None
    try:
        value = hex_bytes(text)
    except ValueError:
        value = b""
    if len(value) != 32:
        raise _bad_config("os_image_hash is not 32 bytes in hex")
    return value


def _memory(read: dict[str, Json]) -> int | None:
    value = read.get("memory_size")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 1 << 63:
        raise _bad_config("memory_size is no number of bytes")
    return value


def _text(read: dict[str, Json], key: str, limit_characters: int) -> str:
    value = read.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > limit_characters or not value.isprintable():
        raise _bad_config(f"{key} is no text of at most {limit_characters} characters")
    return value


def _document(value: Json) -> MeasurementDocument | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _bad_config("tdx_measurement is no object")
    return MeasurementDocument(_base64(value, "checksum_file"), _base64(value, "measurement"))


def _base64(read: dict[str, Json], key: str) -> bytes:
    value = read.get(key)
    if not isinstance(value, str) or len(value) > 2 * DOCUMENT_BYTES:
        raise _bad_config(f"tdx_measurement.{key} is no text of at most {2 * DOCUMENT_BYTES} characters")
    try:
        return b64decode(value, validate=True)
    except ValueError:
        raise _bad_config(f"tdx_measurement.{key} is no base64") from None


def _bad_config(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMAGE, f"vm_config: {what}")


FILE_NAME: Final = "measurement.tdx.cbor"
VERSION: Final = 3
_DIGEST_BYTES: Final = 48


def read_document(document: MeasurementDocument) -> ImageMeasurements:
    """Returns the measurements a document states, and the image hash that binds it.

    Raises VerifierError(TOO_LARGE, TRUNCATED, UNSUPPORTED_VERSION, BAD_EVIDENCE, BAD_IMAGE).
    """
    # The image hash is of the checksum file, which lists the document and so binds every digest.
    listed = parse_checksums(document.checksums).get(FILE_NAME)
    computed = hashlib.sha256(document.measurement).digest()
    # Hashed before it is parsed, since another document is not of this image.
    if listed != computed:
        stated = "lists none" if listed is None else f"lists {listed.hex()}"
        raise _bad_document(f"the document hashes to {computed.hex()}, the image's checksum file {stated}")
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
    """Returns a map with exactly these members, since an unknown one could change the meaning."""
    if not isinstance(value, dict) or value.keys() != keys:
        raise _bad_document(f"{name} does not have the members {', '.join(sorted(keys))}")
    return value


def _digest(read: Mapping[str, Cbor], key: str) -> bytes:
    value = _bytes(read[key], key)
    if len(value) != _DIGEST_BYTES:
        raise _bad_document(f"{key} is not {_DIGEST_BYTES} bytes")
    return value


def _bytes(value: Cbor, name: str) -> bytes:
    if not isinstance(value, bytes):
        raise _bad_document(f"{name} is no byte string")
    return value


def _firmware(value: Cbor) -> Ovmf:
    known = {variant.value: variant for variant in Ovmf}
    if not isinstance(value, str) or value not in known:
        raise _bad_document(f"tdvf.ovmf is none of {', '.join(known)}")
    return known[value]


def _bad_document(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMAGE, f"{FILE_NAME}: {what}")


CBOR_LIMIT_BYTES: Final = 4_096
"""Largest document. Real ones take 400 bytes."""

CBOR_NESTING: Final = 4
_UNSIGNED, _BYTES, _TEXT, _MAP = 0, 2, 3, 5


def parse_cbor(data: bytes, what: str) -> Cbor:
    """Parse one value. Raises VerifierError(TOO_LARGE, TRUNCATED, BAD_IMAGE) naming `what`."""
    if len(data) > CBOR_LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{what}: more than {CBOR_LIMIT_BYTES} bytes")
    reader = _CborReader(data, what)
    value = reader.value(CBOR_NESTING)
    if reader.position != len(data):
        reader.refuse("bytes follow the value")
    return value


class _CborReader:
    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._what = what
        self.position = 0

    def value(self, depth: int) -> Cbor:
        major, number = self._head()
        if major == _UNSIGNED:
            return number
        if major == _BYTES:
            return self._take(number)
        if major == _TEXT:
            return self._text(number)
        if major != _MAP:
            self.refuse(f"major type {major} is none of those a measurement document uses")
        if depth == 0:
            raise VerifierError(VerifierErrorCode.TOO_LARGE, f"{self._what}: nested more than {CBOR_NESTING} deep")
        return self._map(number, depth - 1)

    def _map(self, entries: int, depth: int) -> dict[str, Cbor]:
        # Every entry takes two bytes or more, so a false length ends at the first missing one.
        read: dict[str, Cbor] = {}
        for _ in range(entries):
            major, number = self._head()
            if major != _TEXT:
                self.refuse("a key is no text")
            key = self._text(number)
            if key in read:
                self.refuse(f"the key {key!r} appears twice")
            read[key] = self.value(depth)
        return read

    def _head(self) -> tuple[int, int]:
        first = self._take(1)[0]
        major, low = first >> 5, first & 0x1F
        if low < 24:
            return major, low
        # 28 to 30 are reserved, 31 is the indefinite length, which has no length to check first.
        if low > 27:
            self.refuse("a length that is not definite")
        width = 1 << (low - 24)
        number = int.from_bytes(self._take(width), "big")
        # RFC 8949 §4.2.1: 24 to 255 take one byte, from 256 two, from 2^16 four, from 2^32 eight.
        smallest = 24 if width == 1 else 1 << (4 * width)
        if number < smallest:
            self.refuse("a number that is not in its shortest form")
        return major, number

    def _text(self, length: int) -> str:
        try:
            return self._take(length).decode()
        except UnicodeDecodeError as error:
            self.refuse(f"a text that is not UTF-8 at offset {self.position - length + error.start}")

    def _take(self, length: int) -> bytes:
        if length > len(self._data) - self.position:
            message = f"{self._what}: {length} bytes are announced at offset {self.position}, fewer are left"
            raise VerifierError(VerifierErrorCode.TRUNCATED, message)
        start = self.position
        self.position += length
        return self._data[start : self.position]

    def refuse(self, why: str) -> NoReturn:
        raise VerifierError(VerifierErrorCode.BAD_IMAGE, f"{self._what}: {why}")
