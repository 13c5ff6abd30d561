/**
 * The account contract as the wallet's provider shows it, compared with what the node attests of it.
 * @module
 */
import { fromHex, keccak, readAddress, sameAddress, toHex } from "./bytes.mjs";
import { IMMUTABLES } from "./contract-abi.mjs";
import { ACCOUNT_CONTRACT } from "./contract.mjs";
import { WalletError } from "./wallet.mjs";

/**
 * Description of the contract in the node's attested configuration (docs/api.md, `config.account_contract`).
 * @typedef {{
 *   address: string, chain_id: number, code_hash: string, views_code_hash: string, views_module: string,
 *   owner_change_delay_s: number
 * }} AttestedContract
 */

const HASH = /^0x[0-9a-f]{64}$/;

/**
 * Returns the attested description of the account contract. Throws Error where it is missing or has another form: without
 * it nobody knows which contract the node uses.
 * @param {Record<string, any> | null} config `config` of the attestation statement
 * @returns {AttestedContract}
 */
export function attestedContract(config) {
  const found = config?.["account_contract"] ?? {};
  const { chain_id, code_hash, views_code_hash, owner_change_delay_s } = found;
  const numbers = [chain_id, owner_change_delay_s].every((each) => Number.isSafeInteger(each) && each >= 0);
  if (!numbers || ![code_hash, views_code_hash].every((each) => HASH.test(each))) {
    throw new Error("The node's attestation could not be read, so its account contract is not known. Reload the page.");
  }
  const [address, views_module] = [readAddress(found.address), readAddress(found.views_module)];
  return { address, chain_id, code_hash, views_code_hash, views_module, owner_change_delay_s };
}

/**
 * Account contract of a node, as a target of transactions.
 * @implements {Target}
 */
export class AccountContract {
  label = "the account contract";
  contract = ACCOUNT_CONTRACT;
  /** @type {Readonly<Record<string, (value: import("./abi.mjs").AbiValue) => string>>} words with an account's own names */
  inWords = {};
  #wallet;
  #attested;
  /** @type {Promise<string> | null} */
  #verified = null;

  /**
   * @param {import("./wallet.mjs").Wallet} wallet
   * @param {AttestedContract} attested
   */
  constructor(wallet, attested) {
    this.#wallet = wallet;
    this.#attested = attested;
    this.address = attested.address;
    this.chainId = attested.chain_id;
    // Another chain is read through another connection, which may show other code.
    wallet.addEventListener("chain", () => (this.#verified = null));
  }

  /**
   * Compares the code at the address and at its views module with the attested hashes, once; says what was compared.
   * Throws WalletError where anything differs.
   * @returns {Promise<string>}
   */
  verify() {
    this.#verified ??= this.#compare().catch((error) => {
      this.#verified = null;
      throw error;
    });
    return this.#verified;
  }

  async #compare() {
    const { code_hash, views_code_hash, views_module, owner_change_delay_s } = this.#attested;
    const code = fromHex(await this.#wallet.code(this.address));
    if (!code.length) throw differs(`there is no contract at ${this.address} on the wallet's chain`);
    const values = IMMUTABLES.map((places) => immutable(code, places));
    for (const [start = 0, length = 0] of IMMUTABLES.flat()) code.fill(0, start, start + length);
    if (keccak(code) !== code_hash) throw differs("its code is another one");
    const module = values.find((value) => value !== null && sameAddress(addressIn(value), views_module));
    const delay = values.find((value) => value !== null && BigInt(value) === BigInt(owner_change_delay_s));
    if (!module || !delay) throw differs("its constants are other ones");
    if (keccak(fromHex(await this.#wallet.code(views_module))) !== views_code_hash) throw differs("the code of its views is another one");
    return "The code at this address, as the wallet shows it, is the code that the node's attestation states.";
  }
}

/** @typedef {import("./transactions.mjs").Target} Target */

/**
 * Returns the word that code holds at all of these places, null where it holds several: code written by hand may compare
 * with another value than the one it shows.
 * @param {Uint8Array} code
 * @param {readonly (readonly number[])[]} places start and length
 * @returns {string | null}
 */
function immutable(code, places) {
  const words = new Set(places.map(([start = 0, length = 0]) => toHex(code.subarray(start, start + length))));
  const [word] = words;
  return words.size === 1 && word !== undefined && word.length === 66 ? word : null;
}

/** @param {string} word */
function addressIn(word) {
  return BigInt(word) >> 160n ? "" : "0x" + word.slice(26);
}

/** @param {string} what */
function differs(what) {
  const advice = "Nothing was sent. Look at the wallet's chain and its provider; if they are right, do not use this node.";
  return new WalletError("chain", `This is not the node's account contract: ${what}. ${advice}`);
}
