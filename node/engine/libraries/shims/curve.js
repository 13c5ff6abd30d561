// The libraries' secp256k1 by native functions. All values are flat lowercase hex without 0x.
import { recover, signRecoverable } from "./natives.js";

const COORDINATE_DIGITS = 64;

/** The compressed form of an uncompressed point: its x, led by the parity of its y. */
export const compressed = (point) => {
  const lead = parseInt(point[point.length - 1], 16) % 2 === 0 ? "02" : "03";
  return lead + point.slice(2, 2 + COORDINATE_DIGITS);
};

/** {r, s, recovery} of a digest; undefined for a key that is none. */
export const sign = (privateKey, digest) => {
  const signature = signRecoverable(privateKey, digest);
  if (signature === "") return undefined;
  return {
    r: signature.slice(0, COORDINATE_DIGITS),
    s: signature.slice(COORDINATE_DIGITS, 2 * COORDINATE_DIGITS),
    recovery: Number(signature.slice(2 * COORDINATE_DIGITS)),
  };
};

/** The signer's uncompressed point or ""; r and s are 32 bytes each, recovery 0 to 3. */
export const recovered = (digest, r, s, recovery) => recover(digest, r + s, recovery);
