/**
 * Transactions of the wallet: checked, tried without sending, confirmed by the reader, sent, and followed on the chain.
 * @module
 */
import { FormatError } from "./bytes.mjs";
import { callInWords, refusalInWords } from "./contract-words.mjs";
import { CallReverted, WalletError } from "./wallet.mjs";

/** @typedef {import("./abi.mjs").AbiValue} AbiValue */
/** @typedef {import("./contract-words.mjs").Line} Line */
/** @typedef {import("./wallet.mjs").Receipt} Receipt */
/**
 * Contract to write to. `verify` compares its code with what is known of it, says in words what it compared, and throws
 * WalletError where something differs. `inWords` shows parameters by name whose words depend on the contract.
 * @typedef {{
 *   label: string, address: string, contract: import("./contract.mjs").ContractInterface, verify(): Promise<string>,
 *   inWords?: Readonly<Record<string, (value: AbiValue) => string>>
 * }} Target
 */
/**
 * State of a transaction. `checking`, `asking`: before it is sent. `declined`, `refused`: never sent. `unknown`: the wallet was asked
 * to send it, and does not say whether it did. `pending`: in no block. `included`: in a block that may still go. `confirmed`,
 * `failed`: in a block. `reorganised`: its block is gone. `replaced`: another transaction of the account took its place.
 * @typedef {"checking"|"asking"|"declined"|"refused"|"unknown"|"pending"|"included"|"confirmed"|"failed"|"reorganised"|"replaced"} State
 */
/**
 * Transaction as the page shows it. `reorganisations` counts how often its block went; `note` says what went wrong.
 * @typedef {{
 *   id: number, title: string, lines: Line[], call: string, to: string, label: string, from: string, chainId: number,
 *   checked: string, state: State, hash: string | null, nonce: number | null, block: {number: number, hash: string} | null,
 *   confirmations: number, needed: number, reorganisations: number, note: string, isFinal: boolean
 * }} Transaction
 */
/** @typedef {(preview: Transaction) => Promise<boolean>} Confirm */

/** Blocks after which a transaction is called confirmed, its own counted in. */
export const CONFIRMATIONS = 2;
const POLL_MS = 3_000;
const KEPT = 200;

/** Transactions of one wallet on one chain, kept in memory. Dispatches `change` whenever one of them changes. */
export class Transactions extends EventTarget {
  /** @type {Transaction[]} */
  #all = [];
  #made = 0;

  /**
   * @param {import("./wallet.mjs").Wallet} wallet
   * @param {{chainId: number, confirm: Confirm, pollMs?: number}} options `confirm` shows the preview and asks the reader
   */
  constructor(wallet, { chainId, confirm, pollMs = POLL_MS }) {
    super();
    this.wallet = wallet;
    this.chainId = chainId;
    this.confirm = confirm;
    this.pollMs = pollMs;
  }

  /** Returns all transactions, the newest first. */
  list() {
    return [...this.#all].reverse();
  }

  /**
   * Sends a call, and returns its receipt once it is in a block. Nothing is sent if the contract's code is another one,
   * the call would fail, or the reader or the wallet's owner declines. Throws WalletError with the reason; of the kind `unknown`
   * where it may have been sent.
   * @param {Target} target
   * @param {string} name
   * @param {readonly AbiValue[]} values
   * @param {number} [needed] confirmations
   * @returns {Promise<Receipt>}
   */
  async send(target, name, values, needed = CONFIRMATIONS) {
    const data = target.contract.calldata(name, values);
    const id = this.#begin(target, name, values, needed);
    try {
      await this.wallet.require(this.chainId);
      this.#change(id, { checked: await target.verify() });
      await this.#tryOut(target, data);
      this.#change(id, { state: "asking" });
      if (!(await this.confirm(this.#get(id)))) throw new WalletError("declined", "You declined. Nothing was sent.");
      // The reader took their time: the wallet may show another account or chain by now.
      await this.wallet.require(this.chainId);
      this.#change(id, { state: "pending", hash: await this.#handOver(target, data) });
    } catch (error) {
      const words = this.#inWords(target, error);
      const state = words.kind === "declined" || words.kind === "unknown" ? words.kind : "refused";
      this.#change(id, { state, note: words.message, isFinal: true });
      throw words;
    }
    return this.#included(id, target, data);
  }

  /**
   * Lets the wallet send a call, and returns its hash. A fault after that question does not say that nothing was sent.
   * @param {Target} target
   * @param {string} data
   */
  async #handOver(target, data) {
    try {
      return await this.wallet.send(target.address, data, this.chainId);
    } catch (error) {
      if (!(error instanceof WalletError) || (error.kind !== "refused" && error.kind !== "silent")) throw error;
      throw new WalletError("unknown", `${error.message} It may have been sent all the same: look into the wallet before you send it again.`);
    }
  }

  /**
   * Returns what a call returns, read at the newest block. Throws WalletError.
   * @param {Target} target
   * @param {string} name
   * @param {readonly AbiValue[]} values
   * @returns {Promise<AbiValue>}
   */
  async read(target, name, values) {
    try {
      return target.contract.result(name, await this.wallet.call({ to: target.address, data: target.contract.calldata(name, values) }));
    } catch (error) {
      throw this.#inWords(target, error);
    }
  }

  /**
   * Runs a call without a transaction. Throws WalletError with the reason for which it would fail.
   * @param {Target} target
   * @param {string} name
   * @param {readonly AbiValue[]} values
   */
  async simulate(target, name, values) {
    try {
      await this.wallet.require(this.chainId);
      await this.#tryOut(target, target.contract.calldata(name, values));
    } catch (error) {
      throw this.#inWords(target, error);
    }
  }

  /**
   * @param {Target} target
   * @param {string} data
   */
  async #tryOut(target, data) {
    await this.wallet.call({ from: this.wallet.address, to: target.address, data });
  }

  /**
   * @param {Target} target
   * @param {unknown} error
   * @returns {WalletError}
   */
  #inWords(target, error) {
    if (error instanceof CallReverted) return new WalletError("refused", refusalInWords(target.contract.revert(error.data)));
    if (error instanceof WalletError) return error;
    if (error instanceof FormatError) return new WalletError("refused", `The answer is malformed: ${error.message}.`);
    throw error;
  }

  /**
   * @param {Target} target
   * @param {string} name
   * @param {readonly AbiValue[]} values
   * @param {number} needed
   */
  #begin(target, name, values, needed) {
    const entry = target.contract.entry(name);
    const id = ++this.#made;
    this.#all.push({
      ...callInWords(entry, values, target.inWords),
      id,
      call: entry.signature,
      to: target.address,
      label: target.label,
      from: this.wallet.address,
      chainId: this.chainId,
      checked: "",
      state: "checking",
      hash: null,
      nonce: null,
      block: null,
      confirmations: 0,
      needed,
      reorganisations: 0,
      note: "",
      isFinal: false,
    });
    const oldest = this.#all.findIndex((each) => each.isFinal);
    if (this.#all.length > KEPT && oldest >= 0) this.#all.splice(oldest, 1);
    this.dispatchEvent(new Event("change"));
    return id;
  }

  /** @param {number} id */
  #get(id) {
    const found = this.#all.find((each) => each.id === id);
    if (!found) throw new Error("a transaction that is not final is kept");
    return found;
  }

  /**
   * @param {number} id
   * @param {Partial<Transaction>} fields
   */
  #change(id, fields) {
    const i = this.#all.findIndex((each) => each.id === id);
    this.#all[i] = { ...this.#get(id), ...fields };
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Returns the receipt once there is one, and goes on following the transaction until it is final.
   * @param {number} id
   * @param {Target} target
   * @param {string} data
   * @returns {Promise<Receipt>}
   */
  #included(id, target, data) {
    return new Promise((resolve, reject) => {
      /** @param {Receipt | null} receipt */
      const seen = (receipt) => {
        const { state, note, isFinal } = this.#get(id);
        if (receipt?.succeeded) resolve(receipt);
        else if (state === "failed" || isFinal) reject(new WalletError("refused", note));
      };
      void this.#follow(id, target, data, seen).catch(reject);
    });
  }

  /**
   * @param {number} id
   * @param {Target} target
   * @param {string} data
   * @param {(receipt: Receipt | null) => void} seen
   */
  async #follow(id, target, data, seen) {
    while (!this.#get(id).isFinal) {
      if (this.wallet.ended) {
        this.#change(id, { note: "The wallet's session ended: this page no longer follows the transaction.", isFinal: true });
        seen(null);
        return;
      }
      seen(await this.#look(id, target, data));
      if (!this.#get(id).isFinal) await new Promise((resolve) => setTimeout(resolve, this.pollMs));
    }
  }

  /**
   * Looks at the chain once. A provider that does not answer changes nothing but the note.
   * @param {number} id
   * @param {Target} target
   * @param {string} data
   * @returns {Promise<Receipt | null>}
   */
  async #look(id, target, data) {
    const before = this.#get(id);
    try {
      const head = await this.wallet.head();
      const receipt = await this.#receiptOf(before);
      const fields = receipt ? foundIn(before, receipt, head) : await this.#missing(before, head);
      if (fields.state === "failed" && before.state !== "failed") fields.note = await this.#failure(target, data, receipt);
      this.#change(id, fields);
      return receipt;
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      this.#change(id, { note: `The chain could not be read: ${error.message}` });
      return null;
    }
  }

  /**
   * Returns the receipt if its block is part of the present chain.
   * @param {Transaction} transaction
   */
  async #receiptOf(transaction) {
    const receipt = await this.wallet.receipt(/** @type {string} */ (transaction.hash));
    return receipt && (await this.wallet.blockHash(receipt.blockNumber)) === receipt.blockHash ? receipt : null;
  }

  /**
   * @param {Transaction} before
   * @param {number} head
   * @returns {Promise<Partial<Transaction>>}
   */
  async #missing(before, head) {
    const nonce = (await this.wallet.nonceOf(/** @type {string} */ (before.hash))) ?? before.nonce;
    const confirmed = Math.max(0, head - before.needed + 1);
    // Counted some blocks ago, so that the other transaction is confirmed itself; its own receipt may have come since.
    if (nonce !== null && (await this.wallet.sentBy(confirmed)) > nonce && !(await this.#receiptOf(before))) {
      return { state: "replaced", nonce, block: null, note: "Another transaction of this account took its place. Nothing of this one counts.", isFinal: true };
    }
    if (!before.block) return { nonce, note: before.reorganisations ? before.note : "" };
    const note = "The chain reorganised, and the block of this transaction is gone. It may be included again.";
    return { state: "reorganised", nonce, block: null, confirmations: 0, reorganisations: before.reorganisations + 1, note };
  }

  /**
   * @param {Target} target
   * @param {string} data
   * @param {Receipt | null} receipt
   * @returns {Promise<string>}
   */
  async #failure(target, data, receipt) {
    const failed = "The transaction failed on the chain: nothing was changed, and its gas was paid.";
    if (!receipt) return failed;
    try {
      await this.wallet.call({ from: this.wallet.address, to: target.address, data }, `0x${receipt.blockNumber.toString(16)}`);
      return `${failed} It may have run out of gas.`;
    } catch (error) {
      if (!(error instanceof CallReverted)) return failed;
      return `${failed} ${this.#inWords(target, error).message}`;
    }
  }
}

/**
 * Returns what a receipt in the present chain changes of a transaction.
 * @param {Transaction} before
 * @param {Receipt} receipt
 * @param {number} head
 * @returns {Partial<Transaction>}
 */
function foundIn(before, receipt, head) {
  const block = { number: receipt.blockNumber, hash: receipt.blockHash };
  const confirmations = Math.max(0, head - block.number + 1);
  const isFinal = confirmations >= before.needed;
  if (before.block && before.block.hash !== block.hash) {
    const note = "The chain reorganised, and the transaction is in another block now.";
    return { state: "reorganised", block, confirmations, reorganisations: before.reorganisations + 1, note };
  }
  const note = before.state === "failed" ? before.note : "";
  if (!receipt.succeeded) return { state: "failed", block, confirmations, isFinal, note };
  return { state: isFinal ? "confirmed" : "included", block, confirmations, isFinal, note };
}
