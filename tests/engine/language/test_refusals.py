"""A native function that fails, for want of memory say, never passes for one that answered nothing."""

import json

from node.engine.guest.snapshot import Maker
from node.engine.worker import natives
from node.engine.worker.openssl import AesStream
from tests.engine.guest.instances import Instance

CODE = """async function main() {
  const S = crypto.subtle, none = new Uint8Array(0), some = new Uint8Array(8);
  const H = { name: 'HMAC', hash: 'SHA-256' };
  const mac = await S.importKey('raw', some, H, true, ['sign', 'verify']);
  const secret = await S.importKey('raw', some, 'HKDF', false, ['deriveBits']);
  const password = await S.importKey('raw', some, 'PBKDF2', false, ['deriveBits']);
  const derive = (name) => ({ name, hash: 'SHA-256', salt: none, info: none, iterations: 1 });
  const attempts = [
    () => S.digest('SHA-256', some), () => S.sign('HMAC', mac, some), () => S.verify('HMAC', mac, none, some),
    () => S.deriveBits(derive('HKDF'), secret, 256), () => S.deriveBits(derive('PBKDF2'), password, 256),
    () => S.importKey('raw', new Uint8Array(65).fill(4), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']),
  ];
  const seen = [];
  for (const attempt of attempts) seen.push(await attempt().then(() => 'answered', (e) => e.name));
  return seen;
}"""


def answer_with(natives_work: bool) -> list[tuple[str, str]]:
    """Frames of the script, run in this process."""
    maker = Maker()
    functions = natives.functions(AesStream)
    broken = dict.fromkeys(functions, lambda *_: "")
    instance = Instance(maker.engine, maker.module, maker.libraries, functions if natives_work else broken)
    maker.load_prelude(instance)
    return [(frame.kind, frame.text) for frame in instance.run(CODE)]


def test_every_refusal_is_an_error() -> None:
    refused = ["OperationError"] * 5 + ["DataError"]
    assert answer_with(natives_work=False) == [("D", json.dumps(refused, separators=(",", ":")))]


def test_the_same_with_functions_that_work() -> None:
    worked = ["answered"] * 5 + ["DataError"]
    assert answer_with(natives_work=True) == [("D", json.dumps(worked, separators=(",", ":")))]
