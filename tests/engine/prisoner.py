"""A zygote of real parts whose children, once locked in, run the Python they are given: what a taken-over engine could.

Run as a script, in the place of the real zygote; its arguments are those of `zygote_command`, then the repository.
"""

import _thread
import ctypes
import mmap
import os
import resource
import socket
import sys
import time

sys.path.insert(0, sys.argv[-1])

from node.engine.child import channel
from node.engine.child.sandbox import Sandbox
from node.engine.zygote import forking, landlock
from node.engine.zygote.confinement import confine

libc = ctypes.CDLL(None)
AT_HAND = {"_thread": _thread, "mmap": mmap, "os": os, "resource": resource, "socket": socket, "time": time}


def main() -> None:
    _, cpu_s, address_space_bytes, parent_pid, _ = (int(argument) for argument in sys.argv[-6:-1])
    channel.receive()
    measures = sys.argv[1] != "plain" and confine(address_space_bytes, parent_pid)
    if sys.argv[1] == "landlocked":
        assert landlock.deny_all()
    sandbox = Sandbox(cpu_s, parent_pid)
    channel.send("R", " ".join(measures or []))
    forking.serve()
    channel.send("P", str(os.getpid()))
    if sys.argv[1] == "jailed":
        sandbox.enter()
    channel.send("R", "")
    try:
        exec(channel.receive(), {"libc": libc, "syscall": libc.syscall, **AT_HAND})
    except BaseException as error:  # noqa: BLE001 - whatever it was, the test is to see it
        channel.send("E", f"{type(error).__name__}: {error}")
    os._exit(0)


main()
