"""What is judged of a recognised image: whose ACPI tables it runs, who allowed it, and whether its operator may log in.

RTMR0 measures the ACPI tables that the host hands to the firmware, and nothing of the image explains them: they follow from
QEMU, processors and devices. They hold programs (AML) which the guest's kernel runs, and which name the memory they read
and write: any of it, the TD's private memory included; and commands (the loader's) by which the firmware patches memory.
So a host that writes its own tables reads and changes whatever the TD holds, its keys among it, while firmware, kernel,
root file system and app stay the allowed ones and every other check passes ("BadAML", ACM CCS 2025). It cannot hide that
it did: the digests are measured. But a digest tells only whoever knows the right one. Hence `os.acpi-tables`: passed for
tables that the user pinned or that were seen on machines of projects named in os_image/known.py, else undecided. They are
not computed here, so for other machines a pin is needed.

SMBIOS, measured by newer firmware and not at all by older, holds descriptions and no programs. A host may write there what
it likes, and an image that took settings from there would obey it; that it does not is part of what whoever allows the
image vouches for. Its digest is shown.
"""

import re
from typing import Final

from svc_verifier.catalogue import failed, not_made, passed, skipped, unknown
from svc_verifier.chain import abi, questions
from svc_verifier.check import Check
from svc_verifier.material import EndpointAnswers
from svc_verifier.os_image.explanation import Explanation
from svc_verifier.os_image.firmware import ACPI, Slot
from svc_verifier.os_image.image import ImageMeasurements, Origin, OsImage
from svc_verifier.os_image.known import DEVELOPMENT, KNOWN_ACPI, PUBLISHED, acpi_fingerprint, known_image
from svc_verifier.trust import Trust

ACPI_TABLES: Final = "os.acpi-tables"
ALLOWED: Final = "os.allowed"
PRODUCTION: Final = "os.production"
_DEVELOPMENT_NAME: Final = re.compile(r"(?:^|[-_.])dev(?:$|[-_.])", re.IGNORECASE)
"""dstack calls its development images dstack-dev-0.5.3, dstack-nvidia-dev-0.5.3 and so on."""


def judge_acpi_tables(explanation: Explanation, trust: Trust) -> Check:
    """Tables that nobody vouches for leave it undecided; pinned ones are the only ones."""
    digests = {slot: explanation.unexplained[slot] for slot in ACPI}
    fingerprint = acpi_fingerprint(digests[Slot.ACPI_LOADER], digests[Slot.ACPI_RSDP], digests[Slot.ACPI_TABLES])
    evidence = {slot.value: digest.hex() for slot, digest in digests.items()} | {"fingerprint": fingerprint.hex()}
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
    why = "the ACPI tables hold programs that the kernel executes, and nobody vouches for these: the host wrote them"
    fix = (
        "Take them from a machine of your own with the stated QEMU version, processors and devices, or compute them as "
        "dstack-mr does, and pin their fingerprint under `acpi_tables` in trust.toml."
    )
    return unknown(ACPI_TABLES, why, fix, **evidence)


def judge_allowed(image: OsImage, chain: EndpointAnswers | None, trust: Trust) -> Check:
    """By the user's pins where there are any, else by the pinned KMS contract as the endpoints agree it answers."""
    if image.os_image_hash is None:
        return unknown(ALLOWED, "of this image no hash is known that could be allowed", "Pin its `os_measurements`.")
    digest = image.os_image_hash
    evidence = {"os_image_hash": digest.hex()}
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


def _allowed_on_chain(digest: bytes, kms: bytes, chain: EndpointAnswers | None, evidence: dict[str, str]) -> Check:
    evidence = evidence | {"kms_contract": f"0x{kms.hex()}"}
    if chain is None:
        return not_made(ALLOWED, "governance.endpoints", **evidence)
    question = questions.os_image_allowed(kms, digest)
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
    """A development image lets its operator log in. The name is the host's word: it can convict, but not acquit."""
    digest = image.os_image_hash
    evidence = {"os_image_hash": digest.hex() if digest is not None else "not known", "image": image.name}
    known = known_image(measured)
    fix = "The operator of a development image can log in to the TD. Ask for a production image."
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
    why = "nobody known says whether this is a production image, and its name is the host's word"
    fix = "Look its hash up among the releases of dstack, and pin it under `os_images` if it is one for production."
    return unknown(PRODUCTION, why, fix, **evidence)
