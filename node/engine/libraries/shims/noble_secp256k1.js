// Stands for @noble/curves/secp256k1 in ethers v6: what its SigningKey uses of it.
import { compressed, recovered, sign } from "./curve.js";
import { addPoints, fromHex, multiplyPoint, parsePoint, publicKey, toHex } from "./natives.js";

class ProjectivePoint {
  #uncompressed;

  constructor(uncompressed, otherwise = "bad point: not on the curve") {
    if (uncompressed === "") throw new Error(otherwise);
    this.#uncompressed = uncompressed;
  }

  static fromHex(encoded) {
    return new ProjectivePoint(parsePoint(typeof encoded === "string" ? encoded : toHex(encoded)));
  }

  add(other) { return new ProjectivePoint(addPoints(this.toHex(false), other.toHex(false))); }

  toHex(isCompressed = true) { return isCompressed ? compressed(this.#uncompressed) : this.#uncompressed; }

  toRawBytes(isCompressed = true) { return fromHex(this.toHex(isCompressed)); }
}

class Signature {
  #compact;

  #recovery;

  constructor(compact, recovery) {
    this.#compact = compact;
    this.#recovery = recovery;
  }

  static fromCompact(bytes) { return new Signature(toHex(bytes)); }

  addRecoveryBit(recovery) { return new Signature(this.#compact, recovery); }

  recoverPublicKey(digest) {
    const half = this.#compact.length / 2;
    const point = recovered(toHex(digest), this.#compact.slice(0, half), this.#compact.slice(half), this.#recovery);
    return new ProjectivePoint(point);
  }
}

// No error shows a key, whatever is wrong with it.
const NO_KEY = "invalid private key";

export const secp256k1 = {
  ProjectivePoint,
  Signature,
  getPublicKey: (key, isCompressed = true) => (
    new ProjectivePoint(publicKey(toHex(key)), NO_KEY).toRawBytes(isCompressed)
  ),
  getSharedSecret: (key, point, isCompressed = true) => (
    new ProjectivePoint(multiplyPoint(toHex(point), toHex(key)), NO_KEY).toRawBytes(isCompressed)
  ),
  sign: (digest, key) => {
    const signature = sign(toHex(key), toHex(digest));
    if (signature === undefined) throw new Error(NO_KEY);
    const { r, s, recovery } = signature;
    return { r: BigInt(`0x${r}`), s: BigInt(`0x${s}`), recovery };
  },
};
