import nacl from "tweetnacl";

export function main() {
  const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(1));
  const signature = nacl.sign.detached(new Uint8Array([1]), keys.secretKey);
  const box = nacl.box.keyPair.fromSecretKey(new Uint8Array(32).fill(2));
  const nonce = new Uint8Array(24).fill(3);
  const sealed = nacl.box(new Uint8Array([5]), nonce, box.publicKey, box.secretKey);
  return [
    [...signature], nacl.sign.detached.verify(new Uint8Array([1]), signature, keys.publicKey), nacl.sign.detached.verify(new Uint8Array([2]), signature, keys.publicKey),
    [...nacl.box.open(sealed, nonce, box.publicKey, box.secretKey)], [...nacl.hash(new Uint8Array(3))],
  ];
}
