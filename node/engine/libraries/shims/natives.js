// The native functions of the process (node/engine/child/native.py), and bytes as the flat hex they speak.
// `natives` is the one parameter of the function a bundle is wrapped in.
/* global natives */
export const { publicKey, signRecoverable, recover, parsePoint, addPoints, multiplyPoint } = natives;

// An empty answer says that the function could not: for a hash that is for want of memory, and must not pass as one.
const certain = (name) => (...values) => {
  const answer = natives[name](...values);
  if (answer === "") throw new Error(`${name} could not be computed`);
  return answer;
};
export const keccak256 = certain("keccak256");
export const digest = certain("digest");
export const hmac = certain("hmac");
export const pbkdf2 = certain("pbkdf2");

const uncurry = Function.prototype.bind.bind(Function.prototype.call);
export const toHex = uncurry(Uint8Array.prototype.toHex);
export const fromHex = Uint8Array.fromHex.bind(Uint8Array);
