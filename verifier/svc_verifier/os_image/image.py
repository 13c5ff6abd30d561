"""Operating system images and the digests that identify them in a quote."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from svc_verifier.os_image.firmware import HobLayout, Ovmf


class Origin(StrEnum):
    """Source of an image's digests."""

    STATED = "stated in the image's own measurement document, which its hash binds"
    OBSERVED = "observed in published attestations, not rebuilt from source"
    PINNED = "pinned by the user"


@dataclass(frozen=True, slots=True)
class ImageMeasurements:
    """An image's digests, 48 bytes each; `os_image_hash` is 32 bytes, None where none is known.

    `mrtds` holds MRTD by the order in which the virtual machine monitor adds the firmware's pages: the same firmware has
    two. `command_line` covers the root file system's dm-verity hash.
    """

    os_image_hash: bytes | None
    mrtds: Mapping[str, bytes]
    kernel: bytes
    command_line: bytes
    initrd: bytes
    firmware: Ovmf
    memory_list: HobLayout
    origin: Origin


@dataclass(frozen=True, slots=True)
class OsImage:
    """The image that a verified quote shows. `name` is what the host calls it, and proves nothing."""

    os_image_hash: bytes | None
    name: str
    origin: Origin
