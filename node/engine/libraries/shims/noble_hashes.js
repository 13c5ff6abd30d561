// Stands for sha3, sha256, sha512, hmac and pbkdf2 of @noble/hashes in ethers v6.
import { digest, fromHex, hmac as nativeHmac, keccak256, pbkdf2 as nativePbkdf2, toHex } from "./natives.js";

/** What update() is given, joined when digest() is asked for. */
class Gathered {
  #parts = [];

  #answer;

  constructor(answer) { this.#answer = answer; }

  update(bytes) {
    this.#parts.push(toHex(bytes));
    return this;
  }

  digest() { return fromHex(this.#answer(this.#parts.join(""))); }
}

const hash = (name) => Object.assign((bytes) => fromHex(digest(name, toHex(bytes))), {
  algorithm: name,
  create: () => new Gathered((text) => digest(name, text)),
});

export const keccak_256 = (bytes) => fromHex(keccak256(toHex(bytes)));
export const sha256 = hash("sha256");
export const sha512 = hash("sha512");
export const hmac = {
  create: (algorithm, key) => {
    const keyText = toHex(key);
    return new Gathered((text) => nativeHmac(algorithm.algorithm, keyText, text));
  },
};
export const pbkdf2 = (algorithm, password, salt, { c, dkLen }) => (
  fromHex(nativePbkdf2(algorithm.algorithm, toHex(password), toHex(salt), c, dkLen))
);
