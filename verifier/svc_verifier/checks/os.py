"""Checks of the guest operating system and its measurements."""

import re
from collections.abc import Sequence
from typing import Final

from svc_verifier.chain import abi, contracts
from svc_verifier.check import Check, Group, Outcome, failed, group_not_made, not_made, passed, skipped, unknown
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import Event
from svc_verifier.formats.quote import TdReport
from svc_verifier.material import Boot, ProviderAnswers, VerifiedQuote
from svc_verifier.os_image.document import VmConfig, parse_vm_config, read_document
from svc_verifier.os_image.firmware import ACPI, OVMF_LAYOUT, Ovmf, Slot
from svc_verifier.os_image.images import (
    DEVELOPMENT,
    KERNEL,
    KNOWN_ACPI,
    KNOWN_IMAGES,
    PUBLISHED,
    Explanation,
    ImageMeasurements,
    Origin,
    OsImage,
    acpi_fingerprint,
    explain,
    known_image,
)
from svc_verifier.trust import OsMeasurements, Trust

ACPI_TABLES: Final = "os.acpi-tables"
ALLOWED: Final = "os.allowed"
PRODUCTION: Final = "os.production"
_DEVELOPMENT_NAME: Final = re.compile(r"(?:^|[-_.])dev(?:$|[-_.])", re.IGNORECASE)
"""Name of a development image of dstack, such as dstack-dev-0.5.3 or dstack-nvidia-dev-0.5.3."""


def judge_acpi_tables(explanation: Explanation, trust: Trust) -> Check:
    """Check the tables. Unknown ones leave it undecided; if some are pinned, others fail."""
    digests = {slot: explanation.unexplained[slot] for slot in ACPI}
    fingerprint = acpi_fingerprint(digests[Slot.ACPI_LOADER], digests[Slot.ACPI_RSDP], digests[Slot.ACPI_TABLES])
    evidence = {slot.value: digest.hex() for slot, digest in digests.items()} | {"fingerprint": fingerprint.hex()}
    # ACPI tables hold AML that the kernel executes with its own rights.
    if fingerprint in trust.acpi_tables:
        return passed(ACPI_TABLES, **evidence, known=Origin.PINNED.value)
    if trust.acpi_tables:
        why = "the ACPI tables are none of the pinned ones: the host changed the machine, or what the kernel executes"
        return failed(
            ACPI_TABLES, why, "Ask the operator what changed; pin the new ones only once you know.", **evidence
        )
    if fingerprint in KNOWN_ACPI:
        return passed(ACPI_TABLES, **evidence, known=f"{Origin.OBSERVED.value}: {KNOWN_ACPI[fingerprint]}")
    if trust.development_root is not None:
        return skipped(ACPI_TABLES, "DEV: under a development root no ACPI tables are pinned", **evidence)
    why = "the ACPI tables hold programs that the kernel executes, and no pin vouches for these, which the host wrote"
    fix = (
        "Take them from a machine of your own with the stated QEMU version, processors and devices, or compute them as "
        "dstack-mr does, and pin their fingerprint under `acpi_tables` in trust.toml."
    )
    return unknown(ACPI_TABLES, why, fix, **evidence)


def judge_allowed(image: OsImage, chain: ProviderAnswers | None, trust: Trust) -> Check:
    """Check by the user's pins if there are any, else by the pinned KMS contract."""
    if image.os_image_hash is None:
        return unknown(ALLOWED, "of this image no hash is known that could be allowed", "Pin its `os_measurements`.")
    digest = image.os_image_hash
    evidence = {"os_image_hash": digest.hex()}
    # The user's pins come first, since they need no provider and no contract.
    if digest in trust.os_images or image.origin is Origin.PINNED:
        return passed(ALLOWED, **evidence, by=Origin.PINNED.value)
    if trust.os_images:
        why = f"the image {digest.hex()} is none of the pinned ones"
        return failed(ALLOWED, why, "Read what changed between the images before you pin this one.", **evidence)
    if trust.kms_contract is not None:
        return _allowed_on_chain(digest, trust.kms_contract, chain, evidence)
    if trust.development_root is not None:
        return skipped(ALLOWED, "DEV: under a development root no image is pinned", **evidence)
    fix = "Set `os_images` or `kms_contract` in trust.toml."
    return unknown(ALLOWED, "neither images nor a KMS contract are pinned: any known image would do", fix, **evidence)


def _allowed_on_chain(digest: bytes, kms: bytes, chain: ProviderAnswers | None, evidence: dict[str, str]) -> Check:
    evidence = evidence | {"kms_contract": f"0x{kms.hex()}"}
    if chain is None:
        return not_made(ALLOWED, "governance.endpoints", **evidence)
    question = contracts.os_image_allowed(kms, digest)
    if question not in chain.calls:
        return unknown(ALLOWED, "the KMS contract was not asked for the measured image", **evidence)
    allowed = abi.decode_bool(chain.calls[question])
    evidence |= {"block": str(chain.block_number)}
    if allowed is None:
        fix = "Is `kms_contract` in trust.toml the DstackKms contract?"
        return unknown(ALLOWED, "the KMS contract does not answer whether the image is allowed", fix, **evidence)
    if not allowed:
        why = f"the KMS contract does not allow the image {digest.hex()}"
        return failed(ALLOWED, why, "It was never allowed, or its approval was taken back.", **evidence)
    return passed(ALLOWED, **evidence)


def judge_production(image: OsImage, measured: ImageMeasurements, trust: Trust) -> Check:
    """Check that the image allows no login. Its name, the host's word, proves only guilt."""
    digest = image.os_image_hash
    evidence = {"os_image_hash": digest.hex() if digest is not None else "not known", "image": image.name}
    known = known_image(measured)
    fix = "The operator of a development image can log in to the TD. Ask for a production image."
    # First, since the host chooses the name but not the digest.
    if digest in DEVELOPMENT or (known is not None and known.development):
        seen = known.seen if known is not None else DEVELOPMENT[digest or b""]
        return failed(PRODUCTION, f"this is a known development image ({seen})", fix, **evidence)
    if _DEVELOPMENT_NAME.search(image.name):
        return failed(PRODUCTION, f"the host itself calls the image {image.name!r}", fix, **evidence)
    if digest in PUBLISHED:
        return passed(PRODUCTION, **evidence, published_as=PUBLISHED[digest or b""])
    if trust.development_root is not None:
        return skipped(PRODUCTION, "DEV: an image under a development root is for development", **evidence)
    if digest in trust.os_images or image.origin is Origin.PINNED:
        return passed(PRODUCTION, **evidence, by=Origin.PINNED.value)
    why = "no known list says whether this is a production image, and its name is the host's word"
    fix = "Look its hash up among the releases of dstack, and pin it under `os_images` if it is one for production."
    return unknown(PRODUCTION, why, fix, **evidence)


_MEASUREMENTS: Final = "os.measurements"

_STABLE_KERNEL_BYTES: Final = 0xB0000000
_STABLE_KERNEL_ALSO_BYTES: Final = 0x80000000
"""Memory sizes from which an image states its kernel's digest. QEMU writes the initrd's address
into the kernel, which below 2.75 GiB, except at 2 GiB, depends on the memory."""


def check_os(
    vm_config: str | None,
    boot: Boot | None,
    verified: VerifiedQuote | None,
    chain: ProviderAnswers | None,
    trust: Trust,
) -> Outcome[OsImage]:
    """Check the image. `vm_config` is the text beside the quote, `chain` the common replies."""
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
    """Returns the image that vm_config states, else the known one with these very digests."""
    # A stated image is bound by its hash. Whether it is allowed, `os.allowed` decides.
    if config.document is not None:
        return read_document(config.document)
    kernel, command_line, initrd = (_digest(events, *place) for place in ((1, 0), (2, 0), (2, 1)))
    pinned = tuple(_pinned(image, events) for image in trust.os_measurements)
    # The user's pins first, since they may give an image of the table their own hash.
    for image in (*pinned, *(known.measurements for known in KNOWN_IMAGES)):
        same = (image.kernel, image.command_line, image.initrd) == (kernel, command_line, initrd)
        # MRTD is the firmware, the others kernel, command line and initrd. Together they are all
        # that runs before the application.
        if same and report.mr_td in image.mrtds.values():
            return image
    return None


def _pinned(image: OsMeasurements, events: Sequence[Event]) -> ImageMeasurements:
    """Returns a pinned image. The number of events tells the generation of firmware."""
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
    """Returns the check, with the explanation if it passed."""
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
    # vm_config is unsigned, so its hash is a claim. The registers bind the booted image.
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
    # The firmware measures a list of memory ranges (TD HOB) first, which depends on the size.
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
    if kernel_alone and memory_bytes < _STABLE_KERNEL_BYTES and memory_bytes != _STABLE_KERNEL_ALSO_BYTES:
        why = f"the image states no kernel digest for {memory_bytes} bytes of memory; {differences[0]}"
        fix = "Ask the operator to give the machine 2 GiB, or 2.75 GiB or more."
        return unknown(_MEASUREMENTS, why, fix, **evidence), None
    why = "; ".join(str(difference) for difference in differences[:4])
    return failed(_MEASUREMENTS, why, "This is another image or machine than stated.", **evidence), None
