"""Measures how far one client's largest inputs delay another account's small actions."""

import asyncio
import contextlib
import socket
import sys
import threading
import urllib.parse
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial

from benchmarks.actions.closed_loop import SETTLING_S, repeated
from benchmarks.actions.comparison import SETTINGS
from benchmarks.actions.kinds import TRIVIAL
from benchmarks.actions.neighbours import CLIENTS, alone_and_beside, delays_beside, trivial_of
from benchmarks.aims import Aim, Finding
from benchmarks.nodes import measured_node
from benchmarks.tenants import Tenant, new_tenants
from benchmarks.wire import post

BODY_CLIENTS = 4
ROUNDS = 3
ROUND_S = 3.0
AIM_TIMES = 8

_REPEATED = """async function main({ wallet }) {
  %s
  for (let i = 0; i < 100; i++) { try { await %s; } catch (error) { if (error.name === "ActionKeyLimit") return; } }
}"""
CALLS: Mapping[str, str] = {
    "signTypedData, 4 MB of text": _REPEATED
    % (
        "const value = { text: 'a'.repeat(4e6) }, types = { Text: [{ name: 'text', type: 'string' }] };",
        "Svc.Actions.signTypedData({ pkpId: wallet, domain: { name: 'x' }, types, value })",
    ),
    "signTransaction, 6,000 access-list entries": _REPEATED
    % (
        (
            "const e = { address: ethers.utils.getAddress(wallet), storageKeys: [] }, t = { nonce: 0, gas: 9, chainId: 1,"
            " gasPrice: 1, to: wallet, accessList: Array(6000).fill(e) };"
        ),
        "Svc.Actions.signTransaction({ pkpId: wallet, transaction: t })",
    ),
    "signTypedData, largest that is signed": _REPEATED
    % (
        "const value = { list: Array(1000).fill(wallet) }, types = { List: [{ name: 'list', type: 'address[]' }] };",
        "Svc.Actions.signTypedData({ pkpId: wallet, domain: { name: 'x' }, types, value })",
    ),
    "Encrypt, 1 MB": _REPEATED
    % ("const message = 'a\\n'.repeat(5e5);", "Svc.Actions.Encrypt({ pkpId: wallet, message })"),
}
BODIES: Mapping[str, str] = {
    "get_svc_action_ipfs_id, 10 MB of commas in a string": ",[" * 5_000_000,
    "get_svc_action_ipfs_id, 4 MB": "a" * 4_000_000,
}


async def costly_inputs() -> tuple[list[Finding], list[Aim]]:
    """Measures rounds alone and beside each input, alternating."""
    findings, aims = [], []
    async with measured_node(SETTINGS) as node:
        honest, other = await new_tenants(node.api, 2)
        target = trivial_of(node, [honest.action(TRIVIAL.code)])
        for name in [*CALLS, *BODIES]:
            print(f"measuring: trivial actions beside {name}", file=sys.stderr)
            alone, beside = await alone_and_beside(target, partial(_costly, name, other), ROUNDS, ROUND_S)
            findings += delays_beside(name, alone, beside)
            times = beside.p99_ms / alone.p99_ms
            aims.append(Aim(f"p99 over p99 alone: {name}", times, AIM_TIMES, "", at_least=False))
    return findings, aims


@contextlib.asynccontextmanager
async def _costly(name: str, tenant: Tenant) -> AsyncIterator[None]:
    if name in BODIES:
        # Megabytes written in the measuring event loop would delay the timed responses.
        with _sent_bodies(post(f"{tenant.api}/get_svc_action_ipfs_id", BODIES[name])):
            await asyncio.sleep(SETTLING_S)
            yield
    else:
        request = tenant.action(CALLS[name])
        async with repeated(tenant.api, lambda: request, CLIENTS, Counter()):
            yield


@contextlib.contextmanager
def _sent_bodies(request: bytes) -> Iterator[None]:
    """Sends the request repeatedly from threads, outside the measuring event loop."""
    ended = threading.Event()
    netloc = urllib.parse.urlsplit("//" + request.partition(b"Host: ")[2].partition(b"\r\n")[0].decode())

    def send() -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError), socket.create_connection((netloc.hostname, netloc.port), 30) as one:
                while not ended.is_set():
                    one.sendall(request)
                    if not one.recv(65536):
                        break

    threads = [threading.Thread(target=send) for _ in range(BODY_CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()
