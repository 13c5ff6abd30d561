"""The operating system: what measured the compose file is itself a known, allowed image (attestation.md, 2.1 D).

RTMR3 is written by the guest: whoever boots his own kernel writes there what he likes. So MRTD (the firmware), RTMR0 (the
machine), RTMR1 (the kernel) and RTMR2 (command line with the root file system's hash, and initrd) must all be explained.

An image of dstack 0.6 states its digests in a document that its hash binds (os_image/document.py); an older one must be
in the table of images seen (os_image/known.py) or pinned by the user. What `vm_config` says of the image otherwise, its
name and its hash, is the host's word: a host that names an allowed image while it boots another is found out here, since
the hash that counts is the one that the measured digests lead to.

What is left over in RTMR0, the host's own tables, is judged apart (os_image_policy.py).
"""

from collections.abc import Sequence
from typing import Final

from svc_verifier.catalogue import failed, not_made, passed, unknown
from svc_verifier.check import Check, Group, Outcome
from svc_verifier.checks.dependency import group_not_made
from svc_verifier.checks.os_image_policy import (
    ACPI_TABLES,
    ALLOWED,
    PRODUCTION,
    judge_acpi_tables,
    judge_allowed,
    judge_production,
)
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import Event
from svc_verifier.formats.quote import TdReport
from svc_verifier.material import EndpointAnswers
from svc_verifier.os_image.document import read_document
from svc_verifier.os_image.explanation import KERNEL, Explanation, explain
from svc_verifier.os_image.firmware import Ovmf
from svc_verifier.os_image.image import ImageMeasurements, Origin, OsImage
from svc_verifier.os_image.known import KNOWN_IMAGES, known_image
from svc_verifier.os_image.td_hob import OVMF_LAYOUT
from svc_verifier.os_image.vm_config import VmConfig, parse_vm_config
from svc_verifier.trust import OsMeasurements, Trust
from svc_verifier.verified import Boot, VerifiedQuote

_MEASUREMENTS: Final = "os.measurements"

_STABLE_KERNEL_BYTES: Final = 0xB0000000
_STABLE_KERNEL_ALSO_BYTES: Final = 0x80000000
"""Memory sizes for which an image states its kernel's digest: QEMU writes the initrd's address into the kernel, and below
2.75 GiB, but for 2 GiB exactly, that address depends on the memory."""


def check_os(
    vm_config: str | None,
    boot: Boot | None,
    verified: VerifiedQuote | None,
    chain: EndpointAnswers | None,
    trust: Trust,
) -> Outcome[OsImage]:
    """`vm_config` is the JSON text beside the quote, `chain` what the endpoints agreed on; None where there is none."""
    if boot is None or verified is None:
        return group_not_made("log.replay", Group.OS)
    try:
        config = parse_vm_config(vm_config or "")
        image = _image(config, boot.events, verified.quote.report, trust)
    except VerifierError as error:
        return Outcome((_unreadable(error), *_resting()), None)
    if image is None:
        return Outcome((_no_image(boot.events, verified.quote.report), *_resting()), None)
    measurements, explanation = _measurements(config, image, boot.events, verified.quote.report)
    if explanation is None:
        return Outcome((measurements, *_resting()), None)
    found = OsImage(image.os_image_hash, config.image, image.origin)
    checks = (
        measurements,
        judge_acpi_tables(explanation, trust),
        judge_allowed(found, chain, trust),
        judge_production(found, image, trust),
    )
    return Outcome(checks, found)


def _resting() -> tuple[Check, ...]:
    return tuple(not_made(name, _MEASUREMENTS) for name in (ACPI_TABLES, ALLOWED, PRODUCTION))


def _unreadable(error: VerifierError) -> Check:
    if error.code is VerifierErrorCode.UNSUPPORTED_VERSION:
        return unknown(_MEASUREMENTS, error.message, "A newer verifier may know this version.")
    return failed(_MEASUREMENTS, error.message)


def _image(config: VmConfig, events: Sequence[Event], report: TdReport, trust: Trust) -> ImageMeasurements | None:
    """The image to compare with: the one that states itself, else the known one with these very digests."""
    if config.document is not None:
        return read_document(config.document)
    kernel, command_line, initrd = (_digest(events, *place) for place in ((1, 0), (2, 0), (2, 1)))
    pinned = tuple(_pinned(image, events) for image in trust.os_measurements)
    for image in (*pinned, *(known.measurements for known in KNOWN_IMAGES)):
        same = (image.kernel, image.command_line, image.initrd) == (kernel, command_line, initrd)
        if same and report.mr_td in image.mrtds.values():
            return image
    return None


def _pinned(image: OsMeasurements, events: Sequence[Event]) -> ImageMeasurements:
    """Both generations of firmware are tried: MRTD says which one it is, the number of events what it looks like."""
    newer = sum(event.register == 0 for event in events) > 13
    return ImageMeasurements(
        os_image_hash=image.os_image_hash,
        mrtds={"pinned": image.mrtd},
        kernel=image.kernel,
        command_line=image.command_line,
        initrd=image.initrd,
        firmware=Ovmf.STABLE_202505 if newer else Ovmf.PRE_202505,
        memory_list=OVMF_LAYOUT,
        origin=Origin.PINNED,
    )


def _digest(events: Sequence[Event], register: int, place: int) -> bytes:
    digests = [event.digest for event in events if event.register == register]
    return digests[place] if place < len(digests) else b""


def _no_image(events: Sequence[Event], report: TdReport) -> Check:
    why = "the image states nothing of itself, and no known one has its digests: it could be anything"
    fix = "Rebuild the image you expect, and pin what `dstack-mr measure` says under `os_measurements` in trust.toml."
    return unknown(
        _MEASUREMENTS,
        why,
        fix,
        mrtd=report.mr_td.hex(),
        kernel=_digest(events, 1, 0).hex(),
        command_line=_digest(events, 2, 0).hex(),
        initrd=_digest(events, 2, 1).hex(),
    )


def _measurements(
    config: VmConfig, image: ImageMeasurements, events: Sequence[Event], report: TdReport
) -> tuple[Check, Explanation | None]:
    """The explanation is there when the check passed."""
    name = _MEASUREMENTS
    stated, bound, known = config.os_image_hash, image.os_image_hash, known_image(image)
    evidence = {
        "os_image_hash": bound.hex() if bound is not None else "not known",
        "known": image.origin.value if known is None else f"{image.origin.value}: {known.seen}",
        "mrtd": report.mr_td.hex(),
        "kernel": image.kernel.hex(),
        "command_line": image.command_line.hex(),
        "initrd": image.initrd.hex(),
    }
    if stated is not None and bound is not None and stated != bound:
        why = f"vm_config states the image {stated.hex()}, its digests are those of {bound.hex()}"
        return failed(name, why, "The host claims an image that it did not boot.", **evidence), None
    if config.ovmf_variant and config.ovmf_variant != image.firmware.value:
        why = f"vm_config states the firmware {config.ovmf_variant!r}, the image has {image.firmware.value!r}"
        return failed(name, why, **evidence), None
    orders = [order for order, mrtd in image.mrtds.items() if mrtd == report.mr_td]
    if not orders:
        expected = " or ".join(mrtd.hex() for mrtd in image.mrtds.values())
        why = f"MRTD is {report.mr_td.hex()}, expected is {expected}"
        return failed(name, why, "The firmware is not the image's.", **evidence), None
    if config.memory_bytes is None:
        return unknown(name, "vm_config does not state the memory size, on which RTMR0 depends", **evidence), None
    evidence |= {"pages added": orders[0], "memory": f"{config.memory_bytes} bytes"}
    return _explained(explain(events, image, config.memory_bytes), config.memory_bytes, evidence)


def _explained(
    explanation: Explanation, memory_bytes: int, evidence: dict[str, str]
) -> tuple[Check, Explanation | None]:
    evidence |= {f"unexplained {slot.value}": digest.hex() for slot, digest in explanation.unexplained.items()}
    differences = explanation.differences
    if not differences:
        return passed(_MEASUREMENTS, **evidence), explanation
    kernel_alone = [difference.name for difference in differences] == [KERNEL]
    if kernel_alone and not _kernel_is_stable(memory_bytes):
        why = f"the image states no kernel digest for {memory_bytes} bytes of memory; {differences[0]}"
        fix = "Ask the operator to give the machine 2 GiB, or 2.75 GiB or more."
        return unknown(_MEASUREMENTS, why, fix, **evidence), None
    why = "; ".join(str(difference) for difference in differences[:4])
    return failed(_MEASUREMENTS, why, "This is another image or machine than stated.", **evidence), None


def _kernel_is_stable(memory_bytes: int) -> bool:
    return memory_bytes >= _STABLE_KERNEL_BYTES or memory_bytes == _STABLE_KERNEL_ALSO_BYTES
