/**
 * Contract ABI (Solidity's specification, version 2): signatures read from text, values to bytes and back.
 *
 * The decoder accepts only what Solidity's own encoder writes: every tail begins exactly where the one before it ends.
 * A few kilobytes of offsets into one another would otherwise unfold into gigabytes; here work stays linear in the data.
 * @module
 */
import { concat, FormatError, fromHex, keccak, readAddress, toHex, utf8, U256_MAX } from "./bytes.mjs";

/**
 * Parameter, result or field. `type` is its name in a signature, structs as tuples. `size` counts bits of `uint`, bytes
 * of `fixed`. An array has `item`, a tuple `fields`.
 * @typedef {{
 *   name: string, type: string, kind: "uint"|"fixed"|"bool"|"address"|"bytes"|"string"|"array"|"tuple",
 *   size: number, item: Parameter | null, fields: Parameter[]
 * }} Parameter
 */
/** @typedef {{name: string, inputs: Parameter[], outputs: Parameter[], signature: string, selector: string}} Entry */
/**
 * Value of a parameter: uint as bigint, bytes as 0x hex, address as EIP-55, tuple as object by field name.
 * @typedef {bigint | number | string | boolean | any[] | {[name: string]: any}} AbiValue
 */

const WORD = 32;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const TOKEN = /\s*(->|\[\]|[A-Za-z_$][A-Za-z0-9_$]*|[(),])/y;
const SIMPLE = /** @type {const} */ (["bool", "address", "bytes", "string"]);

/**
 * Returns the parsed line `name(type name, …) -> (type name, …)`; a struct is a tuple in parentheses, or named in
 * `structs`. Throws FormatError.
 * @param {string} line
 * @param {Readonly<Record<string, string>>} [structs] field lists in parentheses by name
 * @returns {Entry}
 */
export function parseEntry(line, structs = {}) {
  const tokens = tokensOf(line);
  const name = tokens.shift() ?? "";
  const inputs = readFields(tokens, structs);
  const outputs = tokens[0] === "->" ? (tokens.shift(), readFields(tokens, structs)) : [];
  if (tokens.length) throw new FormatError(`not a signature: ${line}`);
  const signature = `${name}(${inputs.map((each) => each.type).join(",")})`;
  return { name, inputs, outputs, signature, selector: keccak(utf8(signature)).slice(0, 10) };
}

/**
 * @param {string} line
 * @returns {string[]}
 */
function tokensOf(line) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < line.length) {
    const found = TOKEN.exec(line);
    if (!found) throw new FormatError(`not a signature: ${line}`);
    tokens.push(/** @type {string} */ (found[1]));
  }
  return tokens;
}

/**
 * @param {string[]} tokens
 * @param {Readonly<Record<string, string>>} structs
 * @returns {Parameter[]}
 */
function readFields(tokens, structs) {
  if (tokens.shift() !== "(") throw new FormatError("a list of parameters begins with a parenthesis");
  /** @type {Parameter[]} */
  const fields = [];
  while (tokens[0] !== ")") {
    if (fields.length && tokens.shift() !== ",") throw new FormatError("parameters are separated by commas");
    let field = readType(tokens, structs);
    while (tokens[0] === "[]") {
      tokens.shift();
      field = { name: "", type: `${field.type}[]`, kind: "array", size: 0, item: field, fields: [] };
    }
    const named = /^[A-Za-z_$]/.test(tokens[0] ?? "") ? tokens.shift() : "";
    fields.push({ ...field, name: named ?? "" });
  }
  tokens.shift();
  return fields;
}

/**
 * @param {string[]} tokens
 * @param {Readonly<Record<string, string>>} structs
 * @returns {Parameter}
 */
function readType(tokens, structs) {
  if (tokens[0] === "(") return tupleOf(readFields(tokens, structs));
  const word = tokens.shift() ?? "";
  const struct = structs[word];
  if (struct !== undefined) return tupleOf(readFields(tokensOf(struct), structs));
  const plain = { name: "", type: word, size: 0, item: null, fields: [] };
  const simple = SIMPLE.find((each) => each === word);
  if (simple) return { ...plain, kind: simple };
  const sized = /^(uint|bytes)(\d+)$/.exec(word);
  if (!sized) throw new FormatError(`no known type: ${word}`);
  return { ...plain, kind: sized[1] === "uint" ? "uint" : "fixed", size: Number(sized[2]) };
}

/**
 * @param {Parameter[]} fields
 * @returns {Parameter}
 */
function tupleOf(fields) {
  return { name: "", type: `(${fields.map((each) => each.type).join(",")})`, kind: "tuple", size: 0, item: null, fields };
}

/**
 * @param {Parameter} each
 * @returns {boolean}
 */
function isDynamic(each) {
  return ["bytes", "string", "array"].includes(each.kind) || each.fields.some(isDynamic);
}

/**
 * @param {Parameter} each
 * @returns {number}
 */
function headBytes(each) {
  return each.kind === "tuple" && !isDynamic(each) ? each.fields.reduce((sum, field) => sum + headBytes(field), 0) : WORD;
}

/**
 * Returns the encoded values, one for each parameter. Throws FormatError, which names the parameter.
 * @param {Parameter[]} parameters
 * @param {readonly AbiValue[]} values
 * @returns {Uint8Array}
 */
export function encode(parameters, values) {
  if (values.length !== parameters.length) throw new FormatError(`${parameters.length} values are needed, not ${values.length}`);
  let behind = parameters.reduce((sum, each) => sum + headBytes(each), 0);
  const heads = [];
  const tails = [];
  for (const [i, parameter] of parameters.entries()) {
    const encoded = encodeNamed(parameter, /** @type {AbiValue} */ (values[i]));
    if (isDynamic(parameter)) {
      heads.push(wordOf(BigInt(behind)));
      tails.push(encoded);
      behind += encoded.length;
    } else heads.push(encoded);
  }
  return concat([...heads, ...tails]);
}

/**
 * @param {Parameter} parameter
 * @param {AbiValue} value
 * @returns {Uint8Array}
 */
function encodeNamed(parameter, value) {
  try {
    return encodeValue(parameter, value);
  } catch (error) {
    if (!(error instanceof FormatError) || !parameter.name) throw error;
    throw new FormatError(`${parameter.name}: ${error.message}`);
  }
}

/**
 * @param {Parameter} parameter
 * @param {AbiValue} value
 * @returns {Uint8Array}
 */
function encodeValue(parameter, value) {
  switch (parameter.kind) {
    case "uint":
      return wordOf(readUint(value, parameter.size));
    case "bool":
      if (typeof value !== "boolean") throw new FormatError("neither true nor false");
      return wordOf(value ? 1n : 0n);
    case "address":
      return wordOf(BigInt(readAddress(/** @type {string} */ (value))));
    case "fixed":
      return fixedWord(fromHex(/** @type {string} */ (value)), parameter.size);
    case "bytes":
      return encodeBytes(fromHex(/** @type {string} */ (value)));
    case "string":
      return encodeBytes(utf8(/** @type {string} */ (value)));
    case "array":
      return encodeArray(/** @type {Parameter} */ (parameter.item), value);
    case "tuple":
      return encode(parameter.fields, fieldValues(parameter.fields, value));
  }
}

/**
 * @param {AbiValue} value
 * @param {number} bits
 * @returns {bigint}
 */
function readUint(value, bits) {
  const number = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof number !== "bigint" || number < 0n || number >> BigInt(bits)) {
    throw new FormatError(`not a whole number from 0 to 2^${bits} - 1`);
  }
  return number;
}

/**
 * @param {bigint} value
 * @returns {Uint8Array}
 */
function wordOf(value) {
  return fromHex("0x" + value.toString(16).padStart(2 * WORD, "0"));
}

/**
 * @param {Uint8Array} bytes
 * @param {number} size
 * @returns {Uint8Array}
 */
function fixedWord(bytes, size) {
  if (bytes.length !== size) throw new FormatError(`not ${size} bytes`);
  return padded(bytes);
}

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
function encodeBytes(bytes) {
  return concat([wordOf(BigInt(bytes.length)), padded(bytes)]);
}

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
function padded(bytes) {
  return concat([bytes, new Uint8Array((WORD - (bytes.length % WORD)) % WORD)]);
}

/**
 * @param {Parameter} item
 * @param {AbiValue} value
 * @returns {Uint8Array}
 */
function encodeArray(item, value) {
  if (!Array.isArray(value)) throw new FormatError("not a list");
  return concat([wordOf(BigInt(value.length)), encode(new Array(value.length).fill(item), value)]);
}

/**
 * @param {Parameter[]} fields
 * @param {AbiValue} value
 * @returns {AbiValue[]}
 */
function fieldValues(fields, value) {
  if (typeof value !== "object" || Array.isArray(value)) throw new FormatError("not an object with a value for each field");
  return fields.map((field) => {
    if (!Object.hasOwn(value, field.name)) throw new FormatError(`${field.name} is missing`);
    return /** @type {AbiValue} */ (value[field.name]);
  });
}

/**
 * Returns the values of all of `data`, one for each parameter. Bytes of a string that are no UTF-8 become U+FFFD: whoever
 * stores such a name must not make a list unreadable. Throws FormatError.
 * @param {Parameter[]} parameters
 * @param {Uint8Array} data
 * @returns {AbiValue[]}
 */
export function decode(parameters, data) {
  const reader = new Reader(data);
  const values = reader.sequence(parameters, 0);
  // With trailing bytes two different answers would decode to the same values.
  if (reader.behind !== data.length) throw new FormatError("there is more data than the types explain");
  return values;
}

/** Reading of one answer; `behind` is the position behind the value that was read last. */
class Reader {
  /** @param {Uint8Array} data */
  constructor(data) {
    this.data = data;
    this.behind = 0;
  }

  /**
   * @param {Parameter[]} parameters
   * @param {number} at
   * @returns {AbiValue[]}
   */
  sequence(parameters, at) {
    let head = at;
    let tail = at + parameters.reduce((sum, each) => sum + headBytes(each), 0);
    const values = [];
    for (const parameter of parameters) {
      if (isDynamic(parameter)) {
        if (BigInt(at) + this.word(head) !== BigInt(tail)) throw new FormatError("an offset is not where the value before it ends");
        values.push(this.value(parameter, tail));
        tail = this.behind;
      } else values.push(this.value(parameter, head));
      head += headBytes(parameter);
    }
    this.behind = tail;
    return values;
  }

  /**
   * @param {Parameter} parameter
   * @param {number} at
   * @returns {AbiValue}
   */
  value(parameter, at) {
    switch (parameter.kind) {
      case "uint":
        return this.number(at, parameter.size);
      case "bool":
        return this.number(at, 1) === 1n;
      case "address":
        return readAddress("0x" + this.number(at, 160).toString(16).padStart(40, "0"));
      case "fixed":
        return this.fixed(at, parameter.size);
      case "bytes":
        return toHex(this.content(at));
      case "string":
        return decoder.decode(this.content(at));
      case "array":
        return this.array(/** @type {Parameter} */ (parameter.item), at);
      case "tuple": {
        const values = this.sequence(parameter.fields, at);
        return Object.fromEntries(parameter.fields.map((field, i) => [field.name, /** @type {AbiValue} */ (values[i])]));
      }
    }
  }

  /**
   * @param {number} at
   * @returns {bigint}
   */
  word(at) {
    if (at + WORD > this.data.length) throw new FormatError("the data ends early");
    return BigInt(toHex(this.data.subarray(at, at + WORD)));
  }

  /**
   * @param {number} at
   * @param {number} bits
   * @returns {bigint}
   */
  number(at, bits) {
    const value = this.word(at);
    // Solidity's encoder leaves the high bits zero; anything else is no answer of the contract.
    if (value >> BigInt(bits)) throw new FormatError(`a value has more than ${bits} bits`);
    return value;
  }

  /**
   * @param {number} at
   * @param {number} size
   * @returns {string}
   */
  fixed(at, size) {
    const word = this.word(at);
    if (word & (U256_MAX >> BigInt(8 * size))) throw new FormatError(`a value has more than ${size} bytes`);
    return toHex(this.data.subarray(at, at + size));
  }

  /**
   * @param {number} at
   * @returns {Uint8Array}
   */
  content(at) {
    const start = at + WORD;
    const length = this.word(at);
    if (length > BigInt(this.data.length - start)) throw new FormatError("the data ends early");
    this.behind = start + Math.ceil(Number(length) / WORD) * WORD;
    if (this.behind > this.data.length) throw new FormatError("the data ends early");
    return this.data.subarray(start, start + Number(length));
  }

  /**
   * @param {Parameter} item
   * @param {number} at
   * @returns {AbiValue[]}
   */
  array(item, at) {
    const start = at + WORD;
    const length = this.word(at);
    // Before a list of parameters is made: a length of 2^255 would take all memory.
    if (length * BigInt(headBytes(item)) > BigInt(this.data.length - start)) throw new FormatError("an array is longer than the data");
    return this.sequence(new Array(Number(length)).fill(item), start);
  }
}
