// Replaces @ethersproject/hash, and reads the tables of ENS names only when a name is looked up.
// Reading them takes half a second and 16 MB; signing and most reads need no name.
export { id } from "ethersproject-hash-parts/id.js";
export { hashMessage, messagePrefix } from "ethersproject-hash-parts/message.js";
export { TypedDataEncoder as _TypedDataEncoder } from "ethersproject-hash-parts/typed-data.js";

// A required module is evaluated by the first call of require, unlike an imported one.
const names = () => require("ethersproject-hash-parts/namehash.js");

export const dnsEncode = (name) => names().dnsEncode(name);
export const ensNormalize = (name) => names().ensNormalize(name);
export const isValidName = (name) => names().isValidName(name);
export const namehash = (name) => names().namehash(name);
