"""What is run of an image, and beside what: the same for every engine, and the same as the template of `compose`."""

import errno
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DATA: Final = "/data"
"""Where the volume is."""

GUEST_AGENT: Final = "/var/run/dstack.sock"
"""Where the guest agent is."""

TMPFS_BYTES: Final = 64 << 20
"""Of /tmp."""

_NAMESPACE_FLAGS: Final = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)


@dataclass(frozen=True, slots=True)
class Container:
    """One start of the image. `volume` is a name; `seccomp` a profile instead of the engine's own."""

    arguments: Sequence[str]
    guest_agent: Path
    volume: str
    memory_bytes: int
    seccomp: Path | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """What the image itself says of its start."""

    entrypoint: tuple[str, ...]
    environment: tuple[str, ...]
    user: int
    group: int
    folder: str

    @classmethod
    def of(cls, config: Mapping[str, object]) -> "Start":
        """From the `config` of an image's configuration."""
        user, _, group = str(config["User"]).partition(":")
        entrypoint, environment = config["Entrypoint"], config["Env"]
        if not isinstance(entrypoint, list) or not isinstance(environment, list):
            raise TypeError("an image of ours names its entry point and its environment")
        return cls(tuple(entrypoint), tuple(environment), int(user), int(group or user), str(config["WorkingDir"]))


def no_namespaces_profile() -> str:
    """A seccomp profile that refuses what Docker's own refuses a container without capabilities, as far as the action
    sandbox asks for it: new namespaces. `clone3` is said to be unknown, since a filter cannot see its flags.
    """
    plain = {"names": ["unshare", "setns", "mount", "umount2", "pivot_root"], "action": "SCMP_ACT_ERRNO"}
    unknown = {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS}
    flagged = [
        {
            "names": ["clone"],
            "action": "SCMP_ACT_ERRNO",
            "args": [{"index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ"}],
        }
        for flag in _NAMESPACE_FLAGS
    ]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [plain, unknown, *flagged]})
