// The native functions of the worker (node/engine/worker/natives.py), which take flat hex.
// `natives` is the only parameter of a bundle's function. All its arguments are made here.
/* global natives */
export const { publicKey, signRecoverable, parsePoint, addPoints, multiplyPoint } = natives;

const { isSafeInteger } = Number;
const HASHES = Object.freeze({ __proto__: null, sha256: "sha256", sha512: "sha512" });

const hashName = (name) => {
  if (typeof name !== "string" || HASHES[name] === undefined) throw new TypeError("no such hash");
  return HASHES[name];
};

const count = (value) => {
  if (!isSafeInteger(value) || value < 0) throw new TypeError("a count is a whole number");
  return `${value}`;
};

/** Refuses an empty result, which means that memory lacked and must not pass as a hash. */
const certain = (answer) => {
  if (answer === "") throw new Error("the hash could not be computed");
  return answer;
};

export const recover = (digest, compact, recovery) => natives.recover(digest, compact, count(recovery));
export const keccak256 = (data) => certain(natives.keccak256(data));
export const digest = (name, data) => certain(natives.digest(hashName(name), data));
export const hmac = (name, key, data) => certain(natives.hmac(hashName(name), key, data));
export const pbkdf2 = (name, password, salt, iterations, length) => (
  certain(natives.pbkdf2(hashName(name), password, salt, count(iterations), count(length)))
);

const uncurry = Function.prototype.bind.bind(Function.prototype.call);
export const toHex = uncurry(Uint8Array.prototype.toHex);
export const fromHex = Uint8Array.fromHex.bind(Uint8Array);
