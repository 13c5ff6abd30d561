"""Operating system images, the digests that identify one, known ones, and their comparison."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from svc_verifier.formats.event_log import Event
from svc_verifier.os_image.firmware import (
    AFTER_KERNEL,
    OVMF_LAYOUT,
    RTMR0,
    Constant,
    HobLayout,
    Ovmf,
    Slot,
    td_hob_digest,
)


class Origin(StrEnum):
    """Source of an image's digests."""

    STATED = "stated in the image's own measurement document, which its hash binds"
    OBSERVED = "observed in published attestations, not rebuilt from source"
    PINNED = "pinned by the user"


@dataclass(frozen=True, slots=True)
class ImageMeasurements:
    """An image's digests of 48 bytes; `os_image_hash` is 32 bytes or None.

    `mrtds` holds MRTD by the order in which the virtual machine monitor adds the firmware's pages,
    of which there are two. `command_line` covers the root file system's dm-verity hash.
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
    """The image that a verified quote shows. The host chose `name`, which proves nothing."""

    os_image_hash: bytes | None
    name: str
    origin: Origin


Expected: TypeAlias = "Sequence[Constant | Slot]"
KERNEL: Final = "kernel"


@dataclass(frozen=True, slots=True)
class Difference:
    """A wrong digest, with register, expected event, and both digests in hex or words."""

    register: int
    name: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"RTMR{self.register}: {self.name} is {self.found}, expected is {self.expected}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Result of a comparison. `unexplained` are digests that follow from the host's tables."""

    differences: tuple[Difference, ...]
    unexplained: dict[Slot, bytes]


def explain(events: Sequence[Event], image: ImageMeasurements, memory_bytes: int) -> Explanation:
    """Compares a replayed log with an image on a machine of that much memory."""
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
        # An event's position gives its meaning, since names in RTMR0 to RTMR2 are the host's words.
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


@dataclass(frozen=True, slots=True)
class KnownImage:
    """Row of the table. `seen` names the projects; `development` is None if unknown."""

    measurements: ImageMeasurements
    seen: str
    development: bool | None


def _observed(
    os_image_hash: str | None,
    digests: tuple[str, str, str, str],
    *,
    seen: str,
    firmware: Ovmf = Ovmf.PRE_202505,
    development: bool | None = None,
) -> KnownImage:
    """Build a known image from `digests`: MRTD, kernel, command line and initrd, in hex."""
    mrtd, kernel, command_line, initrd = digests
    measurements = ImageMeasurements(
        os_image_hash=None if os_image_hash is None else bytes.fromhex(os_image_hash),
        mrtds={"observed": bytes.fromhex(mrtd)},
        kernel=bytes.fromhex(kernel),
        command_line=bytes.fromhex(command_line),
        initrd=bytes.fromhex(initrd),
        firmware=firmware,
        memory_list=OVMF_LAYOUT,
        origin=Origin.OBSERVED,
    )
    return KnownImage(measurements, seen, development)


_OVMF_OF_0_5: Final = "f06dfda6dce1cf904d4e2bab1dc370634cf95cefa2ceb2de2eee127c9382698090d7a4a13e14c536ec6c9c3c8fa87077"
_KERNEL_OF_0_5_8: Final = (
    "69e0bbb3861d993ddd4b79b40bb31cdc58ed540c754574e3c8af2432c5ac88e751a3b37bcf55a2352bad236b6ff4dc5c"
)
_INITRD_OF_0_5_8: Final = (
    "dbfb59810302b3564182a02ae2fc5dcda5f8207380a7b18a9e6dd6fb648c33b1612eb10fb95ec620fb70b9c240ffda1c"
)

KNOWN_IMAGES: Final = (
    _observed(
        "6427f4f5ded88b72d326bd973e581c1689c5080c6444a0cf90fec7d9e4c8b92a",
        (
            _OVMF_OF_0_5,
            _KERNEL_OF_0_5_8,
            "b9c214a020aaa317e6b62a6a7d2adfa14fd5b871849c714f747f8728cefda6d3c566e332044051aeac30bfa1fc9916a0",
            _INITRD_OF_0_5_8,
        ),
        seen="near/mpc (dstack-0.5.8)",
        development=False,
    ),
    _observed(
        "7d47512fda31dc5a7318f72ae1869a3c76323981eea21fc30cafd0f79668642c",
        (
            _OVMF_OF_0_5,
            _KERNEL_OF_0_5_8,
            "67f31a01871425f296100b04393a310fbf18e0a1d2ac19270b5a4609227e0e5fbe6ab838ef5822699a9e7216003378f6",
            _INITRD_OF_0_5_8,
        ),
        seen="near/mpc (its development measurements)",
        development=True,
    ),
    _observed(
        None,
        (
            _OVMF_OF_0_5,
            "c9c51baaf6e5189eedbe2ba89cdc2a168b8186bc9f3168c3c8f1b061c1ffad5971267c29e7e51c2bb3aac273cd3c0ccf",
            "9dfcd363325b39ddcf2337465dc2e01896ad028af73ed0f7f5a3e6d258d0286286a5e063905074d3b3a69a6ce4367bab",
            "1acee7e15a9599ea9273395d0e06340e432d6949418184f451d102598f20a3f65ee849016bf1c0bd17743e8753673697",
        ),
        seen="NearDeFi/shade-agent-framework",
    ),
    _observed(
        None,
        (
            "b24d3b24e9e3c16012376b52362ca09856c4adecb709d5fac33addf1c47e193da075b125b6c364115771390a5461e217",
            "0761fbfa317a42d8edbe9e404178d102adc059cface98c5e07d1d535371c145c3497fd2a19b8398568b8c8a6f95e0a86",
            "4027cb4ec64dbc24b6d98d9470daeefc749bbb6a9b011762d215f6ed3eb833d58fd72d9ad850958f72878182e6f61924",
            "63e06e29cf98f2fce71abd3a9629dff48457b47c010b64e11f7a2b42dd99bfa14ee35660b3f5d3fc376261d6ba9a6d6b",
        ),
        seen="Dstack-TEE/dstack (its verifier's fixture, of a stranger's machine: no hash is bound)",
    ),
    _observed(
        "e61be43dd1cc6a6f5edefd7c51b608983780839b0000ce60dd99737dcffe09b9",
        (
            "e53236d44a074bc78e784cdfa1a2c858a5f6b53afc1b60d8f079662314978b64241b646d8498dd767d5ea48e1e115822",
            "495228f0e255c0c461db43f1f2722599dfbee5972739eee9eb64dec2c6f1a486bb6ba64d2656fa4db21226d9d51700a3",
            "985235a00fd5b34c35c4556350855ab8626989831b0890adeaebf67bf688cf1826cbc9cc2da55fc719c73674ec400890",
            "d667c8a051569162ca2dc894ea1d4f0f7deb76242695d7813bed0fd8c76515d189c2620c343ffa535cf4611a450ca56f",
        ),
        seen="Dstack-TEE/dstack (its simulator's attestation, 0.6.0)",
        firmware=Ovmf.STABLE_202505,
    ),
)


def known_image(measurements: ImageMeasurements) -> KnownImage | None:
    """Returns the row of these measurements; None for measurements from elsewhere."""
    return next((image for image in KNOWN_IMAGES if image.measurements is measurements), None)


PUBLISHED: Final = {
    bytes.fromhex("6427f4f5ded88b72d326bd973e581c1689c5080c6444a0cf90fec7d9e4c8b92a"): "dstack-0.5.8",
    bytes.fromhex("5d286131b20689d0d59bae1b34cd91cb78149016a9ef50afff51fb1a04cad5e4"): "dstack-nvidia-0.5.8",
    bytes.fromhex("bd369a8c2f9edb2b52dad48ac8e0b32dde5f1337c423a506b48d07403a7d8033"): "dstack-0.5.9",
    bytes.fromhex("806a352e16175d90568de97dff563f31f680239e6b90e9b5b2e9141d0955b0d9"): "dstack-nvidia-0.5.9",
}
"""Image hashes that Phala's list gave as `is_dev: false` in August 2026, by name."""

DEVELOPMENT: Final = {
    image.measurements.os_image_hash: image.seen
    for image in KNOWN_IMAGES
    if image.development and image.measurements.os_image_hash is not None
}
"""Image hashes of known development images, and who said so."""


def acpi_fingerprint(loader: bytes, rsdp: bytes, tables: bytes) -> bytes:
    """Returns SHA384 over the three 48-byte digests, by which a user pins a machine's tables."""
    return hashlib.sha384(loader + rsdp + tables).digest()


KNOWN_ACPI: Final = {
    acpi_fingerprint(
        bytes.fromhex(
            "6dae15170c9fea6455681e3f838941a642ff9001a02a333e9ca8549af1db4ba47f01403e31dabe6e8a0b41ddd38b6d99"
        ),
        bytes.fromhex(
            "b3a62232ef6be064cce25a8b92cf55d4a6c099ee7a9c0852ce0c7d572393dae84895c0f59a9db5000f0b34a90c1b1bec"
        ),
        bytes.fromhex(
            "b6ed8ff3fca3c308f3f1ec7889054cc900b1c6dad9b14aedd0144d046626c81a5dbae47937f4949bb2d674a0bd699a7b"
        ),
    ): "near/mpc, NearDeFi/shade-agent-framework and Dstack-TEE/dstack",
    acpi_fingerprint(
        bytes.fromhex(
            "095d04cf26fe03aef6e3561fa24c1aa1cea93f4aeaf563b1f9f7616184c53454875925759434769cec2490acb563a337"
        ),
        bytes.fromhex(
            "8d9a4d4777a1bc77ecd9d8d37a4628129a80052a510320159a20a923bd07a0e90d8d1f2e1ebf088992b25f0d0fa672ef"
        ),
        bytes.fromhex(
            "3070721e169bc41884724cb0e6b3082e1baf249083d8b389181ba50b9afa951057876c380b8870e8c2facf2eff67a2b6"
        ),
    ): "Dstack-TEE/dstack (QEMU 8.2.2, 2 processors, no device passed through)",
}
"""Fingerprints of ACPI tables on machines of these projects, which gain nothing by bad ones."""
