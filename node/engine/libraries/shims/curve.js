// What both libraries ask of secp256k1, over the native functions. Everything is flat lowercase hex without 0x.
import { recover, signRecoverable } from "./natives.js";

export const ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const COORDINATE_DIGITS = 64;

/** A scalar of 32 bytes below the order: one that is not is under twice the order. Texts of one length compare as numbers do. */
export const reduced = (scalar) => {
  if (scalar < ORDER) return scalar;
  return (BigInt(`0x${scalar}`) - BigInt(`0x${ORDER}`)).toString(16).padStart(COORDINATE_DIGITS, "0");
};

/** The compressed form of an uncompressed point: its x, led by the parity of its y. */
export const compressed = (point) => {
  const lead = parseInt(point[point.length - 1], 16) % 2 === 0 ? "02" : "03";
  return lead + point.slice(2, 2 + COORDINATE_DIGITS);
};

/** {r, s, recovery} of a digest; RFC 6979 takes the digest below the order. Undefined for a key that is none. */
export const sign = (privateKey, digest) => {
  const signature = signRecoverable(privateKey, reduced(digest));
  if (signature === "") return undefined;
  return {
    r: signature.slice(0, COORDINATE_DIGITS),
    s: signature.slice(COORDINATE_DIGITS, 2 * COORDINATE_DIGITS),
    recovery: Number(signature.slice(2 * COORDINATE_DIGITS)),
  };
};

/** The uncompressed point that signed, "" when there is none; r and s are 32 bytes each, recovery 0 to 3. */
export const recovered = (digest, r, s, recovery) => recover(digest, r + s, recovery);
