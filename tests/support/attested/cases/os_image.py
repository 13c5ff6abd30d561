"""The operating system image (spec 13.3)."""

import json
from collections.abc import Callable
from typing import Any, Final

from devkit.tee_simulator.os_image import OS_IMAGE_HASH
from svc_verifier.material import ContractCall
from tests.support.attested.accounts import word
from tests.support.attested.case import OS_REST, Case, accepted, case
from tests.support.attested.cases.log import measured
from tests.support.attested.governance import KMS, OS_IMAGES
from tests.support.attested.look import Look
from tests.support.attested.td import EventLog, Td

GIB: Final = 1 << 30


def machine(**changes: Any) -> Callable[[Look], None]:
    """Other members of vm_config; None takes one away."""

    def tamper(look: Look) -> None:
        read = json.loads(look.attestation["vm_config"]) | changes
        look.attestation["vm_config"] = json.dumps({key: value for key, value in read.items() if value is not None})

    return tamper


def firmware(change: Callable[[list[dict[str, Any]]], object], register: int) -> Td:
    """A TD whose firmware measured something else into a register."""

    def rewrite(log: EventLog) -> None:
        own = [event for event in log if event["imr"] == register]
        change(own)

    return measured(rewrite)


def first(digest: str, place: int = 0) -> Callable[[list[dict[str, Any]]], object]:
    """Another digest at that place of the register."""
    return lambda own: own[place].update(digest=digest)


def allowed(answer: bytes | None) -> Callable[[Look], object]:
    """What the KMS contract says of the image."""
    question = ContractCall(KMS, OS_IMAGES + OS_IMAGE_HASH)
    return lambda look: look.chain.calls.update({question: answer})


BAD_OS: Final = "os.measurements"
KMS_PINNED: Final = {"kms_contract": KMS}

OS_CASES: Final[tuple[Case, ...]] = (
    case("firmware: another MRTD", BAD_OS, OS_REST, td=Td(report={184: b"\7" * 48})),
    case("kernel: another one", BAD_OS, OS_REST, td=firmware(first("ab" * 48), 1)),
    case("command line: another one", BAD_OS, OS_REST, td=firmware(first("ab" * 48), 2)),
    case("initrd: another one", BAD_OS, OS_REST, td=firmware(first("ab" * 48, 1), 2)),
    case("initrd: loaded as the command line", BAD_OS, OS_REST,
         td=firmware(lambda own: own[0].update(digest=own[1]["digest"]), 2)),
    case("firmware volume: another one", BAD_OS, OS_REST, td=firmware(first("ab" * 48, 1), 0)),
    case("secure boot: switched", BAD_OS, OS_REST, td=firmware(first("ab" * 48, 2), 0)),
    case("boot order: another one", BAD_OS, OS_REST, td=firmware(first("ab" * 48, 11), 0)),
    case("memory: another size than measured", BAD_OS, OS_REST, tamper=machine(memory_size=4 * GIB)),
    case("memory: not stated", "", OS_REST | {BAD_OS}, tamper=machine(memory_size=None)),
    case("image: another hash than its digests", BAD_OS, OS_REST, tamper=machine(os_image_hash="11" * 32)),
    case("image: another document than its hash", BAD_OS, OS_REST,
         tamper=machine(tdx_measurement={"measurement": "oA==", "checksum_file": "AAAA"})),
    case("image: states nothing of itself", "", OS_REST | {BAD_OS}, tamper=machine(tdx_measurement=None)),
    case("image: other firmware than stated", BAD_OS, OS_REST, tamper=machine(ovmf_variant="stable202505")),
    case("vm_config: no JSON", BAD_OS, OS_REST, tamper=lambda look: look.attestation.update(vm_config="{")),
    case("ACPI tables: none of the pinned ones", "os.acpi-tables", trust={"acpi_tables": frozenset({bytes(48)})}),
    case("image: none of the pinned ones", "os.allowed", trust={"os_images": frozenset({bytes(32)})}),
    accepted("image: pinned", trust={"os_images": frozenset({OS_IMAGE_HASH})}),
    accepted("image: allowed by the KMS contract", tamper=allowed(word(1)), trust=KMS_PINNED),
    case("image: not allowed by the KMS contract", "os.allowed", tamper=allowed(word(0)), trust=KMS_PINNED),
    case("image: the KMS contract answers neither yes nor no", "", "os.allowed", tamper=allowed(word(2)), trust=KMS_PINNED),
    case("image: the KMS contract was not asked", "", "os.allowed", trust=KMS_PINNED),
    case("image: a development image by its own name", "os.production", tamper=machine(image="dstack-dev-0.5.3")),
)  # fmt: skip
