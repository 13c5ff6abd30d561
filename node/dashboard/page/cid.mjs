/** CIDs of sources, as the node computes them (docs/specification.md): CIDv0 of the UnixFS file that `ipfs add` makes. */

import { base58, concatBytes } from "./ethereum.js";

const CHUNK_BYTES = 262_144;
const LINKS_MAX = 174;
const FILE = Uint8Array.of(0x08, 0x02); // UnixFS `Type: File`

/**
 * Block of the tree: its multihash, its file bytes, and its own size with everything below it.
 * @typedef {{ multihash: Uint8Array, fileBytes: number, treeBytes: number }} Block
 */

/**
 * Returns the CIDv0 of a source.
 * @param {string} text
 * @returns {Promise<string>}
 * @throws {RangeError} for a lone surrogate, which has no UTF-8 form
 */
export async function cidOfSource(text) {
  if (/\p{Surrogate}/u.test(text)) throw new RangeError("The code holds half a character (a lone surrogate), so it has no CID.");
  const data = new TextEncoder().encode(text);
  const chunks = Math.max(1, Math.ceil(data.length / CHUNK_BYTES));
  let layer = await Promise.all(
    Array.from({ length: chunks }, (_, index) => leaf(data.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES))),
  );
  while (layer.length > 1) {
    const parents = Array.from({ length: Math.ceil(layer.length / LINKS_MAX) }, (_, index) =>
      branch(layer.slice(index * LINKS_MAX, (index + 1) * LINKS_MAX)),
    );
    layer = await Promise.all(parents);
  }
  const [root] = /** @type {[Block]} */ (layer);
  return base58.encode(root.multihash);
}

/**
 * @param {Uint8Array} chunk
 * @returns {Promise<Block>}
 */
async function leaf(chunk) {
  const content = chunk.length > 0 ? field(2, chunk) : new Uint8Array();
  const block = field(1, concatBytes(FILE, content, number(3, chunk.length)));
  return { multihash: await multihash(block), fileBytes: chunk.length, treeBytes: block.length };
}

/**
 * @param {Block[]} children
 * @returns {Promise<Block>}
 */
async function branch(children) {
  const fileBytes = sum(children.map((child) => child.fileBytes));
  const links = children.map((child) =>
    field(2, concatBytes(field(1, child.multihash), field(2, new Uint8Array()), number(3, child.treeBytes))),
  );
  const sizes = children.map((child) => number(4, child.fileBytes));
  const block = concatBytes(...links, field(1, concatBytes(FILE, number(3, fileBytes), ...sizes)));
  const treeBytes = block.length + sum(children.map((child) => child.treeBytes));
  return { multihash: await multihash(block), fileBytes, treeBytes };
}

/** @param {Uint8Array<ArrayBuffer>} block */
async function multihash(block) {
  return concatBytes(Uint8Array.of(0x12, 0x20), new Uint8Array(await crypto.subtle.digest("SHA-256", block)));
}

/**
 * Returns a length-delimited field of protobuf (wire type 2).
 * @param {number} tag
 * @param {Uint8Array} content
 */
function field(tag, content) {
  return concatBytes(varint(tag * 8 + 2), varint(content.length), content);
}

/**
 * Returns a varint field of protobuf (wire type 0).
 * @param {number} tag
 * @param {number} value
 */
function number(tag, value) {
  return concatBytes(varint(tag * 8), varint(value));
}

/** @param {number} value */
function varint(value) {
  const bytes = [];
  while (value > 0x7f) {
    bytes.push((value % 0x80) + 0x80);
    value = Math.floor(value / 0x80);
  }
  return Uint8Array.of(...bytes, value);
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
