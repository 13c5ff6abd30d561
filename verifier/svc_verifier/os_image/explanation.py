"""Compares the events of RTMR0 to RTMR2 with what an image must measure: every digest has to be accounted for.

The log counts because it replays into a verified quote (checks/log.py), so equal digests in equal order are equal
registers; names, types and payloads of these events are bound by nothing and not read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from svc_verifier.formats.event_log import Event
from svc_verifier.os_image.firmware import AFTER_KERNEL, RTMR0, Constant, Slot
from svc_verifier.os_image.image import ImageMeasurements
from svc_verifier.os_image.td_hob import td_hob_digest

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
