// Stands for @noble/curves/secp256k1 in ethers v6: what its SigningKey uses of it.
import { ORDER, compressed, recovered, sign } from "./curve.js";
import { addPoints, fromHex, multiplyPoint, parsePoint, publicKey, toHex } from "./natives.js";

const NOTHING = "0".repeat(ORDER.length);

/** A private key is from 1 to below the order; the error does not show it. */
const scalarOf = (bytes) => {
  const scalar = toHex(bytes);
  if (scalar.length !== ORDER.length || scalar === NOTHING || scalar >= ORDER) throw new Error("invalid private key");
  return scalar;
};

class ProjectivePoint {
  #uncompressed;

  constructor(uncompressed) {
    if (uncompressed === "") throw new Error("bad point: not on the curve");
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

export const secp256k1 = {
  ProjectivePoint,
  Signature,
  getPublicKey: (key, isCompressed = true) => new ProjectivePoint(publicKey(scalarOf(key))).toRawBytes(isCompressed),
  getSharedSecret: (key, point, isCompressed = true) => {
    const shared = new ProjectivePoint(multiplyPoint(toHex(point), scalarOf(key)));
    return shared.toRawBytes(isCompressed);
  },
  sign: (digest, key) => {
    const { r, s, recovery } = sign(scalarOf(key), toHex(digest));
    return { r: BigInt(`0x${r}`), s: BigInt(`0x${s}`), recovery };
  },
};
