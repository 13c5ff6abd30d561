"""Takes one measure of isolation away, as a container may, then executes the rest of its arguments.

The first argument names the system calls concerned, the second whether they are refused or answered yes and not made.
"""

import ctypes
import os
import sys

LOAD, EQUAL, RETURN, ALLOW, ERRNO, NOT_PERMITTED = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000, 1
NUMBER_OFFSET, FIRST_ARGUMENT_OFFSET, NEW_LIMIT_OFFSET = 0, 16, 32
PRCTL, PRLIMIT, SECCOMP = 157, 302, 317
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
CALLS = {"call filter": SECCOMP, "no new privileges": PRCTL, "limits": PRLIMIT}

FILTERS = {
    "call filter": [(LOAD, 0, 0, NUMBER_OFFSET), (EQUAL, 0, 1, SECCOMP)],
    "no new privileges": [(LOAD, 0, 0, FIRST_ARGUMENT_OFFSET), (EQUAL, 0, 1, PR_SET_NO_NEW_PRIVS)],
    # Reading a limit stays allowed: then there is no new one.
    "limits": [(LOAD, 0, 0, NEW_LIMIT_OFFSET), (EQUAL, 1, 0, 0)],
}


class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main() -> None:
    measure, how, *command = sys.argv[1:]
    refuse = (RETURN, 0, 0, ERRNO | (NOT_PERMITTED if how == "refused" else 0))
    allow = (RETURN, 0, 0, ALLOW)
    instructions = [(LOAD, 0, 0, NUMBER_OFFSET), (EQUAL, 0, 3, CALLS[measure]), *FILTERS[measure], refuse, allow]
    packed = b"".join(
        code.to_bytes(2, "little") + bytes((true, false)) + constant.to_bytes(4, "little")
        for code, true, false, constant in instructions
    )
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    program = Program(len(instructions), packed)
    assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(PR_SET_SECCOMP, 2, ctypes.addressof(program), 0, 0) == 0
    os.execv(command[0], command)


main()
