/**
 * Contract ABI (Solidity's specification, version 2): signatures read from text, values to bytes and back.
 *
 * The library reads each byte of a result once and none not at all, so that work stays linear in the data: a few kilobytes
 * of offsets into one another would otherwise unfold into gigabytes.
 * @module
 */
import { FormatError, fromHex, keccak, readAddress, toHex, utf8 } from "./bytes.mjs";
import { createContract, parseAbiItem } from "./ethereum.js";

/**
 * Parameter, result or field, as in the JSON of an ABI: a struct is a `tuple` with `components`.
 * @typedef {{name?: string, type: string, components?: readonly Parameter[]}} Parameter
 */
/** @typedef {{name: string, inputs: readonly Parameter[], outputs: readonly Parameter[], signature: string, selector: string}} Entry */
/**
 * Value of a parameter: uint as bigint, bytes as 0x hex, address as EIP-55, tuple as object by field name.
 * @typedef {bigint | number | string | boolean | any[] | {[name: string]: any}} AbiValue
 */

const SELECTOR_BYTES = 4;
const MESSAGE_MAX = 200;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns the parsed line `name(type name, …) returns (type name, …)`; a struct is a list of fields in parentheses, or named
 * in `structs`. Throws Error.
 * @param {"function" | "error"} kind
 * @param {string} line
 * @param {Readonly<Record<string, string>>} [structs] field lists in parentheses by name
 * @returns {Entry}
 */
export function parseEntry(kind, line, structs = {}) {
  const parsed = /** @type {{name: string, inputs?: Parameter[], outputs?: Parameter[]}} */ (parseAbiItem(`${kind} ${written(line, structs)}`));
  const { name, inputs = [], outputs = [] } = parsed;
  const signature = `${name}(${inputs.map(canonical).join(",")})`;
  return { name, inputs, outputs, signature, selector: keccak(utf8(signature)).slice(0, 2 + 2 * SELECTOR_BYTES) };
}

/**
 * Returns the line with the name of each struct replaced by its list of fields.
 * @param {string} line
 * @param {Readonly<Record<string, string>>} structs
 * @returns {string}
 */
function written(line, structs) {
  return line.replace(/\w+/g, (word) => (Object.hasOwn(structs, word) ? written(/** @type {string} */ (structs[word]), structs) : word));
}

/**
 * @param {Parameter} parameter
 * @returns {string} its type in a signature
 */
function canonical({ type, components }) {
  return components ? `(${components.map(canonical).join(",")})${type.slice("tuple".length)}` : type;
}

/**
 * Returns the encoded values, one for each parameter. Throws FormatError, which names the parameter.
 * @param {readonly Parameter[]} parameters
 * @param {readonly AbiValue[]} values
 * @returns {Uint8Array}
 */
export function encode(parameters, values) {
  if (values.length !== parameters.length) throw new FormatError(`${parameters.length} values are needed, not ${values.length}`);
  return encoded(parameters, parameters.map((each, i) => handedOver(each, /** @type {AbiValue} */ (values[i]))));
}

/**
 * @param {Parameter} parameter
 * @param {AbiValue} value
 * @returns {unknown} the value as the library takes it
 */
function handedOver(parameter, value) {
  try {
    return walked(parameter, value, checked);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new FormatError(`${parameter.name}: ${error.message}`);
  }
}

/**
 * @param {string} type
 * @param {any} value
 * @returns {unknown}
 */
function checked(type, value) {
  if (type.startsWith("uint")) return readUint(value, BigInt(type.slice("uint".length)));
  if (type === "address") return readAddress(value);
  if (type === "string") return utf8(value);
  if (type.startsWith("bytes")) return fromHex(value);
  if (typeof value !== "boolean") throw new FormatError("neither true nor false");
  return value;
}

/**
 * @param {unknown} value
 * @param {bigint} bits
 * @returns {bigint}
 */
function readUint(value, bits) {
  const number = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof number !== "bigint" || number < 0n || number >> bits) throw new FormatError(`not a whole number from 0 to 2^${bits} - 1`);
  return number;
}

/**
 * Returns the values of all of `data`, one for each parameter. Bytes of a string that are no UTF-8 become U+FFFD, so that a
 * name of such bytes does not make a list unreadable. Throws FormatError.
 * @param {readonly Parameter[]} parameters
 * @param {Uint8Array} data
 * @returns {AbiValue[]}
 */
export function decode(parameters, data) {
  const values = decoded(parameters, data);
  // With tails in another order two different results would decode to the same values.
  if (toHex(encoded(parameters, values)) !== toHex(data)) throw new FormatError("the data is not laid out as Solidity's encoder does");
  return parameters.map((each, i) => walked(each, values[i], shown));
}

/**
 * @param {string} type
 * @param {any} value
 * @returns {AbiValue}
 */
function shown(type, value) {
  if (type === "address") return readAddress(value);
  if (type === "string") return decoder.decode(value);
  return type.startsWith("bytes") ? toHex(value) : value;
}

/**
 * Returns a value with `change` of the type and the value of each of its parts in their places.
 * @param {Parameter} parameter
 * @param {any} value
 * @param {(type: string, value: any) => any} change
 * @returns {any}
 */
function walked({ type, components = [] }, value, change) {
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) throw new FormatError("not a list");
    return value.map((each) => walked({ type: type.slice(0, -2), components }, each, change));
  }
  if (type !== "tuple") return change(type, value);
  return Object.fromEntries(components.map((each) => [each.name, walked(each, value?.[each.name ?? ""], change)]));
}

/**
 * @param {readonly Parameter[]} parameters
 * @param {unknown[]} values
 * @returns {Uint8Array}
 */
function encoded(parameters, values) {
  if (!parameters.length) return new Uint8Array();
  return attempted(() => codec(parameters).encodeInput(values.length === 1 ? values[0] : values)).subarray(SELECTOR_BYTES);
}

/**
 * @param {readonly Parameter[]} parameters
 * @param {Uint8Array} data
 * @returns {unknown[]}
 */
function decoded(parameters, data) {
  if (!parameters.length) return [];
  const values = attempted(() => codec(parameters).decodeOutput(data));
  return parameters.length === 1 ? [values] : /** @type {unknown[]} */ (values);
}

/**
 * Returns a function whose arguments and results are these, by which the library encodes and decodes them.
 * @param {readonly Parameter[]} parameters
 * @returns {{encodeInput(values: unknown): Uint8Array, decodeOutput(data: Uint8Array): unknown}}
 */
function codec(parameters) {
  // Without names the library takes a list. As bytes, texts keep what is no UTF-8.
  const listed = parameters.map((each) => ({ ...asBytes(each), name: "" }));
  return /** @type {any} */ (createContract([{ type: "function", name: "codec", inputs: listed, outputs: listed }]))["codec"];
}

/**
 * @param {Parameter} parameter
 * @returns {Parameter}
 */
function asBytes(parameter) {
  const type = parameter.type.replace("string", "bytes");
  return parameter.components ? { ...parameter, type, components: parameter.components.map(asBytes) } : { ...parameter, type };
}

/**
 * @template Result
 * @param {() => Result} work of the library, whose errors have no class of their own
 * @returns {Result}
 */
function attempted(work) {
  try {
    return work();
  } catch (error) {
    // The library's message may quote all bytes of the data.
    throw new FormatError(/** @type {Error} */ (error).message.slice(0, MESSAGE_MAX));
  }
}
