"""Forks workers on request. Each message on the channel has the socket of one child."""

import _socket
import os

from node.engine.worker import kernel
from node.engine.worker.channel import DESCRIPTOR, frame

_SYS_CLONE = 56
_CLONE_PARENT = 0x8000
_DESCRIPTOR_BYTES = 4


def serve() -> None:
    """Forks for every descriptor that arrives, until the node closes the channel.

    Returns once in every child, with the descriptor as its channel, and never in the zygote.
    """
    requests = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, DESCRIPTOR)
    while True:
        message, ancillary, _, _ = requests.recvmsg(1, _socket.CMSG_SPACE(_DESCRIPTOR_BYTES))
        if not message:
            os._exit(0)
        if ancillary and _fork(int.from_bytes(ancillary[0][2][:_DESCRIPTOR_BYTES], "little")):
            # The number is already the child's own channel.
            requests.detach()
            return


def _fork(channel: int) -> bool:
    """Forks, and returns whether this is the child.

    The interpreter's fork would run handlers that touch memory. With CLONE_PARENT the node is the
    parent, so that the child outlives the zygote, dies with the node, and is reaped by it.
    """
    try:
        child = kernel.call(_SYS_CLONE, _CLONE_PARENT) == 0
        if child:
            os.dup2(channel, DESCRIPTOR)
    except OSError as error:
        os.write(channel, frame("B", f"no process: {error}"))
        child = False
    os.close(channel)
    return child
