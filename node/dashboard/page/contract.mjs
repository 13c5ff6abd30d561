/**
 * Calls of a contract as bytes, their results and refusals as values.
 * @module
 */
import { decode, encode, parseEntry } from "./abi.mjs";
import { FormatError, fromHex, toHex } from "./bytes.mjs";
import { ERRORS, STRUCTS, VIEWS, WRITES } from "./contract-abi.mjs";

/** @typedef {import("./abi.mjs").AbiValue} AbiValue */
/** @typedef {import("./abi.mjs").Entry} Entry */
/**
 * Refusal: the error's name with its arguments. `Error` and `Panic` are Solidity's own, "" is a refusal without data or
 * one that nobody here knows; `data` is then what there is.
 * @typedef {{name: string, arguments: Record<string, AbiValue>, data: string}} Revert
 */

const SOLIDITY_ERRORS = ["Error(string reason)", "Panic(uint256 code)"];

/** Interface of a contract: its functions and errors, read from text. */
export class ContractInterface {
  /** @type {Map<string, Entry>} */
  #functions = new Map();
  /** @type {Map<string, Entry>} */
  #errors = new Map();

  /**
   * @param {readonly string[]} functions lines for `parseEntry`
   * @param {readonly string[]} errors
   * @param {Readonly<Record<string, string>>} [structs]
   */
  constructor(functions, errors, structs = {}) {
    for (const line of functions) {
      const entry = parseEntry("function", line, structs);
      this.#functions.set(entry.name, entry);
    }
    for (const line of [...errors, ...SOLIDITY_ERRORS]) {
      const entry = parseEntry("error", line, structs);
      this.#errors.set(entry.selector, entry);
    }
  }

  /** Names of all functions. */
  get names() {
    return [...this.#functions.keys()];
  }

  /**
   * Returns a function by its name. Throws FormatError.
   * @param {string} name
   * @returns {Entry}
   */
  entry(name) {
    const found = this.#functions.get(name);
    if (!found) throw new FormatError(`the contract has no function ${name}`);
    return found;
  }

  /**
   * Returns the calldata of a call, 0x hex. Throws FormatError, which names the argument.
   * @param {string} name
   * @param {readonly AbiValue[]} values
   * @returns {string}
   */
  calldata(name, values) {
    const entry = this.entry(name);
    return entry.selector + toHex(encode(entry.inputs, values)).slice(2);
  }

  /**
   * Returns what a function returned: the value of a single result, else a list. Throws FormatError.
   * @param {string} name
   * @param {string} data 0x hex
   * @returns {AbiValue}
   */
  result(name, data) {
    const values = decode(this.entry(name).outputs, fromHex(data));
    return values.length === 1 ? /** @type {AbiValue} */ (values[0]) : values;
  }

  /**
   * Returns the refusal in revert data; never throws.
   * @param {string} data
   * @returns {Revert}
   */
  revert(data) {
    const unknown = { name: "", arguments: {}, data };
    const entry = this.#errors.get(data.slice(0, 10).toLowerCase());
    if (!entry) return unknown;
    try {
      const values = decode(entry.inputs, fromHex("0x" + data.slice(10)));
      const named = entry.inputs.map((input, i) => [input.name, /** @type {AbiValue} */ (values[i])]);
      return { name: entry.name, arguments: Object.fromEntries(named), data };
    } catch (error) {
      if (error instanceof FormatError) return unknown;
      throw error;
    }
  }
}

/** The account contract. */
export const ACCOUNT_CONTRACT = new ContractInterface([...WRITES, ...VIEWS], ERRORS, STRUCTS);
