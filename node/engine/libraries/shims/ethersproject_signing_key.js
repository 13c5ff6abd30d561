// Stands for @ethersproject/signing-key in ethers v5: its API over the native curve.
import { arrayify, hexDataLength, hexlify, splitSignature } from "@ethersproject/bytes";
import { Logger } from "@ethersproject/logger";
import { defineReadOnly } from "@ethersproject/properties";
import { compressed, recovered, sign } from "./curve.js";
import { addPoints, multiplyPoint, parsePoint, publicKey, toHex } from "./natives.js";

/* global SIGNING_KEY_VERSION */
const logger = new Logger(SIGNING_KEY_VERSION);
const flat = (bytes) => toHex(arrayify(bytes));

const ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

/** Reduces 32 bytes that are not below the order by one subtraction, as the library does. */
const scalarOf = (privateKey) => {
  const scalar = flat(privateKey);
  if (scalar.length !== ORDER.length || scalar < ORDER) return scalar;
  return (BigInt(`0x${scalar}`) - BigInt(`0x${ORDER}`)).toString(16).padStart(ORDER.length, "0");
};

const pointOf = (text) => {
  if (text === "") throw new Error("invalid point");
  return text;
};

export class SigningKey {
  constructor(privateKey) {
    defineReadOnly(this, "curve", "secp256k1");
    defineReadOnly(this, "privateKey", hexlify(privateKey));
    if (hexDataLength(this.privateKey) !== 32) {
      logger.throwArgumentError("invalid private key", "privateKey", "[[ REDACTED ]]");
    }
    const point = publicKey(scalarOf(this.privateKey));
    if (point === "") logger.throwArgumentError("invalid private key", "privateKey", "[[ REDACTED ]]");
    defineReadOnly(this, "publicKey", `0x${point}`);
    defineReadOnly(this, "compressedPublicKey", `0x${compressed(point)}`);
    defineReadOnly(this, "_isSigningKey", true);
  }

  _addPoint(other) {
    return `0x${compressed(pointOf(addPoints(flat(this.publicKey), flat(other))))}`;
  }

  signDigest(digest) {
    const bytes = arrayify(digest);
    if (bytes.length !== 32) logger.throwArgumentError("bad digest length", "digest", digest);
    const { r, s, recovery } = sign(scalarOf(this.privateKey), toHex(bytes));
    return splitSignature({ recoveryParam: recovery, r: `0x${r}`, s: `0x${s}` });
  }

  computeSharedSecret(otherKey) {
    const shared = multiplyPoint(flat(computePublicKey(otherKey)), scalarOf(this.privateKey));
    return `0x${pointOf(shared).slice(2, 66)}`;
  }

  static isSigningKey(value) {
    return !!(value && value._isSigningKey);
  }
}

export function recoverPublicKey(digest, signature) {
  const { r, s, recoveryParam } = splitSignature(signature);
  return `0x${pointOf(recovered(flat(digest), flat(r), flat(s), recoveryParam))}`;
}

export function computePublicKey(key, isCompressed) {
  const bytes = arrayify(key);
  if (bytes.length === 32) {
    const signingKey = new SigningKey(bytes);
    return isCompressed ? signingKey.compressedPublicKey : signingKey.publicKey;
  }
  if (bytes.length === 33 || bytes.length === 65) {
    if (isCompressed ? bytes.length === 33 : bytes.length === 65) return hexlify(bytes);
    const point = pointOf(parsePoint(toHex(bytes)));
    return `0x${isCompressed ? compressed(point) : point}`;
  }
  return logger.throwArgumentError("invalid public or private key", "key", "[REDACTED]");
}
