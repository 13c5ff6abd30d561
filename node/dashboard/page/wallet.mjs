/**
 * Wallets of the browser: discovered by EIP-6963, spoken to by EIP-1193.
 * @module
 */
import { FormatError, fromHex, readAddress, readQuantity, sameAddress } from "./bytes.mjs";
import { CallReverted, codeOf, UNKNOWN_CHAIN, WalletError, walletFault } from "./wallet-errors.mjs";

/**
 * Provider of EIP-1193, as a wallet injects it.
 * @typedef {{
 *   request(call: {method: string, params?: unknown[]}): Promise<unknown>,
 *   on?(event: string, listener: (value: unknown) => void): unknown,
 *   removeListener?(event: string, listener: (value: unknown) => void): unknown
 * }} Provider
 */
/** @typedef {{id: string, name: string, icon: string, provider: Provider}} Announced */
/** @typedef {{address: string, topics: string[]}} Log */
/** @typedef {{transactionHash: string, blockNumber: number, blockHash: string, succeeded: boolean, logs: Log[]}} Receipt */
/** @typedef {{to: string, data: string, from?: string}} Call */

const READ_TIMEOUT_MS = 30_000;
const WALLETS_MAX = 20;
const NAME_MAX = 64;
const ICON_MAX = 200_000;
const ICON = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/;
const HASH = /^0x[0-9a-f]{64}$/i;
const ANSWER_MAX = 8_000_000;
const SIGNATURE_MAX = 2 + 2 * 4096;

/**
 * Calls `found` with all wallets announced so far, whenever one more is (EIP-6963); returns a function that ends this.
 * Names are text, icons are `data:` images or empty: a wallet's announcement is a stranger's text.
 * @param {(wallets: Announced[]) => void} found
 * @param {EventTarget} [target]
 * @returns {() => void}
 */
export function discoverWallets(found, target = window) {
  /** @type {Map<string, Announced>} */
  const wallets = new Map();
  /** @param {Event} event */
  const announced = (event) => {
    const wallet = readAnnouncement(/** @type {CustomEvent<unknown>} */ (event).detail);
    if (!wallet || wallets.has(wallet.id) || wallets.size >= WALLETS_MAX) return;
    wallets.set(wallet.id, wallet);
    found([...wallets.values()]);
  };
  target.addEventListener("eip6963:announceProvider", announced);
  target.dispatchEvent(new Event("eip6963:requestProvider"));
  return () => target.removeEventListener("eip6963:announceProvider", announced);
}

/**
 * @param {unknown} detail
 * @returns {Announced | null}
 */
function readAnnouncement(detail) {
  const { info, provider } = /** @type {{info?: Record<string, unknown>, provider?: Provider}} */ (detail ?? {});
  if (typeof provider?.request !== "function" || typeof info?.["uuid"] !== "string" || typeof info["name"] !== "string") return null;
  const icon = info["icon"];
  const shown = typeof icon === "string" && icon.length <= ICON_MAX && ICON.test(icon) ? icon : "";
  return { id: info["uuid"].slice(0, NAME_MAX), name: info["name"].slice(0, NAME_MAX) || "A wallet without a name", icon: shown, provider };
}

/**
 * Account of a connected wallet. Dispatches `chain` when the wallet shows another chain, and `end` once when it
 * shows another account or disconnects: nothing is signed or sent from then on.
 */
export class Wallet extends EventTarget {
  #provider;
  #ended = false;
  /** @type {Record<string, (value: unknown) => void>} */
  #listeners;

  /**
   * @param {Announced} announced
   * @param {string} address EIP-55
   */
  constructor(announced, address) {
    super();
    this.#provider = announced.provider;
    this.name = announced.name;
    this.address = address;
    this.#listeners = {
      accountsChanged: (accounts) => this.#isShown(accounts) || this.close(),
      chainChanged: () => this.dispatchEvent(new Event("chain")),
      disconnect: () => this.close(),
    };
    for (const [event, listener] of Object.entries(this.#listeners)) this.#provider.on?.(event, listener);
  }

  /**
   * Asks the wallet's owner for an account, and returns it. Throws WalletError.
   * @param {Announced} announced
   * @returns {Promise<Wallet>}
   */
  static async connect(announced) {
    const accounts = await ask(announced.provider, "eth_requestAccounts", []);
    const first = Array.isArray(accounts) ? accounts[0] : undefined;
    if (typeof first !== "string") throw new WalletError("account", "The wallet names no account. Choose one in the wallet.");
    return new Wallet(announced, checked(() => readAddress(first.toLowerCase())));
  }

  /** Whether the session is over. */
  get ended() {
    return this.#ended;
  }

  /** Ends the session of this account; the wallet itself stays connected to the site. */
  close() {
    if (this.#ended) return;
    this.#ended = true;
    for (const [event, listener] of Object.entries(this.#listeners)) this.#provider.removeListener?.(event, listener);
    this.dispatchEvent(new Event("end"));
  }

  /** @param {unknown} accounts */
  #isShown(accounts) {
    return Array.isArray(accounts) && sameAddress(String(accounts[0]), this.address);
  }

  /**
   * Requires that the wallet shows this account and this chain now. Throws WalletError.
   * @param {number} chainId
   */
  async require(chainId) {
    if (!this.#ended && !this.#isShown(await this.#read("eth_accounts", []))) this.close();
    if (this.#ended) throw new WalletError("account", `The wallet no longer shows the account ${this.address}. Connect again.`);
    const shown = await this.chainId();
    if (shown !== BigInt(chainId)) {
      throw new WalletError("chain", `The wallet is on chain ${shown}, and the node's is ${chainId}. Change the chain in the wallet.`);
    }
  }

  /** Returns the chain that the wallet shows. */
  async chainId() {
    const answer = await this.#read("eth_chainId", []);
    return checked(() => readQuantity(answer));
  }

  /**
   * Asks the wallet to show a chain, if it shows another one. Throws WalletError.
   * @param {number} chainId
   */
  async switchTo(chainId) {
    if ((await this.chainId()) === BigInt(chainId)) return;
    try {
      await this.#provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: `0x${chainId.toString(16)}` }] });
    } catch (thrown) {
      if (codeOf(thrown) !== UNKNOWN_CHAIN) throw walletFault(thrown);
      throw new WalletError("chain", `The wallet does not know chain ${chainId}. Add it in the wallet's settings, then try again.`);
    }
    await this.require(chainId);
  }

  /**
   * Returns the owner's signature of typed data, 0x hex. Throws WalletError.
   * @param {import("./typed-data.mjs").TypedData} typedData
   * @returns {Promise<string>}
   */
  async sign(typedData) {
    await this.require(Number(typedData.domain.chainId));
    const signature = await this.#request("eth_signTypedData_v4", [this.address, JSON.stringify(typedData)]);
    if (typeof signature !== "string" || signature.length > SIGNATURE_MAX) throw new WalletError("refused", "The wallet's answer is no signature.");
    checked(() => fromHex(signature));
    return signature;
  }

  /**
   * Lets the owner send a transaction, and returns its hash. Throws WalletError.
   * @param {string} to
   * @param {string} data
   * @param {number} chainId for which it is: the wallet may show another chain by the time at which its owner agrees
   * @returns {Promise<string>}
   */
  async send(to, data, chainId) {
    return readHash(await this.#request("eth_sendTransaction", [{ from: this.address, to, data, value: "0x0", chainId: `0x${chainId.toString(16)}` }]));
  }

  /**
   * Returns what a call returns at a block (`latest` or 0x hex). Throws CallReverted, WalletError.
   * @param {Call} call
   * @param {string} [block]
   * @returns {Promise<string>}
   */
  async call(call, block = "latest") {
    return readData(await this.#read("eth_call", [call, block]));
  }

  /**
   * Returns the code at an address, 0x hex; `0x` where there is none.
   * @param {string} address
   * @returns {Promise<string>}
   */
  async code(address) {
    return readData(await this.#read("eth_getCode", [address, "latest"]));
  }

  /** Returns the number of the newest block. */
  async head() {
    return readNumber(await this.#read("eth_blockNumber", []));
  }

  /**
   * Returns the hash of the block with this number on the present chain, null where there is none.
   * @param {number} number
   * @returns {Promise<string | null>}
   */
  async blockHash(number) {
    const block = /** @type {{hash?: unknown} | null} */ (await this.#read("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]));
    return block === null ? null : readHash(block.hash);
  }

  /**
   * Returns how many transactions this account had sent by a block.
   * @param {number} block
   * @returns {Promise<number>}
   */
  async sentBy(block) {
    return readNumber(await this.#read("eth_getTransactionCount", [this.address, `0x${block.toString(16)}`]));
  }

  /**
   * Returns the nonce of a transaction, null where the provider does not know it.
   * @param {string} hash
   * @returns {Promise<number | null>}
   */
  async nonceOf(hash) {
    const found = /** @type {{nonce?: unknown} | null} */ (await this.#read("eth_getTransactionByHash", [hash]));
    return found === null ? null : readNumber(found.nonce);
  }

  /**
   * Returns the receipt of a transaction, null while it is in no block. Throws a WalletError for one without status or events.
   * @param {string} hash
   * @returns {Promise<Receipt | null>}
   */
  async receipt(hash) {
    const found = /** @type {Record<string, unknown> | null} */ (await this.#read("eth_getTransactionReceipt", [hash]));
    if (found === null || found["blockNumber"] == null) return null;
    const { status, logs } = found;
    // It does not say what became of the transaction: the next look may find the whole one.
    if ((status !== "0x0" && status !== "0x1") || !Array.isArray(logs)) throw new WalletError("refused", "The wallet's answer is malformed: an incomplete receipt.");
    return {
      transactionHash: hash,
      blockNumber: readNumber(found["blockNumber"]),
      blockHash: readHash(found["blockHash"]),
      succeeded: status === "0x1",
      logs,
    };
  }

  /**
   * @param {string} method
   * @param {unknown[]} params
   */
  async #request(method, params) {
    if (this.#ended) throw new WalletError("account", "The session of this wallet is over. Connect again.");
    return ask(this.#provider, method, params);
  }

  /**
   * @param {string} method
   * @param {unknown[]} params
   */
  async #read(method, params) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const late = new Promise((_, reject) => {
      const silent = () => reject(new WalletError("silent", "The wallet does not answer. Open it, and look at its connection to the chain."));
      timer = setTimeout(silent, READ_TIMEOUT_MS);
    });
    try {
      return await Promise.race([ask(this.#provider, method, params), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * @param {Provider} provider
 * @param {string} method
 * @param {unknown[]} params
 * @returns {Promise<unknown>}
 */
async function ask(provider, method, params) {
  try {
    return await provider.request({ method, params });
  } catch (thrown) {
    throw walletFault(thrown);
  }
}

/**
 * @template Result
 * @param {() => Result} read
 * @returns {Result}
 */
function checked(read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new WalletError("refused", `The wallet's answer is malformed: ${error.message}.`);
  }
}

/** @param {unknown} value */
function readNumber(value) {
  const number = checked(() => readQuantity(value));
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) throw new WalletError("refused", "The wallet's answer is malformed: a number is too large.");
  return Number(number);
}

/** @param {unknown} value */
function readHash(value) {
  if (typeof value !== "string" || !HASH.test(value)) throw new WalletError("refused", "The wallet's answer is malformed: no hash.");
  return value.toLowerCase();
}

/** @param {unknown} value */
function readData(value) {
  if (typeof value !== "string" || value.length > ANSWER_MAX) throw new WalletError("refused", "The wallet's answer is malformed: no data.");
  checked(() => fromHex(value));
  return value;
}

export { CallReverted, WalletError };
