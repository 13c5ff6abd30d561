"""Which addresses are this machine's own, as the kernel knows at this moment."""

import errno
import socket
from ipaddress import IPv4Address

from node.values import IpAddress


def is_own_address(address: IpAddress) -> bool:
    """Whether a socket here could listen on `address`; where the kernel does not say so clearly, it is."""
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError as error:
        return error.errno not in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
    return True
