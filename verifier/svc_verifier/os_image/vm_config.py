"""The virtual machine's configuration, and why its measurement differs."""

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import Event
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json_object
from svc_verifier.os_image.firmware import AFTER_KERNEL, RTMR0, Constant, Slot, td_hob_digest
from svc_verifier.os_image.image import ImageMeasurements

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
    """Configuration of the virtual machine, as far as it is read. A value is None or empty if the text has none. `memory_bytes` is its memory."""

    os_image_hash: bytes | None
    memory_bytes: int | None
    image: str
    ovmf_variant: str
    document: MeasurementDocument | None


def parse_vm_config(text: str) -> VmConfig:
    """Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_IMAGE), and nothing else. An empty text states nothing."""
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
        raise _bad("os_image_hash is not 32 bytes in hex")
    return value


def _memory(read: dict[str, Json]) -> int | None:
    value = read.get("memory_size")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 1 << 63:
        raise _bad("memory_size is no number of bytes")
    return value


def _text(read: dict[str, Json], key: str, limit_characters: int) -> str:
    value = read.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > limit_characters or not value.isprintable():
        raise _bad(f"{key} is no text of at most {limit_characters} characters")
    return value


def _document(value: Json) -> MeasurementDocument | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _bad("tdx_measurement is no object")
    return MeasurementDocument(_base64(value, "checksum_file"), _base64(value, "measurement"))


def _base64(read: dict[str, Json], key: str) -> bytes:
    value = read.get(key)
    if not isinstance(value, str) or len(value) > 2 * DOCUMENT_BYTES:
        raise _bad(f"tdx_measurement.{key} is no text of at most {2 * DOCUMENT_BYTES} characters")
    try:
        return b64decode(value, validate=True)
    except ValueError:
        raise _bad(f"tdx_measurement.{key} is no base64") from None


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_IMAGE, f"vm_config: {what}")


Expected: TypeAlias = "Sequence[Constant | Slot]"
KERNEL: Final = "kernel"


@dataclass(frozen=True, slots=True)
class Difference:
    """A digest that is not the expected one: the register, what should stand there, and both digests in hex or words."""

    register: int
    name: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"RTMR{self.register}: {self.name} is {self.found}, expected is {self.expected}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """`differences` is empty when all is accounted for but `unexplained`: digests that follow from the host's tables."""

    differences: tuple[Difference, ...]
    unexplained: dict[Slot, bytes]


def explain(events: Sequence[Event], image: ImageMeasurements, memory_bytes: int) -> Explanation:
    """The registers of a replayed log against an image on a machine of that much memory."""
    memory_list = td_hob_digest(image.memory_list, memory_bytes)
    first = Slot.TD_HOB if memory_list is None else Constant("the memory list", memory_list)
    expected: dict[int, Expected] = {
        0: (first, *RTMR0[image.firmware][1:]),
        1: (Constant(KERNEL, image.kernel), *AFTER_KERNEL),
        2: (Constant("command line", image.command_line), Constant("initrd", image.initrd)),
    }
    differences: list[Difference] = []
    unexplained: dict[Slot, bytes] = {}
    for register, wanted in expected.items():
        found = [event.digest for event in events if event.register == register]
        if len(found) != len(wanted):
            differences.append(Difference(register, "the number of events", str(len(found)), str(len(wanted))))
            continue
        for digest, item in zip(found, wanted, strict=True):
            if isinstance(item, Slot):
                unexplained[item] = digest
            elif digest != item.digest:
                differences.append(Difference(register, item.name, digest.hex(), item.digest.hex()))
    if memory_list is None:
        differences.append(Difference(0, "the memory size", str(memory_bytes), "room for the firmware"))
    return Explanation(tuple(differences), unexplained)
