"""Landlock, where the kernel has it: no file, no port, nobody to signal. A second lock behind the call filter."""

import ctypes
import os

from node.engine.worker import kernel

_SYS_CREATE_RULESET = 444
_SYS_RESTRICT_SELF = 446
_ASK_VERSION = 1
_ATTRIBUTE_BYTES = {1: 8, 4: 16, 6: 24}
"""Size of `struct landlock_ruleset_attr` since each version of the interface (landlock(7))."""
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights over files there are since each version."""
_NET_RIGHTS = 0b11
_SCOPES = 0b11


def deny_all() -> bool:
    """Take every right landlock knows from this process and its children; False where the kernel lacks it.

    To be called with no new privileges set.
    """
    try:
        version = kernel.call(_SYS_CREATE_RULESET, 0, 0, _ASK_VERSION)
        attribute = (ctypes.c_uint64 * 3)(
            (1 << _latest(_FILE_RIGHTS, version)) - 1,
            _NET_RIGHTS if version >= 4 else 0,
            _SCOPES if version >= 6 else 0,
        )
        size = _latest(_ATTRIBUTE_BYTES, version)
        ruleset = kernel.call(_SYS_CREATE_RULESET, ctypes.addressof(attribute), size, 0)
        kernel.call(_SYS_RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)
    except OSError:
        return False
    return True


def _latest(by_version: dict[int, int], version: int) -> int:
    return max(value for since, value in by_version.items() if since <= version)
