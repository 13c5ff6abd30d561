/**
 * Bytes, hexadecimal text, keccak-256 and addresses.
 * @module
 */
import { bytesToHex, hexToBytes, keccak_256 } from "./ethereum.js";

/** Value that has not the form it must have. The message says which form that is. */
export class FormatError extends Error {
  name = "FormatError";
}

export const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

const HEX = /^0x(?:[0-9a-f]{2})*$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
// In a pattern with the flag u a pair of surrogates is one character: only a lone one matches.
const LONE_SURROGATE = /\p{Surrogate}/u;
const encoder = new TextEncoder();

/**
 * Returns bytes as 0x and lower-case digits.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function toHex(bytes) {
  return "0x" + bytesToHex(bytes);
}

/**
 * Returns the bytes of 0x hex. Throws FormatError.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function fromHex(text) {
  if (typeof text !== "string" || !HEX.test(text)) throw new FormatError("not 0x and two hex digits for each byte");
  return hexToBytes(text.slice(2));
}

/**
 * Returns the UTF-8 bytes of a text. Throws FormatError if half of a surrogate pair stands alone: an encoder would
 * replace it, and what is signed or stored would not be the text that was shown.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function utf8(text) {
  if (typeof text !== "string") throw new FormatError("not a text");
  if (LONE_SURROGATE.test(text)) throw new FormatError("a text with half of a character (a lone surrogate)");
  return encoder.encode(text);
}

/**
 * Returns keccak-256 as 0x hex.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function keccak(bytes) {
  return toHex(keccak_256(bytes));
}

/**
 * Returns the hash of a text, of a usage key or of a CID: keccak-256 of its UTF-8 bytes, 0x hex.
 * @param {string} text
 * @returns {string}
 */
export function hashOfText(text) {
  return keccak(utf8(text));
}

/**
 * Returns the hash by which a wallet's account is found: keccak-256 of the 20 address bytes, 0x hex.
 * @param {string} address
 * @returns {string}
 */
export function hashOfWallet(address) {
  return keccak(fromHex(readAddress(address)));
}

/**
 * Returns an address as EIP-55 writes it. Throws FormatError for a text that is no address, and for one in mixed case
 * whose checksum is wrong: a digit was mistyped.
 * @param {string} text
 * @returns {string}
 */
export function readAddress(text) {
  if (typeof text !== "string" || !ADDRESS.test(text)) throw new FormatError("not an address: 0x and 40 hex digits");
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  const hash = keccak(utf8(lower)).slice(2);
  const checked = "0x" + [...lower].map((digit, i) => (Number.parseInt(hash[i] ?? "0", 16) > 7 ? digit.toUpperCase() : digit)).join("");
  const mixed = digits !== lower && digits !== digits.toUpperCase();
  if (mixed && text !== checked) throw new FormatError("an address whose checksum is wrong: a digit is mistyped");
  return checked;
}

/**
 * Returns whether two texts are one address, in whatever case.
 * @param {string} one
 * @param {string} other
 * @returns {boolean}
 */
export function sameAddress(one, other) {
  return ADDRESS.test(one) && one.toLowerCase() === other.toLowerCase();
}

/**
 * Returns a quantity of JSON-RPC (0x hex without fixed length). Throws FormatError.
 * @param {unknown} value
 * @returns {bigint}
 */
export function readQuantity(value) {
  if (typeof value !== "string" || !QUANTITY.test(value)) throw new FormatError("not a number of JSON-RPC");
  return BigInt(value);
}

/**
 * Returns a number of 256 bits as 0x and 64 digits, as the node writes hashes.
 * @param {bigint} value
 * @returns {string}
 */
export function u256Hex(value) {
  return "0x" + value.toString(16).padStart(64, "0");
}
