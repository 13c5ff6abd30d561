"""Runs whole actions in the zygote before it forks, to warm up the interpreter.

The interpreter specialises bytecode, numbers types and fills caches. In a worker, each of these
would write to a page that workers share.
"""

import _socket
import os

from node.engine.worker.channel import DESCRIPTOR, FiberChannel
from node.engine.worker.fiber import FiberLimits
from node.engine.worker.scheduler import Scheduler
from node.engine.worker.snapshots import Snapshots
from node.engine.worker.ticker import Ticker

_RUNS = 60
"""Runs until bytecode is specialised (eight calls) or given up (some more)."""
_FEW_RUNS = 10
"""Runs of a program that few actions resemble, as each takes milliseconds at the start."""
_TURNS_MAX = 1_000
_PLAIN = b"async function main() { console.log(1); await new Promise((r) => setTimeout(r, 0)); return 1; }"
_SIGNING = (
    b"async function main() { const key = await Svc.Actions.getPrivateKey({}); "
    b"return await new ethers.Wallet(key).signMessage('x'); }"
)
_WEB_CRYPTO = b"""
async function main() {
  const S = crypto.subtle, hash = 'SHA-256', data = new Uint8Array(64);
  const key = (await Svc.Actions.getPrivateKey({})).slice(2), hex = (text) => Uint8Array.from(text.match(/../g), (x) => +('0x' + x));
  for (const a of [{ name: 'AES-GCM', iv: data.slice(0, 12) }, { name: 'AES-CBC', iv: data.slice(0, 16) }, { name: 'AES-CTR', counter: data.slice(0, 16), length: 64 }]) {
    const secret = await S.importKey('raw', hex(key), a.name, false, ['encrypt', 'decrypt']);
    await S.decrypt(a, secret, await S.encrypt(a, secret, data));
  }
  const pkcs8 = hex('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420' + key);
  const point = hex('036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296');
  const [own, other] = await Promise.all([['ECDSA', ['sign'], ['verify']], ['ECDH', ['deriveBits'], []]].map(([name, secret, open]) => {
    const curve = { name, namedCurve: 'P-256' };
    return Promise.all([S.importKey('pkcs8', pkcs8, curve, false, secret), S.importKey('raw', point, curve, true, open)]);
  }));
  const a = { name: 'ECDSA', hash };
  await S.verify(a, own[1], await S.sign(a, own[0], data), data);
  await S.deriveBits({ name: 'ECDH', public: other[1] }, other[0], 256);
  return 1;
}
"""
_JOB = b'{"params":{},"headers":{}}'
_KEY = b'true,"0x' + b"11" * 32 + b'"]'
_HEADER_BYTES = 9


class _NoTicker(Ticker):
    """A ticker without its thread, which the zygote may not have."""

    def __init__(self) -> None:
        """Starts nothing."""

    def busy(self) -> None:
        """Does nothing."""


def rehearse(snapshots: Snapshots, channel: FiberChannel, limits: FiberLimits) -> None:
    """Runs actions with a simulated node. Raises RuntimeError if one fails."""
    # The channel uses a fixed descriptor number, so replace the node's socket meanwhile.
    kept = os.dup(DESCRIPTOR)
    node, worker = _socket.socketpair()
    os.dup2(worker.fileno(), DESCRIPTOR)
    worker.close()
    try:
        channel.open()
        for program, runs in ((_WEB_CRYPTO, _FEW_RUNS), (_PLAIN, _RUNS), (_SIGNING, _RUNS)):
            # JSON would escape only their line ends.
            text = b'"' + program.replace(b"\n", b" ") + b'"'
            _run(text, runs, node, Scheduler(snapshots, _NoTicker(), channel, limits))
            if program is _WEB_CRYPTO:
                # Pages that only this program writes would cost every worker of a plain program.
                snapshots.forget_written()
        snapshots.clear()
        if snapshots.host.drawn:
            raise RuntimeError("randomness was drawn before the fork: all workers would share it")
    finally:
        node.close()
        os.dup2(kept, DESCRIPTOR)
        os.close(kept)


def _run(program: bytes, runs: int, node: _socket.socket, scheduler: Scheduler) -> None:
    _send(node, b"P", 0, program)
    for fiber in range(1, runs + 1):
        _send(node, b"J", fiber, _JOB)
        _converse(node, fiber, scheduler)
        # Some runs then begin from pages of the snapshot, as the first run in a worker does.
        if fiber % 2:
            scheduler.reclaim()


def _converse(node: _socket.socket, fiber: int, scheduler: Scheduler) -> None:
    for _ in range(_TURNS_MAX):
        scheduler.turn()
        for kind, body in _received(node):
            if kind == b"D":
                return
            if kind == b"C":
                _send(node, b"A", fiber, body[: body.find(b",") + 1] + _KEY)
            elif kind != b"L":
                raise RuntimeError(f"the rehearsal failed: {body.decode(errors='replace')}")
    raise RuntimeError("the rehearsal does not end")


def _send(node: _socket.socket, kind: bytes, fiber: int, body: bytes) -> None:
    node.sendall(kind + fiber.to_bytes(4) + len(body).to_bytes(4) + body)


def _received(node: _socket.socket) -> "list[tuple[bytes, bytes]]":
    try:
        data = node.recv(1 << 16, _socket.MSG_DONTWAIT)
    except BlockingIOError:
        return []
    frames = []
    while data:
        end = _HEADER_BYTES + int.from_bytes(data[5:_HEADER_BYTES])
        frames.append((data[:1], data[_HEADER_BYTES:end]))
        data = data[end:]
    return frames
