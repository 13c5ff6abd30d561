"""A zygote of real parts whose workers, once locked in, run the Python they are given: what a taken-over engine could.

Run as a script, in the place of the real zygote; its arguments are how much it gives up, the numbers of `zygote_command`
and the repository.
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

from node.engine.worker import channel, kernel
from node.engine.worker.sandbox import Sandbox
from node.engine.worker.ticker import Ticker
from node.engine.zygote import forking
from node.engine.zygote.confinement import confine, deny_all

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long]
calls_back = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 7)
AT_HAND = {
    "calls_back": calls_back,
    "entry": ctypes.cast(calls_back, ctypes.c_void_p).value,
    "_thread": _thread,
    "ctypes": ctypes,
    "mmap": mmap,
    "os": os,
    "resource": resource,
    "socket": socket,
    "sys": sys,
    "time": time,
}
LONGEST = 1 << 20


def main() -> None:
    data_bytes, cpu_s, parent_pid = (int(argument) for argument in sys.argv[-4:-1])
    measures = sys.argv[1] != "plain" and confine(data_bytes, parent_pid)
    # Of a plain one as well: without it an ordinary user may install no filter.
    kernel.control(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if sys.argv[1] == "landlocked":
        assert deny_all()
    sandbox = Sandbox(cpu_s, parent_pid)
    channel.send("R", " ".join(measures or []))
    forking.serve()
    channel.send("P", str(os.getpid()))
    ticks: list[int] = []
    ticker = Ticker(lambda: ticks.append(1))
    ticker.busy()
    if sys.argv[1] == "jailed":
        sandbox.enter()
    channel.send("R", "")
    try:
        names = {"libc": libc, "syscall": libc.syscall, "ticks": ticks, "ticker": ticker, "sandbox": sandbox}
        exec(os.read(0, LONGEST).decode(), {**names, **AT_HAND})
    except BaseException as error:  # noqa: BLE001 - whatever it was, the test is to see it
        channel.send("E", f"{type(error).__name__}: {error}")
    os._exit(0)


main()
